// oneTBB's threads on the processors of MXK's cores.
#pragma once

#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_scheduler_observer.h>

#include <atomic>
#include <utility>
#include <vector>

#include "peers/pinned_thread.hpp"

namespace mxk::bench {

// Moves each thread that enters the arena to the processor of its slot's core. TBB gives a thread another arena as it
// likes; it then moves.
class SlotPinning : public tbb::task_scheduler_observer {
  public:
    SlotPinning(tbb::task_arena& arena, std::vector<CoreId> cores)
        : tbb::task_scheduler_observer(arena)
        , cores_(std::move(cores)) {
        observe(true);
    }
    ~SlotPinning() override { observe(false); }
    SlotPinning(SlotPinning const&) = delete;
    SlotPinning& operator=(SlotPinning const&) = delete;

    // False once a thread could not be moved.
    [[nodiscard]] bool held() const { return held_.load(std::memory_order_relaxed); }
    // The number of the thread that has entered last.
    [[nodiscard]] pid_t thread() const { return thread_.load(std::memory_order_relaxed); }

    void on_scheduler_entry(bool) override {
        auto const slot = static_cast<std::size_t>(tbb::this_task_arena::current_thread_index());
        if (!stay_with_core(cores_[slot % cores_.size()])) held_.store(false, std::memory_order_relaxed);
        thread_.store(this_thread(), std::memory_order_relaxed);
    }

  private:
    std::vector<CoreId> cores_; // by slot
    std::atomic<bool> held_{true};
    std::atomic<pid_t> thread_{0};
};

} // namespace mxk::bench
