// What `bench task` decides before it runs: which cores, and which measures; and the two ends of a stream.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "bench/frame/core_choice.hpp"
#include "bench/task/task_options.hpp"
#include "bench/task/task_stream.hpp"

namespace mxk::bench {
namespace {

// Node 0: cores 0, 2, 4. Node 1: memory only. Node 2: core 3. Node 3: core 1, which is farther from node 0 than node 2.
class CoreChoiceTest : public testing::Test {
  protected:
    std::vector<topology::Core> cores{{core_id(0), ApicId{0}, node_id(0), 0},
                                      {core_id(1), ApicId{1}, node_id(3), 1},
                                      {core_id(2), ApicId{2}, node_id(0), 2},
                                      {core_id(3), ApicId{3}, node_id(2), 3},
                                      {core_id(4), ApicId{4}, node_id(0), 4}};
    std::vector<CoreId> of_0{core_id(0), core_id(2), core_id(4)};
    std::vector<CoreId> of_2{core_id(3)};
    std::vector<CoreId> of_3{core_id(1)};
    std::vector<topology::Node> nodes = {
        {node_id(0), 0, {}, of_0}, {node_id(1), 1, {}, {}}, {node_id(2), 2, {}, of_2}, {node_id(3), 3, {}, of_3}};
    std::vector<std::uint8_t> distances{10, 11, 20, 30, 11, 10, 20, 20, 20, 20, 10, 15, 30, 20, 15, 10};
    topology::Topology machine{.cores = cores, .nodes = nodes, .distances = distances};

    // "first,second", or the error.
    std::string pair(std::vector<std::uint32_t> const& chosen, Measure measure) {
        auto const choice = CoreChoice::choose(machine, chosen);
        if (!choice) return std::string(choice.error().message());
        auto const cores_of = choice.value().cores_for(placement_of(measure));
        if (!cores_of) return std::string(cores_of.error().message());
        return std::to_string(index(cores_of.value().first)) + "," + std::to_string(index(cores_of.value().second));
    }
};

TEST_F(CoreChoiceTest, nothing_chosen_is_core_0_and_its_neighbours) {
    EXPECT_EQ(pair({}, Measure::Local), "0,0");
    EXPECT_EQ(pair({}, Measure::Hop), "0,2");
    EXPECT_EQ(pair({}, Measure::Stream), "0,2");
    EXPECT_EQ(pair({}, Measure::Mail), "0,2");
    EXPECT_EQ(pair({}, Measure::RoundTrip), "0,2");
    EXPECT_EQ(pair({}, Measure::RemoteRoundTrip), "0,3"); // node 1 is nearer, but has no core
    EXPECT_EQ(pair({}, Measure::Wake), "0,2");
}

TEST_F(CoreChoiceTest, one_chosen_is_the_one_measured) {
    EXPECT_EQ(pair({2}, Measure::Hop), "2,4");
    EXPECT_EQ(pair({4}, Measure::Hop), "4,0"); // behind the last comes the first
    EXPECT_EQ(pair({1}, Measure::Local), "1,1");
    EXPECT_EQ(pair({1}, Measure::Hop), "needs another core of core 1's node");
    EXPECT_EQ(pair({1}, Measure::RemoteRoundTrip), "1,3");
    EXPECT_EQ(pair({1}, Measure::Wake), "1,3"); // asleep is asleep, wherever
}

TEST_F(CoreChoiceTest, two_chosen_serve_what_their_nodes_allow) {
    EXPECT_EQ(pair({0, 4}, Measure::Hop), "0,4");
    EXPECT_EQ(pair({0, 4}, Measure::RemoteRoundTrip), "0,3");
    EXPECT_EQ(pair({0, 4}, Measure::Wake), "0,4");
    EXPECT_EQ(pair({0, 1}, Measure::RemoteRoundTrip), "0,1");
    EXPECT_EQ(pair({0, 1}, Measure::Hop), "needs another core of core 0's node");
    EXPECT_EQ(pair({0, 1}, Measure::Wake), "0,1");
}

TEST_F(CoreChoiceTest, wrong_choices_say_what_was_expected) {
    EXPECT_EQ(pair({5}, Measure::Local), "--cores: expected cores 0 to 4, those of this machine, got 5");
    EXPECT_EQ(pair({2, 2}, Measure::Local), "--cores: expected two different cores, got 2 twice");
    EXPECT_EQ(pair({0, 1, 2}, Measure::Local), "--cores: expected one core or two, got 3");
}

TEST_F(CoreChoiceTest, a_single_core_has_only_local_tasks) {
    cores.resize(1);
    of_0.resize(1);
    nodes = {{node_id(0), 0, {}, of_0}};
    machine = {.cores = cores, .nodes = nodes, .distances = std::span(distances).first(1)};
    EXPECT_EQ(pair({}, Measure::Local), "0,0");
    EXPECT_EQ(pair({}, Measure::Hop), "needs another core of core 0's node");
    EXPECT_EQ(pair({}, Measure::RemoteRoundTrip), "needs a core of another node than core 0's");
    EXPECT_EQ(pair({}, Measure::Wake), "needs two cores");
}

std::string printed(MeasureSet const& measures) {
    FixedText<64> text;
    print_value(text, measures);
    return std::string(text.view());
}

TEST(MeasureSet, names_with_commas_in_any_order) {
    MeasureSet measures;
    EXPECT_TRUE(measures.empty());
    ASSERT_TRUE(parse_value("wake,local,wake", measures).ok());
    EXPECT_EQ(printed(measures), "local,wake");
    ASSERT_TRUE(parse_value("hop", measures).ok()); // the last one counts
    EXPECT_EQ(printed(measures), "hop");
    for (auto const& [measure, name] : value_names(Measure{})) {
        ASSERT_TRUE(parse_value(name, measures).ok());
        EXPECT_TRUE(measures.has(measure));
        EXPECT_EQ(printed(measures), name);
        EXPECT_EQ(name_of(measure), name);
    }
}

TEST(MeasureSet, what_is_no_name_is_refused) {
    MeasureSet measures;
    for (std::string_view const wrong : {"", "hops", "hop,", ",hop", "hop;wake", "hop, wake"}) {
        auto const parsed = parse_value(wrong, measures);
        ASSERT_FALSE(parsed.ok()) << wrong;
        EXPECT_NE(parsed.error().message().find("remote-round-trip"), std::string_view::npos) << wrong;
    }
}

// Sends what may be sent now, and says how many and which of them are announced.
struct Sent {
    std::vector<StreamLabel> labels;
    std::vector<std::uint32_t> places;
};
Sent send_some(StreamSender& sender) {
    Sent sent;
    for (std::uint64_t room = sender.room(); room > 0; --room) {
        sent.places.push_back(sender.place());
        sent.labels.push_back(sender.next());
    }
    return sent;
}

TEST(Stream, a_task_is_used_again_only_when_it_is_known_to_have_run) {
    for (std::uint32_t const pool : {1U, 3U, 8U, 20U, 64U, 200U}) {
        StreamReceiver receiver;
        StreamSender sender(pool, receiver);
        std::vector<bool> under_way(pool);
        std::vector<StreamLabel> queue;
        std::size_t taken = 0;
        std::uint64_t const total = 7 * pool + 5;
        sender.send_more(total);
        while (!sender.finished()) {
            Sent const sent = send_some(sender);
            for (std::size_t i = 0; i < sent.places.size(); ++i) {
                ASSERT_FALSE(under_way[sent.places[i]]) << "pool " << pool << ", task " << queue.size();
                under_way[sent.places[i]] = true;
                queue.push_back(sent.labels[i]);
            }
            if (!sent.places.empty()) continue; // the receiver comes on as late as can be
            if (sender.finished()) break;
            ASSERT_LT(taken, queue.size()) << "neither end of pool " << pool << " can go on";
            for (std::uint64_t const known = receiver.ran(); receiver.ran() == known; ++taken) {
                ASSERT_LT(taken, queue.size()) << "pool " << pool << ": nothing of this was announced";
                under_way[taken % pool] = false;
                receiver.take(queue[taken]);
            }
        }
        EXPECT_EQ(queue.size(), total);
        EXPECT_TRUE(receiver.verified(total));
    }
}

TEST(Stream, the_sender_stops_after_one_task_more) {
    StreamReceiver receiver;
    StreamSender sender(100, receiver);
    sender.send_more(1000);
    Sent const first = send_some(sender);
    sender.stop();
    Sent const last = send_some(sender);
    ASSERT_EQ(last.labels.size(), 1U);
    EXPECT_TRUE(last.labels[0].announced);
    sender.stop();
    EXPECT_EQ(sender.room(), 0U);
    EXPECT_FALSE(sender.finished());
    for (StreamLabel const& label : first.labels) receiver.take(label);
    receiver.take(last.labels[0]);
    EXPECT_EQ(sender.room(), 0U);
    EXPECT_TRUE(sender.finished());
    EXPECT_TRUE(receiver.verified(first.labels.size() + 1));
}

TEST(Stream, tasks_lost_doubled_or_overtaken_are_seen) {
    auto const verified = [](std::vector<std::uint64_t> const& numbers) {
        StreamReceiver receiver;
        for (std::uint64_t const number : numbers) receiver.take({number, true});
        return receiver.verified(3);
    };
    EXPECT_TRUE(verified({0, 1, 2}));
    EXPECT_FALSE(verified({0, 1}));
    EXPECT_FALSE(verified({0, 2, 1}));
    EXPECT_FALSE(verified({0, 0, 1}));
    EXPECT_FALSE(verified({0, 1, 2, 3}));
    StreamReceiver complaining;
    for (std::uint64_t number = 0; number < 3; ++number) complaining.take({number, true});
    complaining.complain();
    EXPECT_FALSE(complaining.verified(3));
}

} // namespace
} // namespace mxk::bench
