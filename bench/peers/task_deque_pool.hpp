// The pool that everybody writes first: one thread, one std::deque, a mutex and a condition variable. It polls before
// it sleeps for as long as one of our workers does, so that a round trip between two pools finds both awake; and a job
// is a function and a pointer, so that it costs no allocation of its own.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <future>
#include <mutex>
#include <thread>

#include "base/spin_wait.hpp"
#include "bench/peers/task_threads.hpp"
#include "kernel/clock.hpp"

namespace mxk::bench {

struct Job {
    void (*body)(void* self) = nullptr; // null: the pool is to end
    void* self = nullptr;
};

class DequePool {
  public:
    // Throws std::system_error.
    explicit DequePool(CoreId core)
        : worker_([this, core] { begin(core); }) {
        try {
            started_.get_future().get();
        } catch (...) {
            worker_.join();
            throw;
        }
    }
    DequePool(DequePool const&) = delete;
    DequePool& operator=(DequePool const&) = delete;
    ~DequePool() {
        post({});
        worker_.join();
    }

    // Any thread.
    void post(Job job) {
        {
            std::lock_guard const lock(mutex_);
            jobs_.push_back(job);
            size_.store(jobs_.size(), std::memory_order_relaxed); // for polling; the mutex publishes the job
        }
        filled_.notify_one();
    }

    // Its own thread, in a job: whether it had to be woken for this job.
    [[nodiscard]] bool was_woken() const { return woken_; }
    [[nodiscard]] bool is_here() const { return std::this_thread::get_id() == worker_.get_id(); }
    // What the system calls its thread.
    [[nodiscard]] pid_t thread() const { return thread_; }

  private:
    void begin(CoreId core) {
        try {
            pin_to_core(core);
        } catch (...) {
            return started_.set_exception(std::current_exception());
        }
        thread_ = this_thread();
        started_.set_value();
        for (Job job = take(); job.body != nullptr; job = take()) job.body(job.self);
    }

    Job take() {
        woken_ = false;
        std::unique_lock lock(mutex_);
        if (jobs_.empty()) {
            lock.unlock();
            poll();
            lock.lock();
            while (jobs_.empty()) {
                filled_.wait(lock);
                woken_ = true;
            }
        }
        Job const job = jobs_.front();
        jobs_.pop_front();
        size_.store(jobs_.size(), std::memory_order_relaxed);
        return job;
    }

    static constexpr Nanoseconds polling_time{50'000};

    void poll() const {
        Cycles const start = clock::timestamp();
        Cycles const limit = clock::to_cycles(polling_time);
        for (SpinWait wait; size_.load(std::memory_order_relaxed) == 0; wait.turn())
            if (clock::timestamp() - start >= limit) return;
    }

    std::mutex mutex_;
    std::condition_variable filled_;
    std::deque<Job> jobs_;
    std::atomic<std::size_t> size_{0};
    bool woken_ = false;
    pid_t thread_ = 0;
    std::promise<void> started_;
    std::thread worker_; // the last: it uses all of the others
};

} // namespace mxk::bench
