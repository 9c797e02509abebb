// A worker runs the tasks of one core, one after the other, for ever. The turn between two tasks is the one safe point:
// there it looks at the core's attention word (one load and a compare), which is how interrupts and other cores speak
// to it; what is to be done then, rooms have registered as hooks. Without tasks the core halts until somebody sends
// one. All functions are for the worker's own core unless they say otherwise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#include "arch/attention.hpp"
#include "base/linked_list.hpp"
#include "base/panic.hpp"
#include "kernel/clock.hpp"
#include "kernel/memory/core_pool.hpp"
#include "kernel/memory/heap/core_heap.hpp"
#include "kernel/sync/rcu/grace_periods.hpp"
#include "tasks/attention_hook.hpp"
#include "tasks/owner_counter.hpp"
#include "tasks/queue/core_queue.hpp"
#include "tasks/queue/work_source.hpp"
#include "tasks/rcu/core_epoch.hpp"
#include "tasks/task_times.hpp"
#include "tasks/timers.hpp"

namespace mxk {

class CoreTimeline;

// What a worker has done so far. Any core may read it.
struct WorkerStatistics {
    OwnerCounter tasks_run;
    OwnerCounter hops;    // tasks sent to other cores
    OwnerCounter wakes;   // of these, how many had to wake the receiver
    OwnerCounter sleeps;  // halts begun
    OwnerCounter idle;    // cycles without a task
    OwnerCounter started; // the time stamp when it began
};

class alignas(cache_line_bytes) Worker {
  public:
    Worker(CoreId core, NodeId node, heap::CoreHeap& heap, CoreQueue::Memory queue_memory);
    Worker(Worker const&) = delete;
    Worker& operator=(Worker const&) = delete;

    // The worker of the calling core.
    static Worker& current() { return *static_cast<Worker*>(arch::core_local().kernel_core); }

    [[nodiscard]] CoreId core() const { return core_; }
    [[nodiscard]] NodeId node() const { return node_; }
    // Where this core stands in a set of cores that something runs on, and sets here, on this core: tasks find their
    // part of it without a look-up.
    [[nodiscard]] std::size_t place() const { return place_; }
    void set_place(std::size_t place) { place_ = static_cast<std::uint32_t>(place); }
    [[nodiscard]] WorkerStatistics const& statistics() const { return statistics_; }
    [[nodiscard]] QueueStatistics const& queue_statistics() const { return queue_.statistics(); }
    // Tasks for which something was fetched ahead.
    [[nodiscard]] OwnerCounter const& prefetched() const { return queue_.prefetched(); }
    CorePool& pool() { return pool_; }
    heap::CoreHeap& heap() { return heap_; }

    // To the end of this core's queue.
    [[gnu::always_inline]] void append(Task& task) { queue_.append(task); }

    // To the front of this core's queue, in their order: what was held up while others that came behind it were let
    // into the queue. Takes as long as a hundred tasks; `tasks` is empty then.
    void prepend(TaskList& tasks) { queue_.prepend(tasks); }

    // To the end of another core's queue (or this one's). Never blocks, except for the memory of the first task ever
    // sent there. It leaves together with others, after some more tasks of this core or when there are none.
    [[gnu::always_inline]] void append(Task& task, CoreId target) {
        if (target == core_) return append(task);
        send(task, target);
    }

    // To the end of this core's queue, from a thread of the system below, which is no worker. Any core, never blocks.
    void append_from_outside(Task& task) {
        if (queue_.send_from_outside(task)) arch::wake(core_);
    }

    // Appends the task when this core has nothing else to do, before it polls or sleeps; or, on a core that never runs
    // dry, after `max_wait` other tasks. Once: it asks again if it wants to be called again. Never blocks.
    void when_idle(Task& task) { waiting_for_idle_.append(task); }
    static constexpr unsigned max_wait = 1024;
    static constexpr unsigned attentions_per_task = 8; // then a task
    static_assert(max_wait % CoreQueue::round == 0);

    // Appends the task when the next round of tasks begins (up to CoreQueue::round of them), or at once when this core
    // has nothing else to do: for what looks at the time again and again, and does not count as something to do. The
    // core does not sleep meanwhile. Once, as when_idle(). Never blocks.
    void when_round(Task& task) { waiting_for_round_.append(task); }
    // For tasks appended by when_round() or when_idle(): whether there was nothing else to do.
    [[nodiscard]] bool ran_dry() const { return ran_dry_; }

    // Makes sure that what was sent so far is on its way. The worker does so by itself, between tasks: only for a body
    // that waits for another core's answer in the middle (run_until() calls it).
    void flush();
    void flush_if_needed() {
        if (queue_.needs_flush()) flush();
    }

    // How many tasks ahead of its turn the lines that a task touches are fetched (task_fifo.hpp); 0: not at all.
    void set_prefetch_distance(std::uint32_t tasks) { queue_.set_prefetch_distance(tasks); }
    [[nodiscard]] std::uint32_t prefetch_distance() const { return queue_.prefetch_distance(); }

    // How long it polls when it has no task, before it sleeps; by default about as long as sleep and wake-up take.
    // Nothing where other cores wait for the same processor meanwhile.
    void set_polling_time(Nanoseconds time) { polling_time_ = time; }
    [[nodiscard]] Nanoseconds polling_time() const { return polling_time_; }
    // From now on the core sleeps for so long where it has nothing to do, and looks again: its work source takes it for
    // a core that looks, and wakes no such core. Mail wakes it as ever. 0: it sleeps until it is woken. For comparison
    // (Falt 2010, section 6.2).
    void set_sleep_time(Nanoseconds time) { sleep_time_ = time; }

    // How long each task runs is counted there from now on; null: it is not measured.
    void measure_tasks(TaskTimes* times) {
        task_times_ = times;
        is_watched_ = task_times_ != nullptr || timeline_ != nullptr;
    }

    // A thread of the system below that has this core's processor wants to run from now on, or waits: while there are
    // such threads the worker does not poll, which would keep the processor from them. Where threads have turns among
    // the core's tasks nobody calls it. Any thread; never blocks.
    void note_thread_runs() { running_threads_.fetch_add(1, std::memory_order_relaxed); }
    void note_thread_waits() { running_threads_.fetch_sub(1, std::memory_order_relaxed); }

    // What the core does is recorded there from now on (timeline/timeline.hpp); null: it is not recorded.
    void record_to(CoreTimeline* timeline) {
        timeline_ = timeline;
        is_watched_ = task_times_ != nullptr || timeline_ != nullptr;
    }
    [[nodiscard]] CoreTimeline* timeline() const { return timeline_; }
    // Whether a body below the turn waits in the middle. Any core, for display.
    [[nodiscard, gnu::no_sanitize_thread]] bool is_inside_body() const { return unfinished_bodies_ != 0; }

    // A task of this core's pool; null if memory is exhausted.
    template <typename T, typename... Arguments> T* create(Arguments&&... arguments) {
        void* const place = pool_.allocate(sizeof(T));
        return place != nullptr ? new (place) T(std::forward<Arguments>(arguments)...) : nullptr;
    }
    template <typename T> void destroy(T& task) {
        task.~T();
        pool_.free(&task, sizeof(T));
    }

    // Notes when the core began to work. Once, before anything runs.
    void begin();
    // What the safe point does: for a task that took its time and goes on. The core does not count as quiescent.
    void attend_now() {
        if (!arch::needs_attention()) return;
        ++interrupted_bodies_;
        attend_between_slices();
        --interrupted_bodies_;
    }
    // The same, and the core does count, unless one of the bodies below does: for a body that goes on using nothing
    // that it has found in shared structures, or that is in a protected section while it does.
    void attend_between_slices() {
        if (!arch::needs_attention()) return;
        if (is_watched_) [[unlikely]]
            begin_slice();
        ++unfinished_bodies_;
        attend();
        --unfinished_bodies_;
    }
    // The rest of the core's life.
    [[noreturn]] void run();
    // The same until `done()`, asked as in run_until(): for the function that a core begins with, not for a task.
    template <typename Done> void serve_until(Done done) {
        while (!done()) turn();
    }

    // Runs tasks until `done()`, which is asked after each of them and after each interrupt. For the console's task,
    // which waits for other cores in the middle of its body: its core goes on working meanwhile. Tasks run this way
    // must not wait in turn. The core may be quiescent meanwhile: a body that goes on using what it has found in shared
    // structures is in a protected section (kernel/protected_section.hpp), or has nested in attend_now().
    template <typename Done> void run_until(Done done) {
        flush();
        if (is_watched_) [[unlikely]]
            begin_slice();
        ++unfinished_bodies_;
        while (!done()) turn();
        --unfinished_bodies_;
    }

    // What fires at the safe point after its time.
    Timers& timers() { return timers_; }

    // No further task of the round that has begun: what has come meanwhile is looked at first. For a task that took its
    // time.
    void end_round() { queue_.end_round(); }

    // Where else this core looks for work, from now on; null: nowhere.
    void set_work_source(WorkSource* source) { work_source_ = source; }
    [[nodiscard]] WorkSource* work_source() const { return work_source_; }
    // And, if there is nothing there, what was forked (fork/fork_core.hpp). Once, before the core runs.
    void set_forks(WorkSource* forks) { forks_ = forks; }
    [[nodiscard]] WorkSource* forks() const { return forks_; }

    // What to call at the safe point once a bit of the attention word is set. As many as rooms want.
    void add_hook(AttentionHook& hook) { hooks_.append(hook); }
    void remove_hook(AttentionHook& hook) { hooks_.remove(hook); }

    // How often the core was quiescent when somebody had asked (core_epoch.hpp has the rule). Any core: an epoch that
    // ends after all that is protected on this core now; it has ended once epoch().ended() is no less. A task
    // must not wait in its body for an epoch of its own core. The end wakes nobody: a waiter polls.
    std::uint64_t request_epoch() {
        std::uint64_t const number = epoch_.next();
        arch::notify(core_, arch::Attention::Epoch);
        return number;
    }
    [[nodiscard]] CoreEpoch const& epoch() const { return epoch_; }
    // Any core, for display: the task that runs, or ran last, as TaskFifo::latest(); null: none has.
    [[nodiscard]] Task const* latest_task() const { return queue_.latest(); }
    // Any core: how often something else than a task has begun or ended that may take long: what a work source has,
    // callbacks, hooks. Odd: it runs.
    [[nodiscard]] OwnerCounter const& other_work() const { return other_work_; }
    // What grace periods want of this core now, for a body that takes its time: the core is quiescent here, if nothing
    // below is in a section. One load if they want nothing.
    void pass_quiescent() {
        if (arch::needs_attention()) [[unlikely]]
            attend_between_slices();
    }

  private:
    // One task, or what there is to do between two rounds of them.
    [[gnu::always_inline]] void turn() {
        if (arch::needs_attention()) [[unlikely]]
            return attend_first();
        Task* const task = queue_.take();
        if (task == nullptr) [[unlikely]]
            return begin_round();
        run_task(*task);
    }
    [[gnu::always_inline]] void run_task(Task& task) {
        statistics_.tasks_run.add(1);
        if (is_watched_) [[unlikely]]
            return run_watched(task);
        task.body(*this, task);
    }
    class OtherWork {
      public:
        explicit OtherWork(Worker& worker)
            : counter_(worker.other_work_) {
            counter_.add(1);
        }
        OtherWork(OtherWork const&) = delete;
        OtherWork& operator=(OtherWork const&) = delete;
        ~OtherWork() { counter_.add(1); }

      private:
        OwnerCounter& counter_;
    };
    bool run_source(WorkSource& source);
    void run_watched(Task& task);
    void run_measured(Task& task);
    void note_hop(Task const& task, CoreId target);
    void begin_slice();
    void begin_round();
    bool find_tasks();
    // Wakes a core for the queue, and counts.
    struct Ring {
        Worker& worker;
        void operator()(CoreId sleeper) const;
    };
    void send(Task& task, CoreId target);
    void send_first(Task& task, CoreId target); // or the last one of a line
    void attend_first();
    void attend();
    void end_epochs();
    void attend_grace();
    [[nodiscard]] bool is_quiescent_while_halted() const;
    void halt();
    void append_waiting();
    void append_each_round(bool has_tasks);
    void idle();
    [[nodiscard]] bool has_other_work() {
        return (work_source_ != nullptr && work_source_->has_work()) || (forks_ != nullptr && forks_->has_work());
    }
    void sleep();
    void sleep_for_a_time();

    CoreId core_;
    NodeId node_;
    WorkerStatistics statistics_;
    bool is_watched_ = false; // tasks are measured, or the timeline is recorded; on the line of what is counted
    LinkedList<AttentionHook, &AttentionHook::links_> hooks_; // as they were added
    std::uint32_t unfinished_bodies_ = 0;                     // tasks' bodies below the turn, which wait in the middle
    std::uint32_t interrupted_bodies_ = 0;                    // of these, those that do so in attend_now()
    std::uint32_t place_ = 0;
    CorePool pool_;
    CoreQueue queue_;
    heap::CoreHeap& heap_;
    WorkSource* work_source_ = nullptr;
    TaskTimes* task_times_ = nullptr;
    CoreTimeline* timeline_ = nullptr;
    Timers timers_;
    AttentionHook timer_hook_;
    AttentionHook epoch_hook_;
    AttentionHook call_hook_;
    AttentionHook grace_hook_;
    AttentionHook heap_hook_;
    rcu::GracePeriods* grace_periods_ = nullptr;
    rcu::GracePeriods::Core* grace_ = nullptr;
    std::uint64_t grace_number_ = 0; // the one to be answered when grace_epoch_ has ended
    std::uint64_t grace_epoch_ = 0;
    Timer stall_timer_; // while the core halts and waits for one
    TaskList waiting_for_idle_;
    unsigned rounds_waited_ = 0; // since there are some
    unsigned times_attended_ = 0;
    bool ran_dry_ = false; // when the last one was appended
    TaskList waiting_for_round_;
    // Polling about as long as a halt, an interrupt and its sending cost together is never much worse than the better
    // of the two (Karlin et al. 1991): some microseconds on metal, some tens where both are emulated.
    Nanoseconds polling_time_{50'000};
    Nanoseconds sleep_time_{0};
    Timer sleep_timer_{[](Worker&, Timer&) {}};
    alignas(cache_line_bytes) CoreEpoch epoch_;     // others look at it
    std::atomic<std::uint32_t> running_threads_{0}; // relaxed: a hint; their threads write it
    // Here, where they move nothing that each task touches to another line.
    WorkSource* forks_ = nullptr;
    OwnerCounter other_work_;
};

} // namespace mxk
