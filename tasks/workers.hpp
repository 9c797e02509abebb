// All workers of the machine, one per core that came up.
#pragma once

#include <span>

#include "base/arena.hpp"
#include "base/result.hpp"
#include "kernel/topology.hpp"
#include "tasks/worker.hpp"

namespace mxk::workers {

// One worker per core, in memory of its node. The boot core, before the others are released.
Result<void> create(topology::Topology const& topology, Arena& arena);

// Makes the calling core the one that this worker runs on. Once per core.
void become(CoreId core);
// There are no workers any more: for programs that go on without them. After every core has stopped.
void forget();
// What every core does in the end on metal: becomes its worker, for ever.
[[noreturn]] void enter(CoreId core);

// Any core, once created.
Worker& of(CoreId core);
std::size_t count();

} // namespace mxk::workers
