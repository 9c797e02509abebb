// What the peers that use oneTBB share.
#pragma once

#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_scheduler_observer.h>
#include <oneapi/tbb/version.h>

#include <atomic>
#include <string>

#include "bench/peers/task_threads.hpp"

namespace mxk::bench {

inline std::string tbb_library() {
    return std::string("oneTBB ") + TBB_runtime_version();
}

// Whoever enters the arena, by slot: the thread of slot 0 goes to the first core's processor, that of slot 1 to the
// second's. TBB gives a thread another arena as it likes; it then moves.
class ArenaPinning : public tbb::task_scheduler_observer {
  public:
    ArenaPinning(tbb::task_arena& arena, CorePair cores)
        : tbb::task_scheduler_observer(arena)
        , cores_(cores) {
        observe(true);
    }
    ~ArenaPinning() override { observe(false); }
    ArenaPinning(ArenaPinning const&) = delete;
    ArenaPinning& operator=(ArenaPinning const&) = delete;

    // False once a thread could not be moved.
    [[nodiscard]] bool held() const { return held_.load(std::memory_order_relaxed); }

    void on_scheduler_entry(bool) override {
        int const slot = tbb::this_task_arena::current_thread_index();
        if (!stay_with_core(slot == 0 ? cores_.first : cores_.second)) held_.store(false, std::memory_order_relaxed);
    }

  private:
    CorePair cores_;
    std::atomic<bool> held_{true};
};

} // namespace mxk::bench
