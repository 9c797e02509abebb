// Which memory the caches may not write back, by made-up registers.
#include "arch/x86_64/cpu/mtrr.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "base/units.hpp"

namespace mxk::arch::mtrr {
namespace {

constexpr std::uint64_t on = 1 << 11;
constexpr std::uint64_t uncached = 0;
constexpr std::uint64_t write_through = 4;
constexpr std::uint64_t write_back = 6;
constexpr std::uint64_t address_mask = ((std::uint64_t{1} << 46) - 1) & ~std::uint64_t{0xfff};

VariableRange range_of(std::uint64_t start, std::uint64_t bytes, std::uint64_t type) {
    return {start | type, (address_mask & ~(bytes - 1)) | on};
}

std::uint64_t lost_of(std::uint64_t default_type, std::vector<VariableRange> const& ranges, std::uint64_t start,
                      std::uint64_t end, std::uint64_t write_back_end = 0) {
    Registers registers{.exist = true,
                        .default_type = default_type,
                        .address_mask = address_mask,
                        .write_back_end = write_back_end,
                        .count = ranges.size()};
    std::copy(ranges.begin(), ranges.end(), registers.ranges.begin());
    MemoryRange const memory[] = {{PhysicalAddress{start}, end - start}};
    return bytes_not_write_back(registers, memory);
}

TEST(Mtrr, write_back_but_for_a_hole_for_devices) { // what firmware of today sets, and QEMU's
    VariableRange const hole = range_of(3 * GiB, GiB, uncached);
    EXPECT_EQ(lost_of(on | write_back, {hole}, 0, 3 * GiB), 0U);
    EXPECT_EQ(lost_of(on | write_back, {hole}, 4 * GiB, 1024 * GiB), 0U);
    EXPECT_EQ(lost_of(on | write_back, {hole}, 2 * GiB, 8 * GiB), GiB);
    EXPECT_EQ(lost_of(on | write_back, {range_of(3 * GiB, MiB, write_through)}, 2 * GiB, 4 * GiB), MiB);
}

TEST(Mtrr, uncached_but_for_what_is_named) { // of older firmware, which has too few ranges for all RAM
    std::vector<VariableRange> const two{range_of(0, 4 * GiB, write_back), range_of(4 * GiB, 4 * GiB, write_back)};
    EXPECT_EQ(lost_of(on | uncached, two, MiB, 8 * GiB), 0U);
    EXPECT_EQ(lost_of(on | uncached, two, MiB, 9 * GiB), GiB);
    EXPECT_EQ(lost_of(on | uncached, {range_of(0, 4 * GiB, write_back), range_of(3 * GiB, MiB, uncached)}, 0, 4 * GiB),
              MiB)
        << "uncached wins";
    EXPECT_EQ(lost_of(on | uncached, {{write_back, 0}}, MiB, 2 * MiB), MiB) << "a range that is not valid";
}

TEST(Mtrr, amd_has_a_default_of_its_own_above_four_gib) {
    std::vector<VariableRange> const low{range_of(0, 4 * GiB, write_back)};
    EXPECT_EQ(lost_of(on | uncached, low, MiB, 64 * GiB, 64 * GiB), 0U);
    EXPECT_EQ(lost_of(on | uncached, low, MiB, 65 * GiB, 64 * GiB), GiB);
}

TEST(Mtrr, a_mask_with_gaps_is_many_ranges) { // every other MiB
    VariableRange const odd{MiB | uncached, MiB | on};
    EXPECT_EQ(lost_of(on | write_back, {odd}, 2 * MiB, 10 * MiB), 4 * MiB);
}

TEST(Mtrr, off_means_uncached_and_the_first_mib_is_not_counted) {
    EXPECT_EQ(lost_of(write_back, {}, 0, 2 * MiB), MiB);
    EXPECT_EQ(bytes_not_write_back({}, {}), 0U);
}

} // namespace
} // namespace mxk::arch::mtrr
