#include "tasks/workers.hpp"

#include <atomic>

#include "arch/core_local.hpp"
#include "kernel/memory/memory.hpp"
#include "tasks/threads/thread_backend.hpp"
#include "tasks/workqueue/work_queue.hpp"

namespace mxk::workers {
namespace {

// What a core has for ever.
struct Place {
    Place(topology::Core const& core, heap::CoreHeap& heap, CoreQueue::Memory queue)
        : worker(core.id, core.node, heap, std::move(queue)) {}
    Worker worker;
    AttentionHook work_items = WorkQueue::hook();
};

constinit std::span<Place*> all{};
constinit std::uint32_t default_distance = 0;
constinit bool core_zero_visits = false;
constinit std::atomic<std::size_t> first_cores{0}; // relaxed: a wish, which orders nothing

} // namespace

Result<void> create(topology::Topology const& topology, Arena& arena, std::uint32_t prefetch_distance) {
    auto const table = MXK_TRY(arena.array<Place*>(topology.cores.size()));
    for (topology::Core const& core : topology.cores) {
        memory::Block const place = MXK_TRY(memory::allocate(sizeof(Place), alignof(Place), core.node));
        // Apart: in front of the worker it would move what each task touches to other places of the caches (8 % of a
        // task).
        memory::Block const room =
            MXK_TRY(memory::allocate(sizeof(heap::CoreHeap), alignof(heap::CoreHeap), core.node));
        auto* const heap = new (static_cast<void*>(room.address)) heap::CoreHeap(core.id, core.node);
        auto queue = MXK_TRY(CoreQueue::Memory::create(topology.cores.size(), core.node));
        auto* const its_place = new (place.address) Place(core, *heap, std::move(queue));
        its_place->worker.set_prefetch_distance(prefetch_distance);
        table[index(core.id)] = its_place;
    }
    all = table;
    let_take_part(table.size());
    core_zero_visits = false;
    default_distance = prefetch_distance;
    return {};
}

void become(CoreId core) {
    Place& place = *all[index(core)];
    arch::core_local().kernel_core = &place.worker;
    arch::core_local().heap = &place.worker.heap();
    place.worker.begin();
    thread_backend::attach(place.worker);
    place.worker.add_hook(place.work_items);
}
void forget() {
    all = {};
}
void enter(CoreId core) {
    become(core);
    of(core).run();
}

void let_core_zero_visit() {
    core_zero_visits = true;
}
bool serves(CoreId core) {
    return index(core) < all.size() && (index(core) != 0 || !core_zero_visits);
}
bool takes_part(CoreId core) {
    return serves(core) && index(core) < taking_part();
}
void let_take_part(std::size_t cores) {
    first_cores.store(cores, std::memory_order_relaxed);
}
std::size_t taking_part() {
    return first_cores.load(std::memory_order_relaxed);
}

Worker& of(CoreId core) {
    return all[index(core)]->worker;
}
std::size_t count() {
    return all.size();
}
std::uint32_t default_prefetch_distance() {
    return default_distance;
}
void set_default_prefetch_distance(std::uint32_t tasks) {
    default_distance = tasks;
}

} // namespace mxk::workers
