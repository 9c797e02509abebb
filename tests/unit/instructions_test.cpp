#include <gtest/gtest.h>

#include <string>
#include <unordered_map>
#include <unordered_set>

#include "bench/instructions.hpp"
#include "tests/unit/memory_fixture.hpp"

namespace mxk::bench {
namespace {

std::string parsed(std::string_view text) {
    Mix mix;
    auto const result = parse_value(text, mix);
    if (!result) return std::string(result.error().message());
    FixedText<64> out;
    print_value(out, mix);
    return std::string(out.view());
}

TEST(Mix, reads_and_prints) {
    EXPECT_EQ(parsed("insert"), "insert");
    EXPECT_EQ(parsed("find"), "find");
    EXPECT_EQ(parsed("erase"), "erase");
    EXPECT_EQ(parsed("mixed:50/40/10"), "mixed:50/40/10");
    EXPECT_EQ(parsed("mixed:100/0/0"), "mixed:100/0/0");
}

TEST(Mix, says_what_it_expects) {
    for (std::string const text : {"", "inserts", "mixed", "mixed:", "mixed:50/50", "mixed:50/40/20",
                                   "mixed:50/40/10/0", "mixed:-1/51/50", "mixed:a/b/c", "mixed:50/40/10 "})
        EXPECT_EQ(parsed(text),
                  "expected insert, find, erase or mixed:I/F/E with three percentages that add up to 100, "
                  "got '" +
                      text + "'");
}

TEST(KeySequence, keys_are_distinct_and_never_zero) {
    for (std::uint64_t const seed : {std::uint64_t{0}, std::uint64_t{1}, ~std::uint64_t{0}}) {
        KeySequence const keys(seed);
        std::unordered_set<std::uint64_t> seen;
        for (std::uint64_t i = 0; i < 100000; ++i) {
            EXPECT_NE(keys(i), 0U);
            EXPECT_TRUE(seen.insert(keys(i)).second);
        }
        EXPECT_NE(keys(KeySequence::most_keys - 1), 0U);
    }
}

class SliceTest : public test::MemoryTest {
  protected:
    Slice make(std::size_t size) {
        configure({64 * MiB}, {10});
        auto slice = Slice::create(size, 1000, node_id(0));
        EXPECT_TRUE(slice.ok());
        return std::move(slice).value();
    }
    static constexpr std::size_t count = 50000;
    KeySequence keys{3};
};

TEST_F(SliceTest, inserts_in_pieces) {
    Slice slice = make(count);
    for (std::size_t from = 0; from < count; from += 777) slice.fill_inserts(from, std::min(from + 777, count), keys);
    for (std::size_t i = 0; i < count; ++i) {
        EXPECT_EQ(slice.instructions()[i].key, keys(1000 + i));
        EXPECT_EQ(slice.node(i).key, keys(1000 + i));
        EXPECT_EQ(slice.instructions()[i].operation, Operation::Insert);
    }
}

TEST_F(SliceTest, turning_shuffles_and_keeps_every_key) {
    Slice slice = make(count);
    slice.fill_inserts(0, count, keys);
    Random random(1);
    for (std::size_t from = 0; from < count; from += 777)
        slice.turn_into(Operation::Erase, from, std::min(from + 777, count), random);
    std::unordered_set<std::uint64_t> seen;
    std::size_t at_its_old_place = 0;
    for (std::size_t i = 0; i < count; ++i) {
        Instruction const& instruction = slice.instructions()[i];
        EXPECT_TRUE(seen.insert(instruction.key).second);
        EXPECT_EQ(instruction.operation, Operation::Erase);
        EXPECT_EQ(instruction.at_end, AtEnd::Absent);
        at_its_old_place += instruction.key == keys(1000 + i) ? 1U : 0U;
    }
    EXPECT_LT(at_its_old_place, 20U);
}

// Replayed in order on a model, every result must be the expected one, and the end as it is said to be.
TEST_F(SliceTest, mixed_instructions_know_their_results) {
    Slice slice = make(count);
    Random random(5);
    Mix const mix{Mix::Kind::Mixed, 50, 30, 20};
    for (std::size_t from = 0; from < count; from += 777)
        slice.fill_mixed(from, std::min(from + 777, count), keys, mix, random);
    std::unordered_set<std::uint64_t> model;
    std::unordered_map<Operation, double> operations;
    for (Instruction const& instruction : slice.instructions()) {
        ++operations[instruction.operation];
        bool result = false;
        switch (instruction.operation) {
        case Operation::Insert: result = model.insert(instruction.key).second; break;
        case Operation::Find: result = model.contains(instruction.key); break;
        case Operation::Erase: result = model.erase(instruction.key) == 1; break;
        }
        EXPECT_EQ(result, instruction.expected);
    }
    for (Instruction const& instruction : slice.instructions()) {
        if (instruction.operation == Operation::Insert)
            EXPECT_EQ(model.contains(instruction.key), instruction.at_end == AtEnd::Present);
        else
            EXPECT_EQ(instruction.at_end, AtEnd::SaidElsewhere);
    }
    EXPECT_NEAR(operations[Operation::Find] / static_cast<double>(count), 0.3, 0.02);
    EXPECT_NEAR(operations[Operation::Erase] / static_cast<double>(count), 0.2, 0.02);
}

TEST_F(SliceTest, mixed_without_inserts_still_begins_with_one) {
    Slice slice = make(1000);
    Random random(5);
    slice.fill_mixed(0, 1000, keys, {Mix::Kind::Mixed, 0, 50, 50}, random);
    EXPECT_EQ(slice.instructions()[0].operation, Operation::Insert);
}

} // namespace
} // namespace mxk::bench
