#include "tasks/workers.hpp"

#include "arch/core_local.hpp"
#include "kernel/memory/memory.hpp"
#include "tasks/threads/thread_backend.hpp"
#include "tasks/workqueue/work_queue.hpp"

namespace mxk::workers {
namespace {

constinit std::span<Worker*> all{};
constinit std::uint32_t default_distance = 0;
constinit bool core_zero_visits = false;

} // namespace

Result<void> create(topology::Topology const& topology, Arena& arena, std::uint32_t prefetch_distance) {
    auto const table = MXK_TRY(arena.array<Worker*>(topology.cores.size()));
    for (topology::Core const& core : topology.cores) {
        memory::Block const place = MXK_TRY(memory::allocate(sizeof(Worker), alignof(Worker), core.node));
        auto queue = MXK_TRY(CoreQueue::Memory::create(topology.cores.size(), core.node));
        auto* const worker = new (place.address) Worker(core.id, core.node, std::move(queue));
        worker->set_prefetch_distance(prefetch_distance);
        table[index(core.id)] = worker;
    }
    all = table;
    core_zero_visits = false;
    default_distance = prefetch_distance;
    return {};
}

void become(CoreId core) {
    arch::core_local().kernel_core = all[index(core)];
    all[index(core)]->begin();
    thread_backend::attach(*all[index(core)]);
    WorkQueue::attach(*all[index(core)]);
}
void forget() {
    all = {};
}
void enter(CoreId core) {
    become(core);
    all[index(core)]->run();
}

void let_core_zero_visit() {
    core_zero_visits = true;
}
bool serves(CoreId core) {
    return index(core) < all.size() && (index(core) != 0 || !core_zero_visits);
}

Worker& of(CoreId core) {
    return *all[index(core)];
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
