// All workers of the machine, one per core that came up.
#pragma once

#include <span>

#include "base/arena.hpp"
#include "base/result.hpp"
#include "kernel/topology/topology.hpp"
#include "tasks/worker.hpp"

namespace mxk::workers {

// One worker per core, in memory of its node, that looks as many tasks ahead (Worker::set_prefetch_distance). The boot
// core, before the others are released.
Result<void> create(topology::Topology const& topology, Arena& arena,
                    std::uint32_t prefetch_distance = TaskFifo::default_distance);

// Makes the calling core the one that this worker runs on. Once per core.
void become(CoreId core);
// There are no workers any more: for programs that go on without them. After every core has stopped.
void forget();
// What every core does in the end on metal: becomes its worker, for ever.
[[noreturn]] void enter(CoreId core);

// Core 0 runs tasks only while somebody waits in its thread: a program's own one (main/library/runtime.hpp). Before any
// core is asked for by serves().
void let_core_zero_visit();
// Whether a core runs its tasks all the time, also while nobody waits for them. Any thread, once created.
bool serves(CoreId core);
// Whether it also takes part in what nobody has sent to a certain core: it serves, and is one of the first so many. At
// first all are. Any thread.
bool takes_part(CoreId core);
void let_take_part(std::size_t cores);
std::size_t taking_part();

// Any core, once created.
Worker& of(CoreId core);
std::size_t count();
// What create() was told, or this: by which workers look ahead where nothing else is said (prefetching.hpp).
std::uint32_t default_prefetch_distance();
void set_default_prefetch_distance(std::uint32_t tasks);

} // namespace mxk::workers
