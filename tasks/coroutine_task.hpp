// The task in a coroutine's frame: what a coroutine that stands in a queue is. Its body resumes the coroutine; when
// that has ended, the task travels once more, to the waiting task's core, and then home, where the frame's memory
// belongs.
//
//     frame:  | resume, destroy |    Task, CoroutineTask, result   | parameters, locals ...
//             0                 16   64, the task's line           128
//
// The frame begins at a cache line, as all that comes from a pool, and the promise is aligned like any Task, so that
// compilers put it at the first line behind the two pointers. Of the pointers the task has what it needs, so that a
// turn touches two lines: the task's, and that of the locals behind it, which the worker fetches ahead, too.
#pragma once

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/panic.hpp"
#include "kernel/memory/core_pool.hpp"
#include "tasks/next_turn.hpp"
#include "tasks/worker.hpp"

namespace mxk {

// What waits for coroutines: a task that runs on `core` when the last of them has come there. Only that core touches
// this while they are under way, so counting them needs no atomic.
struct CoroutineWaiter {
    Task* task;
    CoreId core;
    std::size_t left;         // coroutines that have not come yet
    bool is_starting = false; // the waiting body is in begin_now(): it looks at `left` itself
};

// The part of every promise that knows no type.
class CoroutineTask : public Task {
  public:
    CoroutineTask(CoroutineTask const&) = delete;
    CoroutineTask& operator=(CoroutineTask const&) = delete;

    // The frame, from the pool of the calling core; null if memory is exhausted. One that is larger than a pool's
    // objects is a programming error, of which compilers know too late for a static_assert.
    static void* operator new(std::size_t bytes) noexcept {
        if (bytes > CorePool::largest_bytes) [[unlikely]]
            panic("a coroutine's frame has {} bytes, expected up to {}: let its large locals live elsewhere", bytes,
                  CorePool::largest_bytes);
        return Worker::current().pool().allocate(bytes);
    }
    // Out of line, as end(): both happen once in a coroutine's life, and would take registers in each of its turns.
    [[gnu::noinline]] static void operator delete(void* frame, std::size_t bytes) {
        Worker::current().pool().free(frame, bytes);
    }

    // What a coroutine may await: its next turn, ... The frame is the other core's as soon as the task is sent: nothing
    // of it is read after that.
    struct NextTurnAwaiter {
        static bool await_ready() { return false; }
        template <typename Promise> static void await_suspend(std::coroutine_handle<Promise> coroutine) {
            CoroutineTask& task = coroutine.promise();
            Worker::current().append(task, task.next_core_);
        }
        static Worker& await_resume() { return Worker::current(); }
    };
    NextTurnAwaiter await_transform(NextTurn turn) {
        touches = touches_of(turn).and_next_line(); // the locals
        next_core_ = core_of(turn);
        return {};
    }
    struct NextTurnAtHomeAwaiter {
        static bool await_ready() { return false; }
        template <typename Promise> static void await_suspend(std::coroutine_handle<Promise> coroutine) {
            CoroutineTask& task = coroutine.promise();
            Worker::current().append(task, task.home);
        }
        static Worker& await_resume() { return Worker::current(); }
    };
    NextTurnAtHomeAwaiter await_transform(NextTurnAtHome turn) {
        touches = touches_of(turn).and_next_line();
        return {};
    }
    // ... or what has an operator co_await or is an awaiter.
    template <typename Awaitable> static Awaitable&& await_transform(Awaitable&& awaitable) {
        return std::forward<Awaitable>(awaitable);
    }

    static std::suspend_always initial_suspend() noexcept { return {}; }
    struct Ended {
        static bool await_ready() noexcept { return false; }
        template <typename Promise> static void await_suspend(std::coroutine_handle<Promise> coroutine) noexcept {
            CoroutineTask& task = coroutine.promise();
            task.end();
        }
        static void await_resume() noexcept {}
    };
    static Ended final_suspend() noexcept { return {}; }
    [[noreturn]] static void unhandled_exception() { panic("a coroutine threw an exception: nobody can catch it"); }

    // Appends it to the calling core's queue, whose worker is `worker`. When it has ended it goes to the waiter, or, if
    // there is none, home to be destroyed.
    void begin(Worker& worker, CoroutineWaiter* waiter) {
        begin_for(waiter);
        worker.append(*this);
    }

    // What a task's turn runs: its body, or the coroutine that its body resumes. An address of code.
    static std::uintptr_t function_of(Task const& task) {
        if (task.body != &resume) return reinterpret_cast<std::uintptr_t>(task.body);
        return reinterpret_cast<std::uintptr_t>(static_cast<CoroutineTask const&>(task).resume_);
    }

    // Where function_of() reads, for a caller that must not read it itself, since the task may be gone: `first` has the
    // body; if that is resumes(), `second` has the function.
    struct FunctionPlaces {
        explicit FunctionPlaces(Task const* task)
            : first(reinterpret_cast<std::uintptr_t>(&task->body))
            , second(reinterpret_cast<std::uintptr_t>(&static_cast<CoroutineTask const*>(task)->resume_)) {}
        static std::uintptr_t resumes() { return reinterpret_cast<std::uintptr_t>(&resume); }
        std::uintptr_t first;
        std::uintptr_t second;
    };

    // Runs it up to its first suspension, as a function is called. True if it has ended by then; else as begin(). Where
    // so many run inside each other that the core's stack could end, it is begin(), and the others leave the stack:
    // coroutines may await each other as deep as there is memory for frames. `parent`: waits for it.
    [[nodiscard]] bool begin_now(CoroutineTask const& parent, CoroutineWaiter& waiter) {
        nested_ = parent.is_starting_on(waiter.core) ? parent.nested_ + 1 : 1;
        if (nested_ > max_nested) [[unlikely]] {
            begin(Worker::current(), &waiter);
            return false;
        }
        begin_for(&waiter);
        waiter.is_starting = true;
        resume_(frame());
        waiter.is_starting = false;
        return waiter.left == 0;
    }

    // Destroys one that was not begun, or that has ended: on the core it came from, to which it is sent if need be.
    void destroy() {
        expect(resume_ == nullptr || handle().done(), "a coroutine is destroyed before it begins or after its end");
        body = &destroy_at_home;
        Worker& worker = Worker::current();
        if (worker.core() == home) return destroy_at_home(worker, *this);
        worker.append(*this, home);
    }

  protected:
    CoroutineTask()
        : Task(&resume, Worker::current().core()) {}
    ~CoroutineTask() = default;

  private:
    using Resume = void (*)(void* frame);
    // Of 64 KiB, the stack of a core of the kernel, a part also in builds whose frames are large.
    static constexpr std::uint32_t max_nested = 32;

    // Promises derive from this, begin where it begins and are aligned alike (coroutine.hpp asserts it), so that the
    // way from the promise to the frame is the same.
    std::coroutine_handle<CoroutineTask> handle() { return std::coroutine_handle<CoroutineTask>::from_promise(*this); }
    void* frame() { return handle().address(); }

    static void resume(Worker&, Task& task) {
        auto& self = static_cast<CoroutineTask&>(task);
        self.resume_(self.frame());
    }

    static void destroy_at_home(Worker&, Task& task) { static_cast<CoroutineTask&>(task).handle().destroy(); }

    // On the waiter's core.
    static void arrive(Worker& worker, Task& task) {
        CoroutineWaiter& waiter = *static_cast<CoroutineTask&>(task).waiter_;
        if (--waiter.left == 0) waiter.task->body(worker, *waiter.task);
    }

    void begin_for(CoroutineWaiter* waiter) {
        expect(resume_ == nullptr, "a coroutine is begun once");
        // The first word of a suspended coroutine's frame; all compilers agree, so that handles can be passed between
        // what they compile, and it stays the same until the end.
        resume_ = *static_cast<Resume*>(frame());
        waiter_ = waiter;
        if (waiter != nullptr) waiter_core_ = waiter->core;
    }

    // Whether its first part runs inside the body that waits for it.
    [[nodiscard]] bool is_starting_on(CoreId core) const {
        return waiter_ != nullptr && core == waiter_core_ && waiter_->is_starting;
    }

    // The coroutine has run to its end, on any core. Afterwards its frame may be gone.
    [[gnu::noinline]] void end() {
        Worker& worker = Worker::current();
        if (waiter_ == nullptr) {
            body = &destroy_at_home;
            touches = {};
            return worker.append(*this, home);
        }
        if (is_starting_on(worker.core())) { // it never left
            waiter_->left = 0;
            return;
        }
        body = &arrive;
        touches = Annotation::writes(waiter_);
        worker.append(*this, waiter_core_);
    }

    CoreId next_core_{};      // behind `home`, where a Task has room
    Resume resume_ = nullptr; // null until it is begun
    CoroutineWaiter* waiter_ = nullptr;
    CoreId waiter_core_{};     // a copy: the waiter's lines are that core's
    std::uint32_t nested_ = 0; // how many bodies its first part ran inside
};

} // namespace mxk
