#include <algorithm>
#include <atomic>

#include "bench/workload/random.hpp"
#include "kernel/clock.hpp"
#include "kernel/memory/core_pool.hpp"
#include "kernel/memory/memory.hpp"
#include "kernel/memory/node_array.hpp"
#include "kernel/test_remark.hpp"
#include "kernel/testing.hpp"
#include "kernel/topology/system_topology.hpp"
#include "tasks/run_on.hpp"
#include "tasks/workers.hpp"
#include "tests/kernel/all_cores.hpp"

namespace mxk {
namespace {

MXK_TEST(memory, a_node_without_memory_is_helped_out) {
    for (topology::Node const& node : system_topology().nodes) {
        auto const block = memory::allocate(64 * KiB, 4 * KiB, node.id);
        MXK_CHECK(block.ok());
        if (block.ok()) memory::free(block.value());
    }
}

MXK_TEST(memory, exhaustion_is_an_error_and_nothing_is_lost) {
    std::size_t const used = memory::use(node_id(0)).used;
    auto const all = memory::allocate(std::size_t{1} << 45, 4 * KiB, node_id(0));
    MXK_CHECK(!all.ok());
    auto const array = NodeArray<std::uint64_t>::create(std::size_t{1} << 60, node_id(0));
    MXK_CHECK(!array.ok());
    MXK_CHECK_EQUAL(memory::use(node_id(0)).used, used);
}

// As the blocks of a large table are: the time for one of them stands behind the verdict. Up to 200,000 of one to
// three frames, which nobody touches.
MXK_TEST(memory, many_blocks_are_given_back_in_any_order) {
    NodeId const node = node_id(0);
    memory::NodeUse const use = memory::use(node);
    std::size_t const max_blocks = (use.total - use.used) / (4 * FrameAllocator::frame_bytes);
    auto const room = NodeArray<memory::Block>::create(std::min<std::size_t>(max_blocks, 200'000), node);
    MXK_CHECK(room.ok());
    if (!room || max_blocks == 0) return;
    auto const blocks = room.value().span();
    std::size_t const used = memory::use(node).used;
    std::size_t count = 0;
    bench::Random random(inner_tests::seed());
    for (; count < blocks.size(); ++count) {
        auto const block = memory::allocate((1 + random.below(3)) * FrameAllocator::frame_bytes, 1, node);
        if (!block) break;
        blocks[count] = block.value();
    }
    MXK_CHECK(count > 0);
    if (count == 0) return;
    for (std::size_t i = count; i > 1; --i) std::swap(blocks[i - 1], blocks[random.below(i)]);
    Nanoseconds const start = clock::now();
    for (memory::Block const& block : blocks.first(count)) memory::free(block);
    inner_tests::remark((raw(clock::now()) - raw(start)) / count, "ns a block");
    MXK_CHECK_EQUAL(memory::use(node).used, used);
}

MXK_TEST(memory, blocks_of_odd_sizes_are_aligned_up_to_a_gibibyte) {
    for (std::size_t i = 0; i < memory::node_count(); ++i) {
        std::size_t const used = memory::use(node_id(i)).used;
        for (std::size_t alignment = 1; alignment <= FrameAllocator::max_alignment; alignment *= 2) {
            auto const block = memory::allocate(3 * FrameAllocator::frame_bytes + 1, alignment, node_id(i));
            if (!block) continue; // a node that has no such address is helped out, if another one has
            MXK_CHECK(is_aligned(reinterpret_cast<std::uintptr_t>(block.value().address), alignment));
            memory::free(block.value());
        }
        MXK_CHECK_EQUAL(memory::use(node_id(i)).used, used);
    }
}

// All cores allocate, write and free at once; what one writes no other may change.
MXK_TEST(memory, allocations_of_all_cores_do_not_overlap) {
    // Common to the cores: it only has to end some time, and to vary. relaxed: it orders nothing.
    std::atomic<std::uint32_t> rounds_done{0};
    bool const ran = run_on(all_cores().span(), [&](Worker& worker, std::size_t place) {
        constexpr std::uint32_t rounds = 200;
        auto array = NodeArray<std::uint64_t>::create(512 + place * 1024, worker.node());
        MXK_CHECK(array.ok());
        if (!array.ok()) return Step::Done;
        std::uint64_t const mark = place << 32 | rounds_done.load(std::memory_order_relaxed);
        std::fill(array.value().span().begin(), array.value().span().end(), mark);
        auto const span = array.value().span();
        MXK_CHECK(std::all_of(span.begin(), span.end(), [&](std::uint64_t value) { return value == mark; }));
        return rounds_done.fetch_add(1, std::memory_order_relaxed) >= rounds ? Step::Done : Step::Again;
    });
    MXK_CHECK(ran);
}

MXK_TEST(memory, pools_reuse_and_align) {
    CorePool& pool = Worker::current().pool();
    std::int64_t const before = pool.in_use();
    void* const first = pool.allocate(100);
    MXK_CHECK(first != nullptr && is_aligned(reinterpret_cast<std::uintptr_t>(first), cache_line_bytes));
    pool.free(first, 100);
    MXK_CHECK(pool.allocate(128) == first); // the same size class
    pool.free(first, 128);
    MXK_CHECK_EQUAL(pool.in_use(), before);
}

} // namespace
} // namespace mxk
