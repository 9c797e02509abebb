// All cores of a run start together: each waits here until all have come. For one use.
#pragma once

#include <atomic>
#include <cstddef>

#include "base/spin_wait.hpp"
#include "tasks/worker.hpp"

namespace mxk::bench {

class StartBarrier {
  public:
    explicit StartBarrier(std::size_t cores)
        : missing_(cores) {}

    // Spins; every core that is waited for must be able to come meanwhile.
    void arrive_and_wait() {
        Worker::current().flush(); // what this core has sent may be what brings the others here
        // acq_rel, with the load below: what each core has prepared is visible to all
        missing_.fetch_sub(1, std::memory_order_acq_rel);
        SpinWait wait;
        while (missing_.load(std::memory_order_acquire) != 0) wait.turn();
    }

  private:
    std::atomic<std::size_t> missing_;
};

} // namespace mxk::bench
