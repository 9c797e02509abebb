// What a walk does in each turn of its task. tests/kernel/chain_walk_test.cpp has walks of all cores at once.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "hashtable/partition/modulo_cut.hpp"
#include "hashtable/table/walk_task.hpp"
#include "main/library/runtime.hpp"

namespace mxk {
namespace {

using Region = Chained<RegionModulo>;

struct alignas(cache_line_bytes) NodeOfItsOwn {
    ChainNode node;
};

// Looks for a key of a one-owner table.
struct Finder : WalkTask<Finder, Region> {
    Finder(Region& region, std::vector<ChainNode*>& results)
        : WalkTask(nullptr)
        , region_(region)
        , found(results) {}
    Region& table(Worker&) { return region_; }
    template <Operation> void ended(Worker&, ChainNode* node) {
        EXPECT_FALSE(touches);
        found.push_back(node);
    }
    Region& region_;
    std::vector<ChainNode*>& found;
};

// The shell's part of the line leaves eight bytes.
struct OneLine : WalkTask<OneLine, Region> {
    Region& region;
};
static_assert(sizeof(OneLine) == cache_line_bytes);

TEST(WalkTask, each_turn_is_a_step) {
    auto runtime = Runtime::start({.cores = 1, .memory_bytes = 64 * MiB});
    ASSERT_TRUE(runtime.ok()) << runtime.error().message();
    runtime.value().run([](Worker& here) {
        std::vector<ChainNode*> buckets(1);
        Region region(buckets, RegionModulo{Modulo(1), 0});
        std::vector<NodeOfItsOwn> nodes{{{1, nullptr}}, {{2, nullptr}}, {{3, nullptr}}};
        for (NodeOfItsOwn& each : nodes) ASSERT_TRUE(region.insert(each.node));

        std::vector<ChainNode*> found;
        Finder finder(region, found);
        finder.seek(1);
        finder.go<Operation::Find>(here, here.core(), Annotation::writes(region.address(1)));
        OwnerCounter const& tasks_run = here.statistics().tasks_run;
        std::uint64_t seen = tasks_run.value();
        std::vector<void const*> next; // after each task but the last
        here.run_until([&] {
            if (found.empty() && tasks_run.value() != seen) next.push_back(finder.next_node());
            seen = tasks_run.value();
            return !found.empty();
        });
        EXPECT_EQ(next, (std::vector<void const*>{&nodes[2], &nodes[1], &nodes[0]}));
        EXPECT_EQ(found, std::vector<ChainNode*>{&nodes[0].node});
    });
}

// The second walk waits in no queue: only the first one's leaving makes it run.
TEST(WalkTask, leaving_a_bucket_appends_the_walk_that_waits_for_it) {
    auto runtime = Runtime::start({.cores = 1, .memory_bytes = 64 * MiB});
    ASSERT_TRUE(runtime.ok()) << runtime.error().message();
    runtime.value().run([](Worker& here) {
        std::vector<ChainNode*> buckets(1);
        Region region(buckets, RegionModulo{Modulo(1), 0});
        std::vector<NodeOfItsOwn> nodes{{{1, nullptr}}, {{2, nullptr}}, {{3, nullptr}}};
        for (NodeOfItsOwn& each : nodes) ASSERT_TRUE(region.insert(each.node));
        Annotation const bucket = Annotation::writes(region.address(1));

        std::vector<ChainNode*> found;
        Finder long_walk(region, found);
        long_walk.seek(1);
        long_walk.go<Operation::Find>(here, here.core(), bucket);
        Finder short_walk(region, found);
        short_walk.seek(3);
        short_walk.go<Operation::Find>(here, here.core(), bucket);
        std::uint64_t const before = here.statistics().tasks_run.value();
        here.run_until([&] { return found.size() == 2; });
        EXPECT_EQ(found, (std::vector<ChainNode*>{&nodes[0].node, &nodes[2].node}));
        // The long one's bucket and three nodes; the short one's parking, resuming and node.
        EXPECT_EQ(here.statistics().tasks_run.value() - before, 4U + 3U);
    });
}

} // namespace
} // namespace mxk
