// A thread of MxOS: a task whose body goes to the thread's stack for the length of a slice (thesis section 2.3). A
// system call is the way back: the thread leaves its stack, and the core runs, as a task of its own, what the thread
// wants to have done there, where nothing preempts it and the worker may be used.
//
//     in the core's FIFO <-> running -> waiting (semaphore, timer) -> in the FIFO ... -> ended
#pragma once

#include "arch/execution.hpp"
#include "arch/stacks.hpp"
#include "kernel/memory/memory.hpp"
#include "tasks/task.hpp"
#include "tasks/threads/semaphore_core.hpp"
#include "tasks/threads/thread_record.hpp"
#include "tasks/timers.hpp"
#include "tasks/worker.hpp"

namespace mxk {

class MxosThread final : public Task, public ThreadRecord, public arch::Execution, public SemaphoreCore::Waiter {
  public:
    MxosThread(ThreadOptions const& options, Thread::Entry its_entry, void* its_argument, memory::Block const& block);

    static Result<MxosThread*> create(ThreadOptions const& options, Thread::Entry entry, void* argument);
    // Nobody runs it any more, or will.
    static void destroy(MxosThread& thread);

    // The caller; null: a task.
    static MxosThread* current() { return static_cast<MxosThread*>(arch::running()); }

    // What the thread runs whose turn the task is; null: no thread's.
    static Thread::Entry entry_of(Task const& task) {
        return task.body == &run_slice ? static_cast<MxosThread const&>(task).entry : nullptr;
    }

    // What becomes of a thread after a call: Continue: it runs at once, with the rest of its slice. Switch: something
    // else has it now and will append it. End: it is over, and may be gone.
    enum class NextAction : std::uint8_t { Continue, Switch, End };
    // What the thread wants to have done: on the thread's core, on that core's stack.
    using Call = NextAction (*)(Worker& worker, MxosThread& thread, void* argument);
    // By the thread itself.
    void call(Call function, void* call_argument);

    // To the end of its core's queue. Any core's task.
    void append_by(Worker& worker);

    // Around each wait. To the end of its core's queue when it is over. Any core's task.
    void begin_wait() {
        if (wait_observer != nullptr) wait_observer->wait_begins();
    }
    void end_wait() {
        if (wait_observer != nullptr) wait_observer->wait_ends();
    }
    void wake_by(Worker& worker) {
        end_wait();
        append_by(worker);
    }

    // Calls alarm(worker, thread) at this time, unless it runs again before. Its core's tasks.
    using Alarm = void (*)(Worker& worker, MxosThread& thread);
    void set_alarm(Worker& worker, Cycles when, Alarm alarm);

    // See kill.hpp. Its core's tasks, while it does not run.
    void want_end(Worker& worker);
    // Its end, as the thread's own call, or in place of its turn.
    NextAction finish();

    [[nodiscard]] ThreadUse use() const;
    // What it has had too much so far, which its next slices are shorter by. Any core.
    [[nodiscard]] Cycles overrun() const { return overrun_.load(std::memory_order_relaxed); }
    void note(ThreadState state) { state_.store(state, std::memory_order_relaxed); } // for display

    // Of one that waits for a semaphore, until its next turn: that, and how to take it out of the list of waiters,
    // which sets timed_out and appends the thread.
    void* waits_at = nullptr;
    Alarm withdraw = nullptr;
    bool timed_out = false;

  private:
    struct AlarmTimer : Timer {
        explicit AlarmTimer(MxosThread& its_thread);
        MxosThread& thread;
        Alarm alarm = nullptr;
    };

    static void run_slice(Worker& worker, Task& task);
    [[nodiscard]] arch::Stop run_until(Worker& worker, Cycles& now, Cycles until);
    void be_preempted(Worker& worker, Cycles overrun);
    void skip_turn(Worker& worker);
    static void begin(void* thread);

    memory::Block block_; // that it lies in, with its vector state
    arch::stacks::Stack stack_{};
    FixedText<48> stack_purpose_;
    Cycles slice_cycles_;
    std::atomic<Cycles> overrun_{}; // written by its core only
    Call call_ = nullptr;
    void* call_argument_ = nullptr;
    AlarmTimer alarm_{*this};
    std::atomic<ThreadState> state_{ThreadState::Ready};
    OwnerCounter run_cycles_;
    OwnerCounter switches_;
    OwnerCounter preemptions_;
};

} // namespace mxk
