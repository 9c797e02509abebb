// Threads of the system on the processors of MXK's cores, and whether one sleeps.
#pragma once

#include <sys/types.h>

#include <functional>
#include <future>
#include <thread>

#include "base/units.hpp"

namespace mxk::bench {

// The calling thread shares the core's processor from now on, as far as it is not there yet; where cores are not
// pinned, neither is it. False if the system refuses (errno).
bool stay_with_core(CoreId core);

// The calling thread's number in the system; asked for once per thread.
pid_t this_thread();

// A thread of its own on a core's processor, which calls body() once.
class PinnedThread {
  public:
    // Returns when the thread is where it has to be. Throws std::system_error, also if that fails.
    PinnedThread(CoreId core, std::function<void()> body);
    PinnedThread(PinnedThread const&) = delete;
    PinnedThread& operator=(PinnedThread const&) = delete;
    // Waits for its end.
    ~PinnedThread() { thread_.join(); }

    [[nodiscard]] pid_t number() const { return number_; }
    [[nodiscard]] bool is_here() const { return this_thread() == number_; }

  private:
    pid_t number_ = 0;
    std::promise<int> failure_; // to be pinned: errno, or 0
    std::thread thread_;
};

// Runs the function in a thread of its own on the core's processor; returns, or throws, as it does.
void run_pinned(CoreId core, std::function<void()> const& function);

// Whether a thread of this program sleeps in the system, and has done so for as long as `bench task` lets a core sleep.
class ThreadSleep {
  public:
    // Throws std::system_error.
    explicit ThreadSleep(pid_t thread);
    ~ThreadSleep();
    ThreadSleep(ThreadSleep const&) = delete;
    ThreadSleep& operator=(ThreadSleep const&) = delete;

    // To be asked again and again.
    bool settled();

  private:
    [[nodiscard]] bool asleep() const;

    int file_;
    bool was_asleep_ = false;
    Cycles since_{}; // when it was first seen asleep
};

} // namespace mxk::bench
