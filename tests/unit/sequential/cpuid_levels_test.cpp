// Levels of cores from made-up answers of CPUID.
#include <gtest/gtest.h>

#include <map>
#include <utility>

#include "arch/x86_64/cpu/cpuid_levels.hpp"
#include "base/units.hpp"

namespace mxk::arch {
namespace {

using Answers = std::map<std::pair<std::uint32_t, std::uint32_t>, CpuidResult>;
Answers const* current = nullptr;

CoreLevels levels_from(Answers const& answers) {
    current = &answers;
    return read_levels([](std::uint32_t leaf, std::uint32_t subleaf) {
        auto const found = current->find({leaf, subleaf});
        return found != current->end() ? found->second : CpuidResult{};
    });
}

// Leaf 4 and 8000'001Dh: 1: data, 2: instructions, 3: both; 64-byte lines.
CpuidResult cache(std::uint32_t kind, std::uint32_t level, std::uint32_t sharing, std::uint32_t ways,
                  std::uint32_t sets) {
    return {kind | level << 5 | (sharing - 1) << 14, 63 | (ways - 1) << 22, sets - 1, 0};
}

// Leaf 0Bh and 1Fh.
CpuidResult level(std::uint32_t kind, std::uint32_t shift, std::uint32_t apic_id) {
    return {shift, 2, kind << 8, apic_id};
}

// A hybrid processor: cores with two threads and an L2 of their own, and cores without siblings that share one by four.
Answers hybrid(std::uint32_t apic_id, bool large_core) {
    std::uint32_t const threads_shift = 1;
    return {{{0, 0}, {0x1f, 0, 0, 0}},
            {{0x8000'0000, 0}, {0x8000'0008, 0, 0, 0}},
            {{0x1f, 0}, level(1, threads_shift, apic_id)},
            {{0x1f, 1}, level(2, 7, apic_id)},
            {{4, 0}, cache(1, 1, 2, 12, 64)}, // 48 KiB
            {{4, 1}, cache(2, 1, 2, 8, 64)},  // of instructions: not shown
            {{4, 2}, large_core ? cache(3, 2, 2, 10, 2048) : cache(3, 2, 8, 16, 2048)},
            {{4, 3}, cache(3, 3, 128, 12, 32768)}};
}

TEST(CpuidLevels, hybrid_processors_answer_differently_on_each_core) {
    CoreLevels const large = levels_from(hybrid(0x11, true));
    CoreLevels const sibling = levels_from(hybrid(0x10, true));
    EXPECT_EQ(large.physical_core, 0x10U);
    EXPECT_EQ(large, sibling);
    EXPECT_EQ(large.package, 0U);
    EXPECT_EQ(large.caches[0], (CacheDomain{0x10, 48 * KiB}));
    EXPECT_EQ(large.caches[1], (CacheDomain{0x10, 1280 * KiB}));
    EXPECT_EQ(large.caches[2], (CacheDomain{0, 24 * MiB}));
    EXPECT_EQ(large.caches[3], CacheDomain{});

    CoreLevels const small = levels_from(hybrid(0x4a, false));
    CoreLevels const same_cluster = levels_from(hybrid(0x4e, false));
    CoreLevels const other_cluster = levels_from(hybrid(0x50, false));
    EXPECT_EQ(small.physical_core, 0x4aU);
    EXPECT_EQ(small.caches[1], (CacheDomain{0x48, 2 * MiB}));
    EXPECT_EQ(same_cluster.caches[1], small.caches[1]);
    EXPECT_NE(other_cluster.caches[1], small.caches[1]);
    EXPECT_EQ(small.package, large.package);
}

// Two packages, an x2APIC id above 255: only leaf 0Bh has it whole.
TEST(CpuidLevels, sparse_apic_ids_of_several_packages) {
    Answers const answers{{{0, 0}, {0xb, 0, 0, 0}},
                          {{1, 0}, {0, 0x40 << 24, 0, 1 << 28}},
                          {{0xb, 0}, level(1, 1, 0x1'2345)},
                          {{0xb, 1}, level(2, 6, 0x1'2345)}};
    CoreLevels const levels = levels_from(answers);
    EXPECT_EQ(levels.physical_core, 0x1'2344U);
    EXPECT_EQ(levels.package, 0x1'2340U);
    EXPECT_EQ(levels.caches[0], CacheDomain{});
}

TEST(CpuidLevels, amd_has_its_own_leaf_for_caches_and_says_how_many_threads_a_core_has) {
    Answers const answers{{{0, 0}, {0xd, 0, 0, 0}},
                          {{1, 0}, {0, 0x1b << 24 | 32 << 16, 0, 1 << 28}},
                          {{0x8000'0000, 0}, {0x8000'001f, 0, 0, 0}},
                          {{0x8000'0001, 0}, {0, 0, 1 << 22, 0}},
                          {{0x8000'0008, 0}, {0, 0, 5 << 12 | 31, 0}},
                          {{0x8000'001e, 0}, {0, 1 << 8, 0, 0}},
                          {{4, 0}, cache(1, 1, 64, 1, 1)}, // reserved there: must not be asked
                          {{0x8000'001d, 0}, cache(1, 1, 2, 8, 64)},
                          {{0x8000'001d, 1}, cache(2, 1, 2, 8, 64)},
                          {{0x8000'001d, 2}, cache(3, 2, 2, 8, 1024)},
                          {{0x8000'001d, 3}, cache(3, 3, 16, 16, 32768)}};
    CoreLevels const levels = levels_from(answers);
    EXPECT_EQ(levels.physical_core, 0x1aU);
    EXPECT_EQ(levels.package, 0U);
    EXPECT_EQ(levels.caches[0], (CacheDomain{0x1a, 32 * KiB}));
    EXPECT_EQ(levels.caches[1], (CacheDomain{0x1a, 512 * KiB}));
    EXPECT_EQ(levels.caches[2], (CacheDomain{0x10, 32 * MiB}));
}

// Six cores leave gaps: ids are numbered as if there were eight.
TEST(CpuidLevels, old_intel_processors_tell_by_leaf_4) {
    Answers const answers{{{0, 0}, {0xa, 0, 0, 0}},
                          {{1, 0}, {0, 0x25 << 24 | 16 << 16, 0, 1 << 28}},
                          {{0x8000'0000, 0}, {0x8000'0008, 0, 0, 0}},
                          {{4, 0}, {1 | 1 << 5 | 1 << 14 | 7U << 26, 63 | 7 << 22, 63, 0}}};
    CoreLevels const levels = levels_from(answers);
    EXPECT_EQ(levels.physical_core, 0x24U);
    EXPECT_EQ(levels.package, 0x20U);
    EXPECT_EQ(levels.caches[0], (CacheDomain{0x24, 32 * KiB}));
}

TEST(CpuidLevels, a_processor_that_says_nothing_is_a_package_of_its_own) {
    EXPECT_EQ(levels_from({}), CoreLevels{});
    CoreLevels const single = levels_from({{{0, 0}, {1, 0, 0, 0}}, {{1, 0}, {0, 3 << 24, 0, 0}}});
    EXPECT_EQ(single.physical_core, 3U);
    EXPECT_EQ(single.package, 3U);
}

// Lists that never end, and every bit set.
TEST(CpuidLevels, nonsense_ends) {
    CoreLevels const levels = read_levels([](std::uint32_t, std::uint32_t) {
        return CpuidResult{0xffff'ffff, 0xffff'ffff, 0xffff'ffff, 0xffff'ffff};
    });
    EXPECT_EQ(levels.package, 0x8000'0000U); // 31 bits, as many as the field can say
}

} // namespace
} // namespace mxk::arch
