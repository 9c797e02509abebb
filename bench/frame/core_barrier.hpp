// Where the cores of a run wait for each other: none goes on before all have come, again and again.
#pragma once

#include <atomic>
#include <cstddef>

#include "base/spin_wait.hpp"
#include "base/units.hpp"
#include "tasks/worker.hpp"

namespace mxk::bench {

class CoreBarrier {
  public:
    explicit CoreBarrier(std::size_t cores)
        : cores_(cores) {}

    // Spins; every core that is waited for must be able to come meanwhile. `turn()`: what a core does as it waits.
    template <typename Turn> void arrive_and_wait(Turn turn) {
        Worker::current().flush(); // what this core has sent may be what brings the others here
        std::size_t const round = arrive();
        for (SpinWait wait; !have_met(round); wait.turn()) turn();
    }
    void arrive_and_wait() {
        arrive_and_wait([] {});
    }

    // One that waits otherwise: which round this core comes to, and whether all others have.
    [[nodiscard]] std::size_t arrive() {
        std::size_t const round = round_.load(std::memory_order_relaxed);
        // acq_rel, with the store and the loads of round_: what each has done before is visible to all
        if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == cores_) {
            arrived_.store(0, std::memory_order_relaxed);
            round_.store(round + 1, std::memory_order_release);
        }
        return round;
    }
    [[nodiscard]] bool have_met(std::size_t round) const { return round_.load(std::memory_order_acquire) != round; }

  private:
    std::size_t cores_;
    alignas(cache_line_bytes) std::atomic<std::size_t> arrived_{0};
    alignas(cache_line_bytes) std::atomic<std::size_t> round_{0};
};

} // namespace mxk::bench
