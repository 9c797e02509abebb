// The lock-free core of the concurrent table in all interleavings of small cases: two actors with up to three
// operations each, and one of them begins to split a bucket or to join two before its first one, or, when all others
// are done and a grace period is over, ends that. Each history must be linearizable, and nobody may meet a node that
// was unlinked before its operation began.
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <deque>
#include <ranges>
#include <string>
#include <utility>
#include <vector>

#include "hashtable/shared/concurrent/chains.hpp"
#include "tests/unit/interleavings.hpp"
#include "tests/unit/linearizable.hpp"
#include "tests/unit/long_tests.hpp"
#include "tests/unit/memory_fixture.hpp"

namespace mxk::test {
namespace {

using namespace concurrent;

struct Item : Node {
    std::uint64_t key = 0;
    std::uint64_t value = 0;
    std::uint64_t unlinked = 0; // when; 0: not yet
};
using Items = std::deque<Item>;
Items* items = nullptr; // of the run

// Which of the chains' marks are left out: then a test has to find that out.
enum class Marks : std::uint8_t { All, NoneInUpperHalf };

// Each access is a step. What was unlinked before the actor's operation began may have been given back: it does not
// touch it. It sees no hash there with which it could end a walk, but goes on to the link.
template <Marks marks> struct ExploredStepWith {
    static constexpr bool marks_first_of_upper_half = marks == Marks::All;
    static void before_change(void const* where) {
        Interleavings::before_change(where);
        look_at_items(where);
    }
    static void before_look(void const* where) {
        Interleavings::before_look(where);
        look_at_items(where);
    }
    static void look_at_items(void const* where) {
        for (Item& item : *items) {
            item.hash = is_given_back(item) ? 0 : item.key;
            EXPECT_FALSE(where == &item.link && is_given_back(item)) << "touched after it was given back: " << item.key;
        }
    }
    static bool is_given_back(Item const& item) {
        return item.unlinked != 0 && item.unlinked <= Interleavings::begun();
    }
};

using ExploredStep = ExploredStepWith<Marks::All>;

struct Unlinked {
    void operator()(Node& node) const {
        Interleavings::unlinked();
        ExploredStep::look_at_items(nullptr);
        EXPECT_EQ(static_cast<Item&>(node).unlinked, 0U) << "unlinked twice: " << static_cast<Item&>(node).key;
        static_cast<Item&>(node).unlinked = std::max<std::uint64_t>(Interleavings::now(), 1);
        ++*count;
    }
    std::size_t* count;
};

constexpr unsigned shift = 64 - HeadBlock::min_order - 1; // bucket numbers of the larger block
// Keys of one bucket of eight, which is the lower and the upper one of sixteen.
constexpr std::uint64_t lower_1 = (std::uint64_t{4} << shift) + 2;
constexpr std::uint64_t lower_2 = (std::uint64_t{4} << shift) + 4;
constexpr std::uint64_t upper_1 = (std::uint64_t{5} << shift) + 2;
constexpr std::uint64_t upper_2 = (std::uint64_t{5} << shift) + 4;
constexpr std::size_t bucket = 2; // of the smaller block

struct Call {
    Operation operation; // Update: replaces the item
    std::uint64_t key;
};
// What is no operation of a map: equal keys, a certain node, a walk. One node of the key is there all the time.
enum class NodeCall : std::uint8_t {
    None,
    Insert, // one more
    Remove, // the first one that the scenario's content has, by its address
    RemoveAll,
    Count,   // find() and find_next()
    Iterate, // visit_from(), over the whole bucket
};
using Calls = std::vector<Call>;

// What the bucket goes through.
enum class Resize : std::uint8_t { Split, Join };
enum class Stage : std::uint8_t {
    Begins,  // one actor begins it, and the other helps if it comes to it
    Ends,    // the grace period is over: what remains is one actor's first operation
    Hurries, // as Begins, and without a grace period what comes behind it: which is wrong
};

struct Scenario {
    Resize resize;
    Stage stage;
    std::vector<std::uint64_t> content;
    std::vector<std::uint64_t> removed; // of the content, before
    std::array<Calls, 2> calls;
    std::size_t resizer = 0;              // of the two
    std::array<NodeCall, 2> node_calls{}; // in place of `calls`; for the content's key, which is one
};

class ConcurrentInterleavings : public MemoryTest {
  protected:
    void SetUp() override { configure({64 * MiB}); }

    // All of it; how many runs differ.
    template <Marks marks = Marks::All>
    static std::size_t explore(Scenario const& scenario, Interleavings::Steps steps) {
        Interleavings all(steps);
        std::size_t different = 0;
        while (all.next_run()) {
            Run<marks> run(scenario);
            different += run.go(all) ? 1U : 0U;
            run.check();
            if (HasFailure()) {
                ADD_FAILURE() << "in run " << all.runs();
                break;
            }
        }
        return different;
    }
    // Whether a run of the scenario is wrong.
    template <Marks marks> static bool finds_a_fault(Scenario const& scenario) {
        testing::TestPartResultArray faults;
        testing::ScopedFakeTestPartResultReporter const reporter(
            testing::ScopedFakeTestPartResultReporter::INTERCEPT_ONLY_CURRENT_THREAD, &faults);
        Interleavings all;
        while (faults.size() == 0 && all.next_run()) {
            Run<marks> run(scenario);
            run.go(all);
            if (faults.size() == 0) run.check();
        }
        return faults.size() != 0;
    }

  private:
    template <Marks marks> class Run {
        using Table = Chains<Unlinked, ExploredStepWith<marks>>;

      public:
        explicit Run(Scenario const& scenario)
            : scenario_(scenario)
            , small_(make_block(HeadBlock::min_order))
            , large_(make_block(HeadBlock::min_order + 1))
            , table_(first(), Unlinked{&unlinked_}) {
            items = &items_;
            for (std::uint64_t const key : scenario.content) {
                Event event{Operation::Insert, key, next_value_, TableResult::Yes, 0, 0, core_id(2)};
                table_.insert(make_item(key));
                ++inserted_;
                history_.push_back(event);
            }
            for (std::uint64_t const key : scenario.removed) {
                EXPECT_NE(remove(key), nullptr);
                history_.push_back({Operation::Erase, key, 0, TableResult::Yes, 1, 1, core_id(2)});
            }
            HeadBlock& next = second();
            if (scenario.stage != Stage::Ends) return;
            table_.begin(next);
            for (std::size_t at = 0; at < small_.size(); ++at) table_.transfer(at);
            for (std::size_t at = 0; at < small_.size(); ++at)
                if (at != bucket) table_.separate(at);
        }

        bool go(Interleavings& all) {
            std::vector<Interleavings::Actor> actors;
            for (std::size_t i = 0; i < scenario_.calls.size(); ++i) actors.push_back([this, i] { act(i); });
            return all.run(actors);
        }

        void check() {
            if (scenario_.stage != Stage::Ends) {
                for (std::size_t at = 0; at < small_.size(); ++at)
                    if (at != bucket) table_.transfer(at);
                for (std::size_t at = 0; at < small_.size(); ++at)
                    if (at != bucket || scenario_.stage == Stage::Begins) table_.separate(at);
                table_.finish();
            }
            table_.forget_last();
            check_chains();
            if (scenario_.node_calls[0] != NodeCall::None) return;
            for (auto const& event : final_finds()) history_.push_back(event);
            auto const why = why_not_linearizable(history_);
            EXPECT_FALSE(why) << *why;
        }

      private:
        static HeadBlock make_block(unsigned order) {
            NodeId const node = node_id(0);
            auto block = HeadBlock::create(order, {&node, 1});
            EXPECT_TRUE(block.ok());
            return std::move(block.value());
        }
        HeadBlock& first() {
            HeadBlock& block = scenario_.resize == Resize::Split ? small_ : large_;
            block.fill(0, block.size(), 0);
            return block;
        }
        HeadBlock& second() {
            HeadBlock& block = scenario_.resize == Resize::Split ? large_ : small_;
            block.fill(0, block.size(), MarkedLink::invalid);
            return block;
        }

        Item& make_item(std::uint64_t key) {
            Item& item = items_.emplace_back();
            item.hash = key;
            item.key = key;
            item.value = next_value_++;
            return item;
        }
        static auto matches(std::uint64_t key) {
            return [key](Node& node) {
                auto const& item = static_cast<Item&>(node);
                EXPECT_FALSE(ExploredStep::is_given_back(item)) << "met after it was given back: " << key;
                return item.key == key;
            };
        }
        Node* remove(std::uint64_t key) { return table_.remove(key, matches(key)); }

        void act(std::size_t actor) {
            if (actor == scenario_.resizer) {
                carry_out([this] {
                    if (scenario_.stage != Stage::Ends) {
                        table_.begin(scenario_.resize == Resize::Split ? large_ : small_);
                        table_.transfer(bucket);
                    }
                    if (scenario_.stage != Stage::Begins) table_.separate(bucket);
                    if (scenario_.stage == Stage::Ends) table_.finish();
                });
            }
            if (scenario_.node_calls[actor] != NodeCall::None)
                return carry_out([&] { act_on_nodes(scenario_.node_calls[actor]); });
            for (Call const& call : scenario_.calls[actor]) {
                Event event;
                std::uint64_t invoked = 0;
                carry_out([&] {
                    invoked = ++clock_;
                    event = result_of(call);
                });
                event.invoked = invoked;
                event.responded = ++clock_;
                event.core = core_id(actor);
                history_.push_back(event);
            }
        }
        void act_on_nodes(NodeCall call) {
            std::uint64_t const key = scenario_.content.front();
            std::vector<Node const*> met;
            switch (call) {
            case NodeCall::None: return;
            case NodeCall::Insert:
                table_.insert(make_item(key));
                ++inserted_;
                return;
            case NodeCall::Remove: {
                Node* const first = &items_.front();
                auto const is_first = [&](Node const& node) { return &node == first; };
                if (Node* const found = table_.find(key, is_first)) removed_ += table_.remove(*found) ? 1U : 0U;
                return;
            }
            case NodeCall::RemoveAll: removed_ += table_.remove_all(key, matches(key)); return;
            case NodeCall::Count: {
                auto const& table = std::as_const(table_);
                Node const* node = table.find(key, matches(key));
                for (; node != nullptr; node = table.find_next(*node, matches(key))) met.push_back(node);
                break;
            }
            case NodeCall::Iterate: {
                std::uint64_t from = small_.first_hash(bucket);
                while (from < small_.first_hash(bucket + 1))
                    from = table_.visit_from(from, [&](Node const& node) { met.push_back(&node); });
            }
            }
            for (Item const& item : items_) {
                auto const times = std::count(met.begin(), met.end(), &item);
                EXPECT_LE(times, 1);
                if (&item == &items_[1]) {
                    EXPECT_EQ(times, 1) << "one that is there all the time";
                }
            }
        }
        template <typename What> static void carry_out(What what) {
            Interleavings::begin_operation();
            what();
            Interleavings::end_operation();
        }
        Event result_of(Call const& call) {
            Event event{.operation = call.operation, .key = call.key};
            auto const match = matches(call.key);
            auto const yes = [&](bool is_so) { event.result = is_so ? TableResult::Yes : TableResult::No; };
            switch (call.operation) {
            case Operation::Find: {
                auto const* const found = static_cast<Item const*>(std::as_const(table_).find(call.key, match));
                yes(found != nullptr);
                if (found != nullptr) event.value = found->value;
                break;
            }
            case Operation::Insert: {
                event.value = next_value_;
                bool const is_new = table_.insert_unique(make_item(call.key), match) == nullptr;
                inserted_ += is_new ? 1U : 0U;
                yes(is_new);
                break;
            }
            case Operation::Erase: yes(remove(call.key) != nullptr); break;
            case Operation::Update: {
                event.value = next_value_;
                bool const is_there = table_.replace(make_item(call.key), match) != nullptr;
                inserted_ += is_there ? 1U : 0U;
                yes(is_there);
                break;
            }
            default: {
                event.value = next_value_;
                yes(table_.replace_or_insert(make_item(call.key), match) == nullptr);
                ++inserted_;
            }
            }
            return event;
        }

        std::vector<Event> final_finds() {
            std::vector<Event> finds;
            std::uint64_t const late = ~std::uint64_t{0} - 10;
            for (std::uint64_t const key : {lower_1, lower_2, upper_1, upper_2}) {
                auto const* const found = static_cast<Item const*>(table_.find(key, matches(key)));
                finds.push_back({Operation::Find, key, found != nullptr ? found->value : 0,
                                 found != nullptr ? TableResult::Yes : TableResult::No, late, late + 1, core_id(2)});
            }
            return finds;
        }
        // Sorted, in the bucket of their hashes, without marks, and each item linked or unlinked.
        void check_chains() {
            std::size_t linked = 0;
            HeadBlock& now = table_.current();
            for (std::size_t at = 0; at < now.size(); ++at) {
                EXPECT_TRUE(now[at].load().is_clean());
                std::uint64_t last = 0;
                for (Node* node = now[at].load().node(); node != &end_of_chains; node = node->link.load().node()) {
                    EXPECT_TRUE(node->link.load().is_clean());
                    EXPECT_EQ(now.index(node->hash), at);
                    EXPECT_GE(node->hash, last);
                    EXPECT_EQ(static_cast<Item*>(node)->unlinked, 0U);
                    last = node->hash;
                    ++linked;
                }
            }
            EXPECT_EQ(linked + unlinked_, inserted_);
            if (scenario_.node_calls[0] == NodeCall::None) return;
            EXPECT_EQ(removed_, unlinked_);
            auto const is_called = [&](NodeCall call) { return std::ranges::count(scenario_.node_calls, call) != 0; };
            if (is_called(NodeCall::RemoveAll))
                EXPECT_GE(removed_, 2U);
            else
                EXPECT_EQ(removed_, is_called(NodeCall::Remove) ? 1U : 0U);
        }

        Scenario const& scenario_;
        HeadBlock small_;
        HeadBlock large_;
        std::size_t unlinked_ = 0;
        std::size_t inserted_ = 0; // with success
        std::size_t removed_ = 0;  // by a node
        std::uint64_t next_value_ = 1;
        std::uint64_t clock_ = 10; // counts what begins and ends
        Items items_;
        std::vector<Event> history_;
        Table table_;
    };
};

// What the two actors do, on what: inserts and erasures at both ends of the cut; everything with one key, which two
// have or which is the first of the upper half; halves that become empty, or were; and look-ups of all of it.
std::vector<Scenario> scenarios(Resize resize, Stage stage, std::size_t operations) {
    using enum Operation;
    struct Plan {
        std::vector<std::uint64_t> content;
        std::vector<std::uint64_t> removed;
        std::array<Calls, 2> calls;
    };
    std::vector<Plan> const plans{
        {{lower_1, upper_1},
         {},
         {Calls{{Insert, upper_2}, {Erase, upper_1}, {Find, lower_1}},
          Calls{{Erase, lower_1}, {Upsert, upper_1}, {Insert, lower_2}}}},
        {{upper_2, upper_1, lower_1},
         {upper_2},
         {Calls{{Insert, upper_1}, {Erase, upper_1}, {Find, upper_1}},
          Calls{{Erase, upper_1}, {Upsert, upper_1}, {Update, upper_1}}}},
        {{lower_2, upper_1},
         {lower_2},
         {Calls{{Insert, lower_1}, {Erase, lower_1}, {Insert, upper_2}},
          Calls{{Insert, lower_1}, {Update, lower_1}, {Erase, upper_1}}}},
        {{lower_1},
         {},
         {Calls{{Erase, lower_1}, {Find, upper_2}, {Insert, upper_1}},
          Calls{{Upsert, upper_2}, {Find, lower_1}, {Erase, upper_2}}}},
        // The last node of the lower half goes, is replaced, or comes, and the first one of the upper half.
        {{lower_1, lower_2, upper_2},
         {},
         {Calls{{Insert, upper_1}, {Find, lower_1}, {Find, upper_2}},
          Calls{{Erase, lower_2}, {Find, upper_1}, {Find, upper_2}}}},
        {{lower_1, lower_2, upper_2},
         {},
         {Calls{{Insert, upper_1}, {Erase, lower_1}, {Find, upper_2}},
          Calls{{Update, lower_2}, {Update, upper_2}, {Find, upper_1}}}},
        {{lower_1, upper_2},
         {},
         {Calls{{Insert, lower_2}, {Find, upper_2}, {Erase, lower_1}},
          Calls{{Insert, upper_1}, {Erase, upper_2}, {Find, lower_2}}}},
        {{lower_1, upper_1, upper_2},
         {},
         {Calls{{Find, upper_1}, {Erase, upper_2}, {Find, lower_1}},
          Calls{{Erase, upper_1}, {Find, upper_2}, {Insert, upper_1}}}},
        {{lower_1, upper_2},
         {},
         {Calls{{Find, upper_2}, {Find, lower_1}, {Erase, upper_2}},
          Calls{{Update, upper_2}, {Erase, lower_1}, {Find, upper_2}}}},
        // Who comes to the end of the lower half, looks at the first node of the upper one.
        {{lower_1, upper_1},
         {},
         {Calls{{Erase, upper_1}, {Find, lower_2}, {Insert, upper_1}},
          Calls{{Find, lower_2}, {Erase, upper_1}, {Find, lower_2}}}},
    };
    std::vector<Scenario> all;
    for (Plan const& plan : plans) {
        all.push_back({resize, stage, plan.content, plan.removed, plan.calls});
        for (Calls& calls : all.back().calls) calls.resize(operations);
    }
    return all;
}

struct Exploration {
    Resize resize;
    Stage stage;
    std::size_t operations; // of each actor
    Interleavings::Steps steps = Interleavings::Steps::Accesses;
    bool is_long = false;
};

class ConcurrentExplorations : public ConcurrentInterleavings, public testing::WithParamInterface<Exploration> {};

TEST_P(ConcurrentExplorations, are_linearizable_and_meet_nothing_that_was_given_back) {
    RecordProperty("long", "explores all interleavings within the bound");
    Exploration const& wanted = GetParam();
    if (wanted.is_long && !tests_are_long()) GTEST_SKIP() << "long: with MXK_LONG_TESTS";
    std::size_t runs = 0;
    for (Scenario scenario : scenarios(wanted.resize, wanted.stage, wanted.operations)) {
        for (scenario.resizer = 0; scenario.resizer < 2; ++scenario.resizer) {
            runs += explore(scenario, wanted.steps);
            if (HasFailure()) return;
        }
    }
    RecordProperty("runs", static_cast<int>(runs));
    EXPECT_GT(runs, 20U) << "there is nothing to explore";
}

std::string exploration_name(testing::TestParamInfo<Exploration> const& info) {
    Exploration const& it = info.param;
    return std::string(it.resize == Resize::Split ? "split" : "join") +
           (it.stage == Stage::Begins ? "_begins_" : "_ends_") + std::to_string(it.operations) +
           (it.steps == Interleavings::Steps::Accesses ? "_accesses" : "_changes");
}

std::vector<Exploration> explorations() {
    using enum Interleavings::Steps;
    std::vector<Exploration> all;
    for (Resize const resize : {Resize::Split, Resize::Join}) {
        for (Stage const stage : {Stage::Begins, Stage::Ends}) {
            all.push_back({resize, stage, 1});
            all.push_back({resize, stage, 2, Changes});
            all.push_back({resize, stage, 2, Accesses, true});
            all.push_back({resize, stage, 3, Changes, true});
        }
    }
    return all;
}
INSTANTIATE_TEST_SUITE_P(all, ConcurrentExplorations, testing::ValuesIn(explorations()), exploration_name);

// Equal keys, of which the first is removed, more come, and one is there all the time.
TEST_F(ConcurrentInterleavings, equal_keys_and_walks) {
    using enum NodeCall;
    std::size_t runs = 0;
    for (Resize const resize : {Resize::Split, Resize::Join}) {
        for (Stage const stage : {Stage::Begins, Stage::Ends}) {
            for (std::uint64_t const key : {lower_1, upper_1}) {
                for (auto const& calls :
                     {std::array{Insert, Remove}, std::array{Insert, Insert}, std::array{Remove, Remove},
                      std::array{Count, Insert}, std::array{Count, Remove}, std::array{Iterate, Insert},
                      std::array{Iterate, Remove}, std::array{RemoveAll, Insert}, std::array{RemoveAll, Remove},
                      std::array{RemoveAll, RemoveAll}}) {
                    Scenario scenario{resize, stage, {key, key}, {}, {}, 0, calls};
                    for (scenario.resizer = 0; scenario.resizer < 2; ++scenario.resizer) {
                        runs += explore(scenario, tests_are_long() ? Interleavings::Steps::Accesses
                                                                   : Interleavings::Steps::Changes);
                        ASSERT_FALSE(HasFailure());
                    }
                }
            }
        }
    }
    RecordProperty("runs", static_cast<int>(runs));
    EXPECT_GT(runs, 100U) << "there is nothing to explore";
}

// That all this would find what is wrong.
bool any_fault(Resize resize, Stage stage, bool (*finds)(Scenario const&), std::size_t operations) {
    auto const all = scenarios(resize, stage, operations);
    for (Scenario scenario : std::views::reverse(all)) // those that show it come last
        for (scenario.resizer = 0; scenario.resizer < 2; ++scenario.resizer)
            if (finds(scenario)) return true;
    return false;
}
TEST_F(ConcurrentInterleavings, without_the_mark_of_the_upper_half_something_is_wrong) {
    EXPECT_TRUE(any_fault(Resize::Split, Stage::Begins, &finds_a_fault<Marks::NoneInUpperHalf>, 1));
}
TEST_F(ConcurrentInterleavings, without_the_grace_period_something_is_wrong) {
    EXPECT_TRUE(any_fault(Resize::Split, Stage::Hurries, &finds_a_fault<Marks::All>, 1));
}

} // namespace
} // namespace mxk::test
