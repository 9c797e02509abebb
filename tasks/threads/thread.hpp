// Threads (MxOS, thesis section 2.3): a function with a stack of its own, which may wait in the middle. A thread lives
// on one core for life. On metal it is a task in that core's FIFO, whose body switches to the thread's stack; when its
// time slice ends it goes to the queue's end. While an MxTask runs, nothing preempts that. In the Linux build a thread
// is a pthread that is pinned to its core's processor, and Linux gives it its time.
//
//     auto thread = Thread::create({.core = core_id(1), .name = "counter"}, &count, &counter);
//     if (!thread) return thread.error();
//     ... thread.value().join();
//
// What may be done where:
//
//     in a thread   all of this_thread, everything that waits; no Worker, whose functions are for tasks (send_task())
//     in a task     create, detach, post; no waiting, except join() in a task that may Worker::run_until()
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "base/result.hpp"
#include "base/units.hpp"
#include "tasks/task.hpp"

namespace mxk {

struct ThreadRecord;

struct ThreadOptions {
    CoreId core{};
    std::string_view name = "thread"; // up to 31 bytes of it are kept
    std::size_t stack_bytes = 64 * KiB;
    Nanoseconds slice{1'000'000}; // metal; in the Linux build the system chooses
};

// A handle. Destroying it without join() or detach() joins.
class Thread {
  public:
    using Entry = void (*)(void* argument);

    static constexpr std::size_t min_stack_bytes = 16 * KiB;
    static constexpr std::size_t max_stack_bytes = 16 * MiB;
    static constexpr Nanoseconds min_slice{10'000};
    static constexpr Nanoseconds max_slice{1'000'000'000};

    // Whether a thread runs for the slice that was asked for: on metal; in the Linux build the system chooses.
    static bool has_slices();

    // Runs entry(argument) as soon as it is the thread's turn. The stack has no less than so many bytes, behind a guard
    // page, on the core's node. Errors: no such core, a stack or slice out of range, no memory. Tasks and threads; may
    // block for a lock of the allocator.
    static Result<Thread> create(ThreadOptions const& options, Entry entry, void* argument);

    // The same with any function object, which must live until the thread has ended.
    template <typename Function> static Result<Thread> create(ThreadOptions const& options, Function& function) {
        return create(
            options, [](void* it) { (*static_cast<Function*>(it))(); }, &function);
    }

    Thread(Thread&& other) noexcept
        : record_(other.record_.exchange(nullptr, std::memory_order_relaxed)) {}
    Thread& operator=(Thread&&) = delete;
    ~Thread();

    // Waits until the thread has ended; its writes are visible then, and its memory is given back. Errors: it has been
    // joined or detached already, a thread that waits for its own end. A thread, or a task that may
    // Worker::run_until() (the console's).
    Result<void> join();

    // Nobody waits for it: it gives its memory back itself when it ends. Errors: it has been joined or detached
    // already.
    Result<void> detach();

    // Of a thread that is neither joined nor detached.
    [[nodiscard]] std::string_view name() const;
    [[nodiscard]] CoreId core() const;

  private:
    explicit Thread(ThreadRecord& record)
        : record_(&record) {}

    std::atomic<ThreadRecord*> record_; // atomic: of two that join, one is told so
};

// Whether the caller is a thread; else it is a task.
bool in_thread();

// Appends a task to a core's queue, as Worker::append() does, from a thread (or a task). Does not wait.
void send_task(Task& task, CoreId target);

// All for threads only: panics in a task.
namespace this_thread {

// To the end of the core's queue, with a whole slice when it is its turn again.
void yield();
// Not before this time has passed; then to the end of the queue. Errors: 2^63 ns or more, as negative times are.
Result<void> sleep_for(Nanoseconds time);
// Ends the thread. On metal nothing on its stack is destroyed.
[[noreturn]] void exit();

std::string_view name();
CoreId core();

} // namespace this_thread

} // namespace mxk
