#include "bench/trace/trace_replay.hpp"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bench/workload/random.hpp"
#include "hashtable/fraction.hpp"
#include "tests/unit/memory_fixture.hpp"

namespace mxk::bench {
namespace {

class TraceReplayTest : public test::MemoryTest {
  protected:
    void SetUp() override { configure({64 * MiB}, {10}); }

    // Of a trace in its text form, without the first line.
    static TraceReplay replay(std::string const& lines) {
        text_ = "mxk-trace 1\n" + lines;
        auto const trace = Trace::check({reinterpret_cast<std::byte const*>(text_.data()), text_.size()});
        EXPECT_TRUE(trace.ok()) << trace.error().message();
        return TraceReplay::run(trace.value(), node_id(0)).value();
    }

  private:
    static inline std::string text_;
};

// What each operation on one key comes to: whether it does something, and the version that it sees or writes.
TEST_F(TraceReplayTest, results_and_versions) {
    TraceReplay const got = replay("find 7\nerase 7\nupdate 7 1\nmodify 7 1\n"       // not there
                                   "insert 7 70\ninsert 7 71\nfind 7\nupdate 7 72\n" // 0, then 1
                                   "modify 7 73\nfind 7\nupsert 7 74\nerase 7\n"     // 2, then 3
                                   "upsert 7 75\nfind 7\nerase 7\ninsert 7 76\nfind 7\n");
    struct Expected {
        bool does_something;
        std::optional<std::uint32_t> version; // none: it has no meaning
    };
    std::vector<Expected> const expected = {{false, {}}, {false, {}}, {false, {}}, {false, {}}, //
                                            {true, 0},   {false, {}}, {true, 0},   {true, 1},   //
                                            {true, 1},   {true, 2},   {false, 3},  {true, {}},  //
                                            {true, 0},   {true, 0},   {true, {}},  {true, 0},   {true, 0}};
    auto const instructions = got.instructions();
    ASSERT_EQ(instructions.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_EQ(instructions[i].expected, expected[i].does_something) << i;
        if (expected[i].version) {
            EXPECT_EQ(instructions[i].version, *expected[i].version) << i;
        }
    }
    ASSERT_EQ(got.keys().size(), 1U);
    EXPECT_TRUE(got.state(0).is_live);
    EXPECT_EQ(got.state(0).value, 76U);
    EXPECT_EQ(got.state(0).version, 0U);
}

// Against a std::map that holds values, and knows no versions.
TEST_F(TraceReplayTest, sums_are_those_of_a_map) {
    Random random(5);
    std::map<std::uint64_t, std::uint64_t> model;
    TraceResults expected;
    std::string lines;
    for (int i = 0; i < 5000; ++i) {
        auto const kind = random.below(6);
        std::uint64_t const key = 1 + random.below(200);
        std::uint64_t const value = random.next();
        auto const found = model.find(key);
        bool const is_there = found != model.end();
        auto const& operation = trace_format::operations[kind];
        lines += std::string(operation.name) + " " + std::to_string(key);
        lines += operation.writes_value ? " " + std::to_string(value) + "\n" : "\n";
        if ((kind == 1 || kind == 5) && is_there) expected.seen += found->second;
        if (kind == 4 || (kind == 0 && !is_there) || ((kind == 3 || kind == 5) && is_there)) model[key] = value;
        if (kind == 2 && is_there) model.erase(found);
        if ((kind == 0 || kind == 4) != is_there) ++expected.done[kind];
    }
    for (auto const& [key, value] : model) expected.content += key ^ value * golden_ratio;
    TraceReplay const got = replay(lines);
    EXPECT_EQ(got.results().operations, 5000U);
    EXPECT_EQ(got.results().done, expected.done);
    EXPECT_EQ(got.results().seen, expected.seen);
    EXPECT_EQ(got.results().keys, model.size());
    EXPECT_EQ(got.results().content, expected.content);
    for (std::size_t number = 0; number < got.keys().size(); ++number)
        EXPECT_EQ(got.state(number).is_live, model.contains(got.keys()[number]));
}

} // namespace
} // namespace mxk::bench
