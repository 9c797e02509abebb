// Cluster masks against a plain bitmap, on machines of 1 to 4096 processors and at the largest numbers.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "bench/workload/random.hpp"
#include "kernel/topology/cluster_mask.hpp"
#include "kernel/topology/processor_numbers.hpp"
#include "tests/unit/memory_fixture.hpp"

namespace mxk {
namespace {

// The set as it should be, and what the mask may say besides: all processors of clusters that have one.
class Bitmap {
  public:
    explicit Bitmap(std::size_t processors)
        : has_(processors) {}
    void add(std::size_t processor) { has_[processor] = true; }
    void add(Bitmap const& other) {
        for (std::size_t i = 0; i < has_.size(); ++i) has_[i] = has_[i] || other.has_[i];
    }
    // Clusters from the first to the last that have a member, at this size.
    [[nodiscard]] std::size_t span(std::size_t cluster_size) const {
        auto const first = std::find(has_.begin(), has_.end(), true);
        if (first == has_.end()) return 0;
        auto const behind = std::find(has_.rbegin(), has_.rend(), true).base();
        auto const from = static_cast<std::size_t>(first - has_.begin());
        auto const last = static_cast<std::size_t>(behind - has_.begin()) - 1;
        return last / cluster_size - from / cluster_size + 1;
    }
    // What a mask with such clusters says.
    [[nodiscard]] std::vector<std::size_t> members(std::size_t cluster_size) const {
        std::vector<std::size_t> result;
        for (std::size_t i = 0; i < has_.size(); ++i) {
            auto const from = has_.begin() + static_cast<std::ptrdiff_t>(i / cluster_size * cluster_size);
            auto const bytes = std::min<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(cluster_size), has_.end() - from);
            if (std::find(from, from + bytes, true) != from + bytes) result.push_back(i);
        }
        return result;
    }

  private:
    std::vector<bool> has_;
};

std::vector<std::size_t> members_of(ClusterMask mask, std::size_t processors) {
    std::vector<std::size_t> result;
    mask.for_each(processors, [&](std::size_t processor) { result.push_back(processor); });
    return result;
}

// `coarsest`: of the masks that it was made of.
void expect_same(ClusterMask mask, Bitmap const& bitmap, std::size_t processors, std::size_t coarsest) {
    std::vector<std::size_t> const members = bitmap.members(mask.cluster_size());
    ASSERT_EQ(members_of(mask, processors), members);
    for (std::size_t i = 0; i < processors; i += 1 + processors / 61) {
        ASSERT_EQ(mask.contains(i), std::binary_search(members.begin(), members.end(), i)) << i;
    }
    // As fine as can be.
    ASSERT_LE(bitmap.span(mask.cluster_size()), ClusterMask::clusters);
    if (mask.cluster_size() > coarsest) {
        ASSERT_GT(bitmap.span(mask.cluster_size() / 2), ClusterMask::clusters);
    }
}

TEST(ClusterMask, is_a_bitmap_of_clusters_as_processors_are_added) {
    for (std::size_t const processors : {1U, 2U, 3U, 31U, 32U, 33U, 64U, 100U, 256U, 1000U, 4096U}) {
        for (std::uint64_t seed = 1; seed <= 5; ++seed) {
            bench::Random random(seed);
            ClusterMask mask;
            Bitmap bitmap(processors);
            EXPECT_TRUE(mask.empty());
            EXPECT_EQ(mask.word(), 0U);
            std::size_t const near = random.below(processors);
            for (int step = 0; step < 40; ++step) {
                // Near each other at first.
                std::size_t const wide = std::min<std::size_t>(processors, std::size_t{1} << step / 3);
                std::size_t const processor = std::min(near + random.below(wide), processors - 1);
                std::size_t const before = mask.cluster_size();
                mask.add(processor);
                bitmap.add(processor);
                ASSERT_NO_FATAL_FAILURE(expect_same(mask, bitmap, processors, before));
                EXPECT_EQ(ClusterMask::from_word(mask.word()), mask);
            }
        }
    }
}

TEST(ClusterMask, united_is_as_coarse_as_it_must_be) {
    for (std::size_t const processors : {1U, 40U, 128U, 1024U, 4096U}) {
        for (std::uint64_t seed = 1; seed <= 100; ++seed) {
            bench::Random random(seed);
            std::vector<ClusterMask> masks(2);
            std::vector<Bitmap> bitmaps(2, Bitmap(processors));
            for (std::size_t which = 0; which < 2; ++which) {
                for (std::uint64_t left = random.below(6); left > 0; --left) {
                    std::size_t const processor = random.below(1 + random.below(processors));
                    masks[which].add(processor);
                    bitmaps[which].add(processor);
                }
            }
            ClusterMask const both = masks[0] | masks[1];
            EXPECT_EQ(both, masks[1] | masks[0]);
            EXPECT_TRUE(both.includes(masks[0]) && both.includes(masks[1]));
            bitmaps[0].add(bitmaps[1]);
            // Of what was coarse before, both have all.
            std::size_t const coarsest = std::max(masks[0].cluster_size(), masks[1].cluster_size());
            std::vector<std::size_t> const members = members_of(both, processors);
            std::vector<std::size_t> const expected = bitmaps[0].members(both.cluster_size());
            EXPECT_EQ(members, expected);
            ASSERT_LE(both.cluster_size() / 2, std::max(coarsest, processors / ClusterMask::clusters));
        }
    }
}

TEST(ClusterMask, holds_the_largest_machine) {
    ClusterMask all;
    all.add(0);
    all.add(ClusterMask::max_processors - 1);
    EXPECT_EQ(all.cluster_size(), ClusterMask::max_processors / ClusterMask::clusters);
    EXPECT_TRUE(all.contains(ClusterMask::max_processors - 2));
    EXPECT_FALSE(all.contains(ClusterMask::max_processors / 2));
    ClusterMask high;
    for (std::size_t i = 1; i <= ClusterMask::clusters; ++i) high.add(ClusterMask::max_processors - i);
    EXPECT_EQ(high.cluster_size(), 1U); // neighbours stay themselves, wherever they are
    EXPECT_FALSE(high.contains(ClusterMask::max_processors - 1 - ClusterMask::clusters));
    EXPECT_FALSE(ClusterMask().contains(0));
    EXPECT_TRUE(all.includes(ClusterMask()));
    EXPECT_FALSE(ClusterMask().includes(high));
}

// Two nodes of two physical cores with two threads each, whose ids are those that running cores get: first threads,
// then second ones.
struct ProcessorNumbersTest : test::MemoryTest {
    void SetUp() override { configure({64 * MiB}); }
};

TEST_F(ProcessorNumbersTest, are_near_each_other_where_cores_are) {
    std::vector<topology::Core> cores;
    for (std::uint32_t id = 0; id < 8; ++id) {
        std::uint32_t const physical = id % 4;
        topology::Core core{core_id(id), ApicId{id}, node_id(physical / 2), 0};
        core.levels = {.physical_core = physical, .package = physical / 2};
        cores.push_back(core);
    }
    topology::Topology machine;
    machine.cores = cores;
    auto const numbers = topology::ProcessorNumbers::create(machine, node_id(0));
    ASSERT_TRUE(numbers.ok());
    std::vector<std::size_t> ids;
    for (std::size_t number = 0; number < 8; ++number) {
        CoreId const core = numbers.value().core(number);
        ids.push_back(index(core));
        EXPECT_EQ(numbers.value().number(core), number);
    }
    EXPECT_EQ(ids, (std::vector<std::size_t>{0, 4, 1, 5, 2, 6, 3, 7}));
}

} // namespace
} // namespace mxk
