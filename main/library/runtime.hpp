// MXK inside a Linux program: cores that are threads, each with its worker and its node's memory.
//
//     auto started = mxk::Runtime::start({.cores = 4});
//     if (!started) return complain(started.error());
//     started.value().run([](mxk::Worker& worker) { ... append tasks, wait for them by worker.run_until(...) ... });
//
// The thread that starts it is core 0, unless it wants to be none (RuntimeOptions::own_threads); the others work until
// it is destroyed. Workers, memory and topology are those of
// the process, as they are the machine's on metal: one Runtime at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "base/result.hpp"
#include "kernel/topology/topology.hpp"
#include "tasks/worker.hpp"

namespace mxk {

struct RuntimeOptions {
    // 0: one for each processor that this process may use. More than there are processors: several share one, which
    // works, but measures nothing.
    std::uint32_t cores = 0;
    // 0: the machine's. Else so many pretended ones of equal size, for trying out placement anywhere.
    std::uint32_t nodes = 0;
    // Bytes for all nodes together, which are reserved, not used, at start. 0: nine tenths of what is available.
    std::uint64_t memory_bytes = 0;
    // Every core has a thread of its own, core 0, too, and the starting thread stays what it was: not pinned, and no
    // core, so that run() is not for it. For programs whose threads use tables (table.hpp) and leave tasks to others.
    bool own_threads = false;
    // A task that holds its core for longer is named in a WARN, once; 0: none is. Core 0 is watched only while run()
    // waits, if it is the starting thread's. Tasks cost nothing for it: a thread looks four times in that time.
    Nanoseconds warn_after{0};
};

class Runtime {
  public:
    // Errors: options that do not fit together, over 4096 cores, no memory, no threads, a Runtime that is there
    // already, or was in the process that this one was forked from. What is missing but can be done without is a WARN
    // in the log (base/log.hpp; without a sink it is only kept). Blocks until all cores run.
    static Result<Runtime> start(RuntimeOptions const& options = {});

    Runtime(Runtime&& other) noexcept;
    Runtime& operator=(Runtime&&) = delete;
    // Every table (table.hpp) is gone; panics where one is left. Waits until every other core has finished the task it
    // runs; tasks still queued are dropped, and all memory of the nodes is gone. The thread that started it.
    ~Runtime();

    [[nodiscard]] topology::Topology const& topology() const;

    // From now on the first `cores` of them take part in loops, sorts and whatever else is not sent to a certain core;
    // the others sleep, so that their processors are free. Nothing is lost, since they stay: they finish what they run
    // and what was sent to them, run what is sent to them later, and keep the regions, waiting coroutines, blocked
    // threads and callbacks of read-copy-update that they have. Errors: not 1 to as many as were started. Any thread,
    // at any time.
    Result<void> resize(std::size_t cores);

    // Calls function(worker) as if it were a task of core 0; it may wait for others by worker.run_until() or run_on().
    // Core 0 works only meanwhile. The thread that started it, if that is core 0.
    template <typename Function> void run(Function&& function) { std::forward<Function>(function)(core_zero()); }

  private:
    struct State;
    explicit Runtime(std::unique_ptr<State> state);

    // Panics in a thread that is another one.
    [[nodiscard]] Worker& core_zero() const;

    std::unique_ptr<State> state_;
};

} // namespace mxk
