#include "tasks/workers.hpp"

#include "arch/core_local.hpp"
#include "kernel/memory/memory.hpp"

namespace mxk::workers {
namespace {

constinit std::span<Worker*> all{};

} // namespace

Result<void> create(topology::Topology const& topology, Arena& arena) {
    auto const table = MXK_TRY(arena.array<Worker*>(topology.cores.size()));
    for (topology::Core const& core : topology.cores) {
        memory::Block const place = MXK_TRY(memory::allocate(sizeof(Worker), alignof(Worker), core.node));
        auto queue = MXK_TRY(CoreQueue<>::Memory::create(topology.cores.size(), core.node));
        table[index(core.id)] = new (place.address) Worker(core.id, core.node, std::move(queue));
    }
    all = table;
    return {};
}

void become(CoreId core) {
    arch::core_local().kernel_core = all[index(core)];
    all[index(core)]->begin();
}
void forget() {
    all = {};
}
void enter(CoreId core) {
    become(core);
    all[index(core)]->run();
}

Worker& of(CoreId core) {
    return *all[index(core)];
}
std::size_t count() {
    return all.size();
}

} // namespace mxk::workers
