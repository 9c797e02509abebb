#include <algorithm>
#include <atomic>

#include "kernel/memory/core_pool.hpp"
#include "kernel/memory/memory.hpp"
#include "kernel/memory/node_array.hpp"
#include "kernel/testing.hpp"
#include "kernel/topology/system_topology.hpp"
#include "tasks/parallel.hpp"
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
