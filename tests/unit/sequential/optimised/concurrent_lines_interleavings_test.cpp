// The shared table of lines in all interleavings of small cases: a reader with one or two look-ups, and a writer with
// up to three operations, or a resize. Steps are the injection points. Writers of one bucket keep each other out by its
// lock, so there is one. Each history must be linearizable.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "hashtable/shared/concurrent_lines.hpp"
#include "tests/delays.hpp"
#include "tests/unit/interleavings.hpp"
#include "tests/unit/linearizable.hpp"
#include "tests/unit/long_tests.hpp"
#include "tests/unit/memory_fixture.hpp"
#include "tests/unit/model_grace.hpp"

namespace mxk::test {
namespace {

struct KeyIsHash {
    std::uint64_t operator()(std::uint64_t key) const { return key; }
};
using ExploredLines = ConcurrentLines<KeyIsHash, GraceModel::Handle>;

// What the writer does: an operation on a key, or a whole resize.
struct WriterCall {
    enum class Kind : std::uint8_t { Operation, Grow, Shrink };
    Kind kind = Kind::Operation;
    Operation operation{};
    std::uint64_t key = 0;
};
constexpr WriterCall grow{.kind = WriterCall::Kind::Grow};
constexpr WriterCall shrink{.kind = WriterCall::Kind::Shrink};
constexpr WriterCall call(Operation operation, std::uint64_t key) {
    return {.operation = operation, .key = key};
}

struct LinesScenario {
    std::uint64_t others; // keys in front, of the same bucket
    std::vector<std::uint64_t> content;
    std::vector<std::uint64_t> looked_for;
    std::vector<WriterCall> calls;
    bool is_long = false; // minutes
};

class LinesInterleavings : public MemoryTest {
  protected:
    void SetUp() override {
        if (!inject::enabled) GTEST_SKIP() << "this build has no injection points";
        configure({64 * MiB});
    }

    std::size_t explore(LinesScenario const& scenario) {
        Interleavings all;
        while (all.next_run()) {
            GraceModel grace;
            grace.keep_callbacks(); // the writer may be in the middle of the allocator
            Run run(scenario, grace);
            run.go(all);
            run.check();
            if (HasFailure()) {
                ADD_FAILURE() << "in run " << all.runs();
                break;
            }
        }
        return all.runs();
    }

  private:
    class Run {
      public:
        Run(LinesScenario const& scenario, GraceModel& grace)
            : scenario_(scenario)
            , grace_(grace)
            , table_(make(grace)) {
            GraceModel::Section const section(grace_, 0);
            for (std::uint64_t key = 100; key < 100 + scenario.others; ++key) table_.insert(key, key);
            for (WriterCall const& each : scenario.calls) // so that it can
                if (each.kind == WriterCall::Kind::Shrink && table_.bucket_count() == 4) table_.reserve(10);
            for (std::uint64_t const key : scenario.content)
                note({Operation::Insert, key, next_value_}, 0, 1, table_.insert(key, next_value_) == Insert::Inserted);
        }

        void go(Interleavings& all) {
            InjectDelays const inject(+[] { Interleavings::before_change(nullptr); });
            all.run({[this] { write(); }, [this] { read(); }});
        }

        void check() {
            GraceModel::Section const section(grace_, 0);
            while (table_.work()) {
            }
            table_.check();
            std::uint64_t const late = ~std::uint64_t{0} - 10;
            for (std::uint64_t key = 1; key < 5; ++key) {
                auto const found = table_.find(key);
                note({Operation::Find, key, found.value_or(0)}, late, late + 1, found.has_value());
            }
            for (std::uint64_t key = 100; key < 100 + scenario_.others; ++key) EXPECT_EQ(table_.find(key), key);
            auto const why = why_not_linearizable(history_);
            EXPECT_FALSE(why) << *why;
        }

      private:
        static ExploredLines make(GraceModel& grace) {
            Owner const owner{core_id(0), node_id(0)};
            return ExploredLines::create({.keys = 1}, {&owner, 1}, KeyIsHash(), grace.handle()).value();
        }
        void note(Event event, std::uint64_t invoked, std::uint64_t responded, bool is_yes) {
            if (event.operation == Operation::Insert) ++next_value_;
            event.result = is_yes ? TableResult::Yes : TableResult::No;
            event.invoked = invoked;
            event.responded = responded;
            history_.push_back(event);
        }

        // One operation in a section of its own: carry_out(event) says whether its result was yes.
        template <typename CarryOut> void operate(std::size_t actor, Event event, CarryOut carry_out) {
            Interleavings::begin_operation();
            std::uint64_t const begun = Interleavings::now();
            bool is_yes = false;
            {
                GraceModel::Section const section(grace_, actor);
                is_yes = carry_out(event);
            }
            Interleavings::end_operation();
            event.core = core_id(actor);
            note(event, 10 + 2 * begun, 10 + 2 * Interleavings::now() - 1, is_yes);
        }
        void read() {
            for (std::uint64_t const key : scenario_.looked_for) {
                operate(1, {.operation = Operation::Find, .key = key}, [&](Event& event) {
                    auto const found = table_.find(key);
                    event.value = found.value_or(0);
                    return found.has_value();
                });
            }
        }
        void write() {
            for (WriterCall const& each : scenario_.calls) {
                if (each.kind != WriterCall::Kind::Operation) {
                    GraceModel::Section const section(grace_, 0);
                    EXPECT_TRUE(each.kind == WriterCall::Kind::Grow ? table_.begin_growing()
                                                                    : table_.begin_shrinking());
                    while (table_.work()) {
                    }
                    continue;
                }
                std::uint64_t const value = 1000 + written_++;
                operate(0, {.operation = each.operation, .key = each.key, .value = value}, [&](Event& event) {
                    // So that erased places are used again as soon as they may be.
                    grace_.handle().want(grace_.handle().after_readers());
                    switch (event.operation) {
                    case Operation::Insert: return table_.insert(event.key, value) == Insert::Inserted;
                    case Operation::Upsert: return table_.upsert(event.key, value) == Insert::Inserted;
                    case Operation::Update: return table_.update(event.key, value);
                    default: return table_.erase(event.key);
                    }
                });
            }
        }

        LinesScenario const& scenario_;
        GraceModel& grace_;
        ExploredLines table_;
        std::uint64_t next_value_ = 1;
        std::uint64_t written_ = 0;
        std::vector<Event> history_;
    };
};

TEST_F(LinesInterleavings, are_linearizable) {
    RecordProperty("long", "explores all interleavings within the bound");
    using enum Operation;
    std::size_t runs = 0;
    for (std::uint64_t const others : {0U, 3U}) { // the key is in the first line, or behind it
        std::vector<LinesScenario> const scenarios{
            {others, {1}, {1}, {call(Erase, 1), call(Insert, 2), call(Insert, 1)}},
            {others, {1}, {1}, {call(Erase, 1), call(Insert, 1), call(Update, 1)}},
            {others, {1, 2}, {2}, {call(Erase, 1), call(Upsert, 3), call(Erase, 3)}},
            {others, {}, {1}, {call(Upsert, 1), call(Update, 1), call(Erase, 1)}},
            {others, {1}, {1}, {call(Update, 1), grow, call(Update, 1)}},
            {others, {1}, {1}, {grow, call(Erase, 1), call(Insert, 2)}},
            {others, {1}, {1}, {shrink, call(Update, 1)}},
            {others, {1}, {1}, {call(Erase, 1), shrink, call(Insert, 1)}},
            {others, {1}, {1}, {grow}},
            {others, {1}, {1}, {shrink}},
            {others, {1}, {1, 1}, {grow}, true},
            {others, {1}, {1, 1}, {shrink}, true},
            {others, {1}, {1, 1}, {call(Erase, 1)}},
            {others, {}, {1, 1}, {call(Upsert, 1)}},
            {others, {1}, {1, 1}, {call(Update, 1)}},
        };
        for (LinesScenario const& scenario : scenarios) {
            if (scenario.is_long && !tests_are_long()) continue;
            runs += explore(scenario);
            ASSERT_FALSE(HasFailure()) << others << " others, scenario " << &scenario - scenarios.data();
        }
    }
    EXPECT_GT(runs, 1000U);
    RecordProperty("runs", static_cast<int>(runs));
}

} // namespace
} // namespace mxk::test
