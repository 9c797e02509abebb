// The preemptible variant of Podzimek's RCU, as the kernel of HelenOS had it (A. Hraska, "Read-Copy-Update for
// HelenOS", 2013): what A-RCU was compared with. Entering and leaving an outermost section are quiescent states: with
// preemption held off, a core that finds that a grace period has begun records it, behind a full barrier. A caller of
// synchronize() gives the cores some time to do so, then asks the rest, and waits for those that are in a section,
// whose unlock says when they have left.
//
// Not as there: each core has one reader thread, which stays on it. So what there is a core's is the thread's here, a
// reader that was preempted needs no list, and switches need not look. No callbacks: the caller is the detector. In the
// Linux build, where threads cannot hold preemption off, a section lacks the cost of that; it needs membarrier(2).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "arch/sections.hpp"
#include "base/fence.hpp"
#include "base/result.hpp"
#include "base/units.hpp"
#include "kernel/memory/node_vector.hpp"
#include "tasks/threads/mutex.hpp"
#include "tasks/threads/semaphore.hpp"

namespace mxk::bench {

class PodzimekRcu {
  public:
    // Its thread's; the detector looks.
    class alignas(cache_line_bytes) Reader {
      public:
        Reader(PodzimekRcu& rcu, CoreId core)
            : rcu_(rcu)
            , core_(core) {}

        // May nest; never block, and nothing between them may.
        void enter() {
            arch::hold_core();
            std::uint32_t const depth = depth_.load(std::memory_order_relaxed);
            if (depth == 0) note_quiescent();
            depth_.store(depth + 1, std::memory_order_relaxed); // no fence: the detector has this core execute one
            std::atomic_signal_fence(std::memory_order_seq_cst);
            arch::release_core();
        }
        void leave() {
            arch::hold_core();
            std::uint32_t const depth = depth_.load(std::memory_order_relaxed) - 1;
            if (depth == 0) note_quiescent();
            // release: pairs with holds_up(); what the section has read, it has read before
            depth_.store(depth, std::memory_order_release);
            std::atomic_signal_fence(std::memory_order_seq_cst);
            bool const is_awaited = is_awaited_.load(std::memory_order_relaxed);
            arch::release_core();
            if (is_awaited && depth == 0) [[unlikely]]
                end_wait();
        }
        // Any thread; while it runs, of a moment.
        [[nodiscard]] bool is_inside() const { return depth_.load(std::memory_order_acquire) != 0; }

      private:
        friend class PodzimekRcu;

        void note_quiescent() {
            // acquire: pairs with synchronize(); what was unlinked before is not found any more
            std::uint64_t const number = rcu_.begun_.load(std::memory_order_acquire);
            if (seen_.load(std::memory_order_relaxed) == number) [[likely]]
                return;
            store_load_fence();
            seen_.store(number, std::memory_order_release); // pairs with holds_up()
        }
        void end_wait();
        bool holds_up(std::uint64_t number);

        PodzimekRcu& rcu_;
        CoreId core_;
        std::atomic<std::uint64_t> seen_{0};
        std::atomic<std::uint32_t> depth_{0};
        std::atomic<bool> is_awaited_{false};
    };

    PodzimekRcu() = default;
    PodzimekRcu(PodzimekRcu const&) = delete;
    PodzimekRcu& operator=(PodzimekRcu const&) = delete;

    // A reader for each of the cores. Once. Errors: no memory. The console's task.
    Result<void> prepare(std::span<CoreId const> cores);
    // By the core's place.
    [[nodiscard]] Reader& reader(std::size_t place) { return readers_[place]; }
    [[nodiscard]] std::span<Reader const> readers() const { return readers_.span(); }

    // Returns after a grace period that begins with the call. `is_expedited`: cores are asked at once. Threads; not in
    // a section. While no engine of A-RCU runs, whose interrupt this uses.
    Result<void> synchronize(bool is_expedited);

  private:
    alignas(cache_line_bytes) std::atomic<std::uint64_t> begun_{0};
    alignas(cache_line_bytes) Mutex mutex_; // one detector at a time
    Semaphore left_{0};
    NodeVector<Reader> readers_;
};

} // namespace mxk::bench
