// What the benchmarks of the machine compute: sizes, levels, distances, matrices, and whether bytes have arrived.
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "bench/machine/byte_text.hpp"
#include "bench/machine/matrix.hpp"
#include "bench/machine/word_stream.hpp"
#include "bench/machine/working_sets.hpp"

namespace mxk::bench::test {
namespace {

std::vector<std::size_t> sets_up_to(std::size_t largest) {
    auto const sets = WorkingSets::up_to(largest);
    return {sets.bytes().begin(), sets.bytes().end()};
}

TEST(WorkingSets, are_powers_of_two_and_three_quarters_between) {
    using Sets = std::vector<std::size_t>;
    EXPECT_EQ(sets_up_to(4 * KiB), Sets{4 * KiB});
    EXPECT_EQ(sets_up_to(6 * KiB), (Sets{4 * KiB, 6 * KiB}));
    EXPECT_EQ(sets_up_to(8 * KiB), (Sets{4 * KiB, 6 * KiB, 8 * KiB}));
    EXPECT_EQ(sets_up_to(17 * KiB), (Sets{4 * KiB, 6 * KiB, 8 * KiB, 12 * KiB, 16 * KiB}));
    EXPECT_EQ(sets_up_to(GiB).size(), 37U);
    EXPECT_EQ(sets_up_to(GiB).back(), GiB);
    EXPECT_EQ(sets_up_to(std::size_t{1} << 42).back(), std::size_t{1} << 42);
}

TEST(WorkingSets, fit_into_a_level) {
    CoreLevels levels;
    EXPECT_EQ(level_of(levels, 4 * KiB), "") << "nothing is known";
    EXPECT_EQ(last_cache(levels).bytes, 0U);
    levels.caches[0] = {0, 32 * KiB};
    levels.caches[1] = {0, 512 * KiB};
    levels.caches[2] = {7, 16 * MiB};
    EXPECT_EQ(level_of(levels, 32 * KiB), "L1");
    EXPECT_EQ(level_of(levels, 48 * KiB), "L2");
    EXPECT_EQ(level_of(levels, 16 * MiB), "L3");
    EXPECT_EQ(level_of(levels, 24 * MiB), "memory");
    EXPECT_EQ(last_cache(levels), (CacheDomain{7, 16 * MiB}));
}

TEST(ByteText, has_the_largest_unit) {
    EXPECT_EQ(byte_text(64).view(), "64 bytes");
    EXPECT_EQ(byte_text(6 * KiB).view(), "6 KiB");
    EXPECT_EQ(byte_text(1536 * KiB).view(), "1.5 MiB");
    EXPECT_EQ(byte_text(768 * MiB).view(), "768 MiB");
    EXPECT_EQ(byte_text(3 * GiB).view(), "3 GiB");
}

TEST(SlitCheck, finds_the_largest_contradiction) {
    using Slit = std::array<std::uint8_t, 3>;
    using Measured = std::array<double, 3>;
    auto const find = [](Slit const& slit, Measured const& measured) {
        std::array<Range, 3> ranges{};
        for (std::size_t i = 0; i < ranges.size(); ++i) ranges[i] = {measured[i], measured[i]};
        return find_slit_contradiction(slit, ranges);
    };
    EXPECT_EQ(find({10, 21, 31}, {80, 120, 200}), std::nullopt);
    EXPECT_EQ(find({10, 21, 31}, {80, 120, 101}), std::nullopt) << "within 20 %";
    EXPECT_EQ(find({10, 21, 31}, {80, 122, 101}), (SlitContradiction{1, 2}));
    EXPECT_EQ(find({10, 21, 31}, {300, 122, 101}), (SlitContradiction{0, 2}));
    EXPECT_EQ(find({10, 20, 20}, {80, 300, 100}), std::nullopt) << "equal distances are in no order";
    EXPECT_EQ(find({10, 21, 31}, {80, 300, 0}), std::nullopt) << "not measured";
    EXPECT_EQ(find({10, 21, 31}, {0, 300, 400}), std::nullopt) << "not measured";
    constexpr std::array disturbed{Range{80, 90}, Range{115, 300}, Range{99, 101}};
    EXPECT_EQ(find_slit_contradiction(Slit{10, 21, 31}, disturbed), std::nullopt) << "in one run only";
    constexpr std::array sure{Range{80, 90}, Range{125, 300}, Range{99, 101}};
    EXPECT_EQ(find_slit_contradiction(Slit{10, 21, 31}, sure), (SlitContradiction{1, 2}));
}

TEST(Matrix, has_rows_columns_and_cells) {
    constexpr std::array<unsigned, 2> rows{0, 2};
    constexpr std::array<unsigned, 3> columns{0, 1, 7};
    FixedText<400> out;
    print_matrix<unsigned>(out, "from\\to", rows, columns, [](std::size_t row, std::size_t column) {
        CellText text;
        format(text, "{}.{}", row, column);
        return text;
    });
    EXPECT_EQ(out.view(), "     from\\to        0        1        7\n"
                          "           0      0.0      0.1      0.2\n"
                          "           2      1.0      1.1      1.2\n");
}

TEST(Matrix, a_cell_says_what_became_of_its_row) {
    Row row;
    EXPECT_EQ(cell_of(row, 1).view(), "-") << "never run";
    row.value = {.n = 1, .median = 1500};
    EXPECT_EQ(cell_of(row, 1).view(), "NO");
    row.verified = true;
    EXPECT_EQ(cell_of(row, 1).view(), "1500.0");
    EXPECT_EQ(cell_of(row, 1e3).view(), "1.5");
    row.state = Row::State::Failed;
    EXPECT_EQ(cell_of(row, 1).view(), "failed");
    row.state = Row::State::Unsupported;
    EXPECT_EQ(cell_of(row, 1).view(), "-");
}

constexpr std::size_t count = 1024;
struct alignas(cache_line_bytes) Memory {
    std::array<std::uint64_t, count> words{};
};

class TransferTest : public testing::TestWithParam<Transfer> {};

TEST_P(TransferTest, moves_all_and_notices_a_wrong_word) {
    for (std::size_t const wrong : {std::size_t{0}, count / 2, count - 1, count}) {
        Memory source;
        Memory target;
        TransferPart part(GetParam(), source.words, target.words, 3);
        EXPECT_EQ(part.bytes_per_pass(), sizeof(Memory) * (GetParam() == Transfer::Copy ? 2 : 1));
        part.prepare();
        part.pass();
        part.pass();
        EXPECT_TRUE(part.verified());
        if (wrong == count) continue;
        ++(GetParam() == Transfer::Copy ? target : source).words[wrong];
        if (GetParam() == Transfer::Read) part.pass();
        EXPECT_FALSE(part.verified()) << "word " << wrong;
    }
}

TEST_P(TransferTest, does_not_take_what_an_earlier_run_left_for_its_own) {
    Memory source;
    Memory target;
    TransferPart earlier(GetParam(), source.words, target.words, 1);
    earlier.prepare();
    earlier.pass();
    TransferPart part(GetParam(), source.words, target.words, 2);
    part.prepare();
    EXPECT_EQ(part.verified(), GetParam() == Transfer::Read) << "nothing was moved yet";
}

INSTANTIATE_TEST_SUITE_P(All, TransferTest,
                         testing::Values(Transfer::Read, Transfer::Write, Transfer::Copy, Transfer::WriteStreaming),
                         [](auto const& parameter) {
                             std::string name(name_of(parameter.param));
                             std::replace(name.begin(), name.end(), '-', '_');
                             return name;
                         });

TEST(WordStream, a_memory_has_the_sum_of_its_words) {
    Memory memory;
    write_words(memory.words, 7);
    EXPECT_EQ(memory.words[0], 7U);
    EXPECT_EQ(memory.words[count - 1], 7 + count - 1);
    for (std::size_t const words : {std::size_t{0}, std::size_t{8}, count}) {
        Words const part = Words(memory.words).first(words);
        std::uint64_t sum = 0;
        for (std::uint64_t const word : part) sum += word;
        EXPECT_EQ(read_words(part), sum);
        EXPECT_EQ(sum_from(7, words), sum);
    }
    EXPECT_EQ(sum_from(5, 3), 5U + 6 + 7) << "an odd count";
}

TEST(WordStream, parts_are_whole_lines_and_all_of_it) {
    Memory memory;
    for (std::size_t const parts : {1U, 3U, 7U, 128U, 200U}) {
        std::uint64_t* next = memory.words.data();
        for (std::size_t part = 0; part < parts; ++part) {
            Words const words = part_of(memory.words, part, parts);
            EXPECT_EQ(words.data(), next);
            EXPECT_EQ(words.size_bytes() % cache_line_bytes, 0U);
            next += words.size();
        }
        EXPECT_EQ(next, memory.words.data() + count);
    }
}

TEST(MemoryLoad, reads_again_and_again_and_notices_a_wrong_word) {
    Memory memory;
    write_words(memory.words, 5);
    MemoryLoad load(memory.words, 5, 0.5, LineMix::Read);
    EXPECT_EQ(load.bytes_per_second(), 0);
    for (int i = 0; i < 10; ++i) load.do_piece();
    EXPECT_GT(load.bytes_per_second(), 0);
    EXPECT_TRUE(load.verified());
    ++memory.words[count - 1];
    load.do_piece();
    EXPECT_FALSE(load.verified());
}

} // namespace
} // namespace mxk::bench::test
