// Threads of the system below, for the thread layer (tasks/threads/posix/): on the processor of a core, if that is
// pinned. Metal has no such thing; its counterpart is arch/execution.hpp.
#pragma once

#include <pthread.h>
#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/result.hpp"
#include "base/text.hpp"
#include "base/units.hpp"

namespace mxk::arch {

struct SystemThreadUse {
    Nanoseconds run_time{};
    std::uint64_t switches = 0;    // times that it gave the processor away by itself
    std::uint64_t preemptions = 0; // times that the system took it away
    bool is_waiting = false;
};

class SystemThread {
  public:
    using Entry = void (*)(void* argument);

    SystemThread() = default;
    SystemThread(SystemThread const&) = delete;
    SystemThread& operator=(SystemThread const&) = delete;

    // Runs entry(argument) in a new thread with a stack of no less than `stack_bytes` besides what signal handlers and
    // the C library need; `name` as the system's tools show it, up to 15 bytes. Once. Errors: the system's.
    Result<void> start(CoreId core, std::size_t stack_bytes, std::string_view name, Entry entry, void* argument);

    // After the last act of `entry`: gives back what the system has for it. Waits for its very end, except in the
    // thread itself.
    void release();

    // While it has not ended; any thread.
    [[nodiscard]] SystemThreadUse use() const;

    // It ends at the next EndPoint that it is in, or comes to; its stack is unwound. While it is not released.
    void end_at_point();

    // An address in each function that it is in, the last call first; how many. By a signal, so that it may be
    // anywhere. Waits for its answer; one caller at a time. Errors: none has come for a second.
    Result<std::size_t> trace(std::span<std::uintptr_t> addresses);

  private:
    static void* run(void* self);

    pthread_t handle_{};
    std::atomic<pid_t> system_id_{0}; // relaxed: for display
    FixedText<15> name_;
    CoreId core_{};
    Entry entry_ = nullptr;
    void* argument_ = nullptr;
};

// While it lives, and `allowed`, the calling thread may end by end_at_point(), when it waits for a semaphore or sleeps.
class EndPoint {
  public:
    explicit EndPoint(bool allowed);
    ~EndPoint();
    EndPoint(EndPoint const&) = delete;
    EndPoint& operator=(EndPoint const&) = delete;

  private:
    bool allowed_;
};

// All below: of the calling thread.
SystemThreadUse own_use();
void sleep_for(Nanoseconds time);
// Destroys what is on its stack.
[[noreturn]] void end_thread();

} // namespace mxk::arch
