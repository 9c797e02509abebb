// What the heaps of all cores have, for people and for benchmarks. Every function asks the cores one after the other
// (kernel/remote_call.hpp), each at its safe point: tasks, for a moment's values.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/units.hpp"

namespace mxk::heap {

class CoreHeap;

// Sums over all cores and nodes.
struct HeapCounts {
    std::uint64_t superblocks_held = 0; // by cores, without those that pools keep
    std::uint64_t superblock_calls = 0; // superblocks that were taken from a node's pool or given back to it
    std::uint64_t drains = 0;           // times that a core took back what others had freed
    std::uint64_t parked_bytes = 0;     // freed by others, not taken back yet
    std::uint64_t max_parked_bytes = 0; // of one core, when it took them back
    std::uint64_t chains_pushed = 0;    // chains that were made of small objects that came out of magazines
    std::uint64_t chain_objects = 0;    // in these
    std::uint64_t live_bytes = 0;       // of objects that are in use, each as large as its bin's
    std::uint64_t held_bytes = 0;       // of superblocks and large objects
};
[[nodiscard]] HeapCounts counts();

// Calls visit(core, heap, context) for each core, on that core.
void visit_each(void (*visit)(CoreId core, CoreHeap& heap, void* context), void* context);
template <typename Visit> void visit_each(Visit&& visit) {
    visit_each([](CoreId core, CoreHeap& heap, void* visitor) { (*static_cast<Visit*>(visitor))(core, heap); }, &visit);
}

// Each core sends what it has collected for others, takes back what they have sent, and gives back to its node what
// is free.
void trim_all();

} // namespace mxk::heap
