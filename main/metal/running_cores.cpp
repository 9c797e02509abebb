#include "main/metal/running_cores.hpp"

#include "arch/x86_64/start/cores.hpp"
#include "kernel/memory/mapping/coherence.hpp"
#include "kernel/memory/memory.hpp"
#include "kernel/remote_call.hpp"
#include "kernel/sync/rcu/rcu.hpp"
#include "kernel/topology/running_order.hpp"
#include "kernel/topology/system_topology.hpp"
#include "main/metal/interrupt_routing.hpp"
#include "main/metal/require.hpp"
#include "main/metal/worker_entry.hpp"
#include "tasks/fork/fork_core.hpp"
#include "tasks/prefetching.hpp"
#include "tasks/workers.hpp"
#include "tasks/workqueue/work_queue.hpp"

namespace mxk::metal {

namespace {

// Besides what it takes to be started: a worker, its queue, its forks, the first slab of its pool.
constexpr std::size_t bytes_to_run_core = arch::bytes_to_start_core + 104 * KiB;

// A quarter of what is free is for other things than cores.
std::size_t max_cores() {
    std::size_t free = 0;
    for (std::size_t i = 0; i < memory::node_count(); ++i) {
        memory::NodeUse const use = memory::use(node_id(i));
        free += use.total - use.used;
    }
    return 1 + free / 4 * 3 / bytes_to_run_core;
}

} // namespace

topology::Topology start_cores(topology::Topology const& topology, acpi::InterruptModel const& interrupts,
                               Arena& arena) {
    auto const cores = require(arena.array<arch::CoreToStart>(topology.cores.size()));
    auto const started = require(arena.array<bool>(cores.size()));
    for (topology::Core const& core : topology.cores)
        cores[index(core.id)] = {
            .apic_id = core.apic_id, .node = core.node, .inputs = wired_inputs(interrupts, core.acpi_uid)};
    if (cores.size() > 1) memory::let_others_come(); // a machine with one core never takes the allocators' locks
    arch::start_cores(cores, max_cores());
    topology::Topology known = topology;
    auto const with_levels = require(arena.array<topology::Core>(cores.size()));
    known.cores = with_levels;
    for (std::size_t i = 0; i < cores.size(); ++i) {
        started[i] = cores[i].started;
        with_levels[i] = topology.cores[i];
        with_levels[i].levels = cores[i].levels; // which each core has found out itself
    }
    auto const order = require(topology::running_order(known, started, arena));
    topology::Topology const running = require(topology::keep_cores(known, order, arena));
    set_system_topology(running);
    require<Done>(remote_calls::create(running.cores));
    require<Done>(rcu::create(running.cores));
    require<Done>(mapping::create(running));
    require<Done>(workers::create(running, arena, prefetching::default_task_distance()));
    require<Done>(ForkCore::create(running));
    require<Done>(system_queue::create());
    arch::release_cores(cores, order, &enter_worker);
    return running;
}

} // namespace mxk::metal
