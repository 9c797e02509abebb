// Waiting until something has happened so many times, on any cores: in a thread, or in a task whose body may wait,
// while its core runs others.
#pragma once

#include <atomic>
#include <cstddef>

#include "arch/attention.hpp"
#include "arch/sections.hpp"
#include "tasks/threads/semaphore.hpp"
#include "tasks/threads/thread.hpp"
#include "tasks/worker.hpp"

namespace mxk {

// Made by the waiter.
class CountDown {
  public:
    explicit CountDown(std::size_t times)
        : left_(times) {}
    CountDown(CountDown const&) = delete;
    CountDown& operator=(CountDown const&) = delete;

    // Any core, never blocks. What was done before is visible to who has waited. With the last one this may be gone.
    void count() {
        CoreId const home = home_;
        bool const is_thread = is_thread_;
        if (left_.fetch_sub(1, std::memory_order_acq_rel) != 1) return; // with the others' counts
        if (is_thread) return ended_.post();
        has_ended_.store(true, std::memory_order_release); // with wait(); gone from here on
        arch::wake(home);
    }
    // Once, by its maker: a thread, or a task that may Worker::run_until().
    void wait() {
        if (is_thread_) return ended_.wait();
        Worker::current().run_until([this] { return has_ended_.load(std::memory_order_acquire); });
    }

  private:
    bool is_thread_ = in_thread();
    CoreId home_ = arch::home_core();
    std::atomic<std::size_t> left_;
    std::atomic<bool> has_ended_{false};
    Semaphore ended_{0};
};

} // namespace mxk
