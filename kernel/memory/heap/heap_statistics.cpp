#include "kernel/memory/heap/heap_statistics.hpp"

#include <algorithm>

#include "arch/core_local.hpp"
#include "kernel/memory/heap/core_heap.hpp"
#include "kernel/memory/heap/outside_heap.hpp"
#include "kernel/memory/heap/superblock_pool.hpp"
#include "kernel/memory/memory.hpp"
#include "kernel/remote_call.hpp"
#include "kernel/topology/system_topology.hpp"

namespace mxk::heap {
namespace {

void add(HeapCounts& counts, CoreHeap const& heap) {
    CoreUse const use = heap.use();
    counts.drains += use.drains;
    counts.parked_bytes += use.parked;
    counts.max_parked_bytes = std::max<std::uint64_t>(counts.max_parked_bytes, use.max_parked);
    counts.superblocks_held += use.superblocks;
    counts.live_bytes += use.live_bytes;
    for (std::size_t i = 0; i < small_bin_count; ++i) {
        BinUse const bin = heap.small(i).use();
        counts.chains_pushed += bin.chains;
        counts.chain_objects += bin.chain_objects;
    }
}

} // namespace

void visit_each(void (*visit)(CoreId core, CoreHeap& heap, void* context), void* context) {
    for (topology::Core const& core : system_topology().cores) {
        call_on(core.id, [&] {
            if (auto* const heap = static_cast<CoreHeap*>(arch::heap_of_core()); heap != nullptr)
                visit(core.id, *heap, context);
        });
    }
}

HeapCounts counts() {
    HeapCounts counts;
    visit_each([&](CoreId /*core*/, CoreHeap& heap) { add(counts, heap); });
    for (std::size_t i = 0; i < memory::node_count(); ++i) {
        PoolUse const use = pool_of(node_id(i)).use();
        counts.superblock_calls += use.calls;
        counts.live_bytes += use.large_bytes;
        counts.held_bytes += use.superblocks * superblock_bytes() + use.large_bytes;
    }
    return counts;
}

void trim_all() {
    // What cores have collected for each other, and then what it was sent in.
    for (int round = 0; round < 2; ++round) {
        visit_each([](CoreId /*core*/, CoreHeap& heap) { heap.settle(); });
        visit_outside([](CoreHeap& heap, void* /*context*/) { heap.settle(); }, nullptr);
    }
    visit_each([](CoreId /*core*/, CoreHeap& heap) { heap.trim(); });
    visit_outside([](CoreHeap& heap, void* /*context*/) { heap.trim(); }, nullptr);
}

} // namespace mxk::heap
