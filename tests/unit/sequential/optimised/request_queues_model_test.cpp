// Every state that the queues of requests can come to (tasks/dataflow/node_scheduler.hpp), by search, on four nodes of
// a core each: requests are submitted to any node, moved before they begin, begin, queue a task that is taken, are
// moved and shared in any way, and end. Somewhere between the steps of a move, another core does one of what takes no
// lock of the balancer. The functions are the kernel's own; a state is what a path of choices leads to from the
// beginning. The queues hold what they should, and when from there on all is served, no request is lost.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "tasks/dataflow/node_scheduler.hpp"
#include "tests/unit/memory_fixture.hpp"

namespace mxk::dataflow {
namespace {

constexpr std::uint16_t node_count = 4;

// Which of several possibilities is taken, one after the other: as a path says, and behind its end the first.
class Choices {
  public:
    explicit Choices(std::string path)
        : path_(std::move(path)) {}
    std::size_t choose(std::size_t count) {
        if (counts_.size() == path_.size()) path_.push_back('\0');
        counts_.push_back(count);
        return static_cast<std::size_t>(path_[counts_.size() - 1]);
    }
    [[nodiscard]] std::string const& path() const { return path_; }
    // The path behind this one, of those that begin with `known` choices as this one does; empty: there is none.
    [[nodiscard]] std::string next(std::size_t known) const {
        std::string path = path_;
        for (; path.size() > known; path.pop_back())
            if (static_cast<std::size_t>(++path.back()) < counts_[path.size() - 1]) return path;
        return {};
    }

  private:
    std::string path_;
    std::vector<std::size_t> counts_;
};

class Machine {
    enum class Stage : std::uint8_t { Unknown, Waiting, Running, Queued, Ended };
    struct Modelled {
        static void begin(CoreScheduler&, Request&) {}
        static Outcome run(CoreScheduler&, ReschedulableTask&) { return Outcome::Ended; }
        Request request{&begin, nullptr};
        ReschedulableTask task{request, &run, CoreId{}};
        Stage stage = Stage::Unknown;
        bool has_waited_elsewhere = false;
    };
    struct Operation {
        void (Machine::*function)(std::size_t request, std::uint16_t from, std::uint16_t to);
        std::size_t request;
        std::uint16_t from;
        std::uint16_t to;
    };
    using Order = std::deque<std::size_t>; // of requests

  public:
    Machine(std::size_t requests, Choices& choices)
        : choices_(choices)
        , requests_(requests)
        , at_nodes_(requests)
        , nodes_(NodeVector<NodeScheduler>::create(node_count, NodeId{}).value())
        , places_(NodeVector<RequestPlace>::create(requests, NodeId{}).value()) {
        for (std::uint16_t at = 0; at < node_count; ++at) {
            auto sleepers = Sleepers::create(1, NodeId{});
            sleepers.value().add(core_id(at));
            nodes_.emplace(at, NodeId{}, std::move(sleepers).value(), RequestQueue::create(requests, NodeId{}).value());
        }
        for (auto& of_place : at_nodes_) places_.emplace(of_place);
    }

    // One operation of a core. False: there is none.
    bool step() {
        std::vector<Operation> possible = of_any_core();
        for (std::uint16_t to = 0; to < node_count; ++to) {
            for (std::uint16_t from = 0; from < node_count; ++from)
                if (from != to && !waiting_[from].empty() && !requests_[waiting_[from].back()].has_waited_elsewhere)
                    possible.push_back({&Machine::move_youngest, 0, from, to});
            for (std::size_t i = 0; i < requests_.size(); ++i) {
                if (!has_begun(i) || places_[i].was_at(to)) continue;
                possible.push_back({&Machine::share, i, 0, to});
                for (std::uint16_t from = 0; from < node_count; ++from)
                    if (places_[i].is_held_by(from)) possible.push_back({&Machine::move, i, from, to});
            }
        }
        for (std::size_t i = 0; i < requests_.size(); ++i)
            if (requests_[i].stage == Stage::Running) possible.push_back({&Machine::end, i, 0, 0});
        if (possible.empty()) return false;
        perform(possible[choices_.choose(possible.size())]);
        return true;
    }

    // What is queued where, but for the numbers of nodes: equal ones can do the same.
    [[nodiscard]] std::string state() {
        std::string text;
        for (Modelled const& one : requests_) {
            text += static_cast<char>('a' + static_cast<char>(one.stage));
            text += one.has_waited_elsewhere ? '+' : '-';
        }
        std::array<std::string, node_count> at_nodes;
        for (std::uint16_t at = 0; at < node_count; ++at) {
            for (std::size_t const i : waiting_[at]) at_nodes[at] += std::to_string(i);
            at_nodes[at] += ':';
            for (std::size_t const i : served_[at]) at_nodes[at] += std::to_string(i);
            for (std::size_t i = 0; i < requests_.size(); ++i) {
                at_nodes[at] += has_begun(i) && places_[i].was_at(at) ? 'w' : '.';
                bool const is_its = requests_[i].stage == Stage::Queued && requests_[i].task.responsible_node() == at;
                at_nodes[at] += is_its ? 'r' : '.';
            }
        }
        std::ranges::sort(at_nodes);
        for (std::string const& at_node : at_nodes) text += '|' + at_node;
        return text;
    }

    // The queues are as long as they should be; and all requests end.
    void check() {
        for (std::uint16_t at = 0; at < node_count; ++at) {
            ASSERT_EQ(nodes_[at].waiting(), waiting_[at].size()) << state();
            ASSERT_EQ(nodes_[at].active(), served_[at].size()) << state();
        }
        std::string const now = state();
        for (unsigned round = 0; round < 2 * requests_.size() + 1; ++round) { // each ends or begins one
            for (std::size_t i = 0; i < requests_.size(); ++i)
                if (requests_[i].stage == Stage::Running) end(i, 0, 0);
            for (std::uint16_t at = 0; at < node_count; ++at) {
                take(0, at, 0);
                admit(0, at, 0);
            }
        }
        for (Modelled const& one : requests_)
            ASSERT_TRUE(one.stage == Stage::Ended || one.stage == Stage::Unknown) << "lost: " << now;
        for (std::uint16_t at = 0; at < node_count; ++at)
            ASSERT_EQ(nodes_[at].waiting() + nodes_[at].active(), 0U) << now;
    }

  private:
    [[nodiscard]] bool has_begun(std::size_t i) const {
        return requests_[i].stage == Stage::Running || requests_[i].stage == Stage::Queued;
    }
    void perform(Operation const& operation) {
        (this->*operation.function)(operation.request, operation.from, operation.to);
    }
    // Without the balancer's lock.
    std::vector<Operation> of_any_core() {
        std::vector<Operation> possible;
        possible.reserve(64);
        for (std::size_t i = 0; i < requests_.size(); ++i) {
            if (requests_[i].stage == Stage::Running) possible.push_back({&Machine::queue, i, 0, 0});
            if (requests_[i].stage != Stage::Unknown) continue;
            for (std::uint16_t to = 0; to < node_count; ++to) possible.push_back({&Machine::wait_at, i, 0, to});
            break; // the others are like it
        }
        for (std::uint16_t at = 0; at < node_count; ++at) {
            if (nodes_[at].waiting() != 0 && nodes_[at].active() == 0) possible.push_back({&Machine::admit, 0, at, 0});
            if (nodes_[at].unbound_tasks() != 0) possible.push_back({&Machine::take, 0, at, 0});
        }
        return possible;
    }
    // Whether it has done something.
    bool another_core() {
        std::vector<Operation> const possible = of_any_core();
        std::size_t const chosen = choices_.choose(possible.size() + 1);
        if (chosen != 0) perform(possible[chosen - 1]);
        return chosen != 0;
    }
    [[nodiscard]] std::size_t number(Request const& request) const {
        auto const at = std::ranges::find(requests_, &request, [](Modelled const& one) { return &one.request; });
        return static_cast<std::size_t>(at - requests_.begin());
    }

    void wait_at(std::size_t i, std::uint16_t /*from*/, std::uint16_t node) {
        requests_[i].stage = Stage::Waiting;
        waiting_[node].push_back(i);
        nodes_[node].append(requests_[i].request);
    }
    void move_youngest(std::size_t /*request*/, std::uint16_t from, std::uint16_t to) {
        Request* const youngest = nodes_[from].take_youngest();
        ASSERT_EQ(youngest, &requests_[waiting_[from].back()].request);
        waiting_[from].pop_back();
        youngest->waited_at = from;
        requests_[number(*youngest)].has_waited_elsewhere = true;
        wait_at(number(*youngest), from, to);
    }
    void admit(std::size_t /*request*/, std::uint16_t at, std::uint16_t /*to*/) {
        Request* const begun = nodes_[at].admit([&](Request& request) {
            places_[number(request)].open(request, at);
            request.set_place(&places_[number(request)]);
            return request.place();
        });
        if (begun == nullptr) return;
        ASSERT_EQ(number(*begun), waiting_[at].front());
        waiting_[at].pop_front();
        served_[at].push_back(number(*begun));
        requests_[number(*begun)].stage = Stage::Running;
    }
    void queue(std::size_t i, std::uint16_t /*from*/, std::uint16_t /*to*/) {
        requests_[i].stage = Stage::Queued;
        requests_[i].task.set_responsible_node(places_[i].deal_node(), true);
        (void)places_[i].append(requests_[i].task);
    }
    void take(std::size_t /*request*/, std::uint16_t at, std::uint16_t /*to*/) {
        ReschedulableTask* const task = nodes_[at].take_unbound();
        if (task != nullptr) requests_[number(task->request())].stage = Stage::Running;
    }
    void move(std::size_t i, std::uint16_t from, std::uint16_t to) {
        unsigned steps = 0;
        bool is_disturbed = false;
        bool const is_moved = NodeScheduler::move(requests_[i].request, nodes_[from], nodes_[to], [&] {
            ++steps;
            if (steps == 2) std::erase(served_[from], i);
            if (steps == 3) served_[to].push_back(i);
            is_disturbed = is_disturbed || another_core();
        });
        EXPECT_TRUE(is_moved);
        EXPECT_EQ(steps, 3U);
    }
    void share(std::size_t i, std::uint16_t /*from*/, std::uint16_t to) {
        EXPECT_TRUE(NodeScheduler::share(requests_[i].request, nodes_[to]));
        served_[to].push_back(i);
    }
    void end(std::size_t i, std::uint16_t /*from*/, std::uint16_t /*to*/) {
        NodeScheduler::forget(nodes_.span(), places_[i]);
        for (Order& served : served_) std::erase(served, i);
        requests_[i].stage = Stage::Ended;
    }

    Choices& choices_;
    std::vector<Modelled> requests_;
    std::vector<std::array<RequestPlace::AtNode, node_count>> at_nodes_;
    NodeVector<NodeScheduler> nodes_;
    NodeVector<RequestPlace> places_;
    // What the queues should hold.
    std::array<Order, node_count> waiting_;
    std::array<Order, node_count> served_;
};

class DataflowRequestQueuesModel : public test::MemoryTest {
  protected:
    // Gives the number of states.
    std::size_t explore(std::size_t requests) {
        std::unordered_set<std::string> seen;
        std::deque<std::pair<std::string, std::size_t>> found{{{}, 0}}; // paths, and how many steps they are
        while (!found.empty() && !HasFailure()) {
            auto const [known, steps] = std::move(found.front());
            found.pop_front();
            for (std::string path = known; !HasFailure();) {
                Choices choices(path);
                Machine machine(requests, choices);
                for (std::size_t done = 0; done < steps; ++done) machine.step();
                if (!machine.step()) break;
                if (seen.insert(machine.state()).second) {
                    found.emplace_back(choices.path(), steps + 1);
                    machine.check();
                }
                path = choices.next(known.size());
                if (path.empty()) break;
            }
        }
        return seen.size();
    }
};

TEST_F(DataflowRequestQueuesModel, no_request_is_lost_by_moves_and_shares) {
    RecordProperty("long", "explores all interleavings within the bound");
    configure({64 * MiB});
    std::size_t const states = explore(2);
    RecordProperty("states", std::to_string(states));
    EXPECT_GT(states, 5'000U);
}

} // namespace
} // namespace mxk::dataflow
