// Work that may wait in the middle, off the way of tasks: functions that threads of a pool run, in the order in which
// they were enqueued. The pool grows with the load and while workers wait for semaphores, mutexes or a time, since the
// thread layer says so (tasks/threads/wait_observer.hpp); and shrinks again. Its rules: worker_balance.hpp.
//
//     struct Letter : WorkItem { ... };                 the caller's, for itself again when its function is entered
//     system_work_queue().enqueue(letter, [](WorkItem& item) { auto& letter = static_cast<Letter&>(item); ... });
//
// After HelenOS' work queue (Hraska 2013), which creates threads for any core; here each lives on one, that of the
// machine which has the fewest workers of this queue.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "base/linked_list.hpp"
#include "base/push_stack.hpp"
#include "base/result.hpp"
#include "base/spin_lock.hpp"
#include "base/text.hpp"
#include "kernel/memory/node_vector.hpp"
#include "tasks/attention_hook.hpp"
#include "tasks/task.hpp"
#include "tasks/threads/semaphore.hpp"
#include "tasks/threads/thread.hpp"
#include "tasks/threads/wait_observer.hpp"
#include "tasks/timers.hpp"
#include "tasks/workqueue/worker_balance.hpp"

namespace mxk {

class WorkQueue;

// One piece of work, which its maker keeps until its function is entered. In up to one queue at a time. The function is
// called in a thread of the queue's and may wait there; it returns, and does not end the thread.
class WorkItem {
  public:
    using Function = void (*)(WorkItem& item);

  private:
    friend class WorkQueue;
    WorkItem* next_ = nullptr;
    Function function_ = nullptr;
    WorkQueue* queue_ = nullptr; // while it comes from an interrupt handler
};

// As Thread::create().
using CreateThread = Result<Thread> (*)(ThreadOptions const& options, Thread::Entry entry, void* argument);

struct WorkQueueOptions {
    std::string_view name = "work queue";         // up to 23 bytes of it are kept
    std::optional<WorkQueueLimits> limits{};      // none: default_work_queue_limits()
    std::size_t stack_bytes = 64 * KiB;           // of each worker
    std::optional<NodeId> node{};                 // where its own data lies; none: that of the caller
    CreateThread create_thread = &Thread::create; // a test's own may refuse
};

// What a queue has done so far, and how it stands; the numbers are of one moment.
struct WorkQueueReport {
    std::string_view name;
    WorkQueueLimits limits;
    WorkQueueCounts counts;
    std::uint64_t executed;    // items whose function was entered
    std::uint64_t created;     // workers
    std::uint64_t ended;       // workers
    std::uint64_t joined;      // of these, those whose memory has been given back
    std::uint64_t not_created; // attempts for which there was no memory
    std::size_t max_workers_at_once;
    bool is_stopping;
};

class WorkQueue {
  public:
    enum class MayBlock : std::uint8_t { No, Yes };

    static constexpr std::uint32_t max_max_workers = 100'000;

    // What a queue needs of its own.
    class Memory;

    // Without workers; they come with the items. A task or a thread.
    explicit WorkQueue(Memory memory);
    // Stops it. Who may do so: as stop().
    ~WorkQueue();
    WorkQueue(WorkQueue const&) = delete;
    WorkQueue& operator=(WorkQueue const&) = delete;

    // function(item) is run by a worker, behind all that was enqueued before. False: the queue is being stopped,
    // nothing was done. Tasks and threads, also in a work function. `may_block`: the caller may create a worker itself,
    // which takes memory and the locks of who has it. Else it only wakes one, or has a helper create it, and never
    // blocks.
    [[nodiscard]] bool enqueue(WorkItem& item, WorkItem::Function function, MayBlock may_block = MayBlock::Yes);
    // The same in an interrupt or signal handler of a core, or of a thread that lives on one: never blocks. The item is
    // in its place of the order when the core has come to its safe point.
    [[nodiscard]] bool enqueue_from_interrupt(WorkItem& item, WorkItem::Function function);

    // Nothing more is taken; returns when all that was has been run and the workers have ended. Once. A thread, or a
    // task that may Worker::run_until(); not a work function of this queue, which would wait for itself.
    void stop();

    // Any core.
    [[nodiscard]] WorkQueueReport report() const;

    // Calls visit(queue, context) for each queue there is, while none can come or go.
    static void for_each(void (*visit)(WorkQueue const&, void* context), void* context);
    // By which a core takes items from interrupt handlers.
    static AttentionHook hook();

  private:
    // A place for a worker. In one of the lists below, or starting, or at work.
    struct Slot final : WaitObserver {
        explicit Slot(WorkQueue& its_queue)
            : queue(its_queue) {}
        void wait_begins() override { queue.note_blocked(); }
        void wait_ends() override { queue.note_unblocked(); }

        WorkQueue& queue;
        CoreId core{};
        bool is_starting = false;
        Semaphore wake{0};
        std::optional<Thread> thread{}; // from before it is woken for the first time until it is joined
        ListLinks<Slot> links{};
    };
    using SlotList = LinkedList<Slot, &Slot::links>;

    struct Finish;

    // What is to be done for another active worker, when the lock is given back.
    struct Action {
        Slot* wake = nullptr;
        Slot* create = nullptr;
        bool by_helper = false;
        Finish* finish = nullptr; // the last worker has left
    };
    struct CoreUse {
        std::uint32_t workers = 0;
        std::uint32_t idle = 0;
    };

    // Creates a worker where nobody else may: one at a time, since there is only one while no other worker is active.
    struct Helper : Task {
        explicit Helper(WorkQueue& its_queue);
        static void run(Worker& worker, Task& task);
        WorkQueue& queue;
        Slot* slot = nullptr;
        bool is_put_off = false;
        struct Retry : Timer {
            explicit Retry(Helper& its_helper);
            Helper& helper;
        } retry{*this};
    };
    static void enter(void* slot);
    void work(Slot& slot);
    WorkItem* next_item(Slot& slot);
    Action leave(Slot& slot);
    void release_ended();

    void append(WorkItem& item);
    WorkItem* take_first();
    Action plan(bool may_block);
    void take_idle(Slot& slot);
    void begin_start(Slot& slot);
    void end_start(Slot& slot);
    void perform(Action const& action);
    void create_worker(Slot& slot);
    void give_up(Slot& slot, Error const& error);
    void call_helper(Slot& slot, bool is_put_off);
    void note_blocked();
    void note_unblocked();
    [[nodiscard]] Finish* finish_of_all() const;
    [[nodiscard]] bool is_stopped() const;
    void wait_for_end();
    [[nodiscard]] CoreId emptiest_core();
    [[nodiscard]] Slot& best_idle() const;
    static void take_from_interrupts();

    FixedText<23> name_;
    WorkQueueLimits limits_;
    std::size_t stack_bytes_;
    CreateThread create_thread_;
    NodeVector<Slot> slots_;       // twice as many as there may be workers: some of them may have to be joined yet
    ListLinks<WorkQueue> links_{}; // all queues
    Helper helper_{*this};
    // Items on their way from interrupt handlers, and handlers that have not looked yet whether the queue is stopped.
    std::atomic<std::uint32_t> from_interrupts_{0};
    std::atomic<bool> is_closed_to_interrupts_{false};
    std::atomic<bool> has_ended_{false}; // ended_ is not empty; relaxed: what finds it looks again under the lock

    mutable SpinLock lock_{lock_bands::waking.rank(1)}; // all below
    WorkItem* first_ = nullptr;                         // and last_ == nullptr: no item
    WorkItem* last_ = nullptr;
    WorkQueueCounts counts_;
    NodeVector<CoreUse> cores_; // by core
    std::size_t next_core_ = 0;
    SlotList free_;
    SlotList idle_;
    SlotList ended_; // to be joined
    bool stopping_ = false;
    bool is_stopped_ = false;
    bool is_warned_ = false; // that there was no worker to be had
    Finish* finish_ = nullptr;
    std::uint64_t executed_ = 0;
    std::uint64_t created_ = 0;
    std::uint64_t ended_count_ = 0;
    std::uint64_t joined_ = 0;
    std::uint64_t not_created_ = 0;
    std::size_t max_workers_at_once_ = 0;

    using ArrivedItems = PushStack<WorkItem, &WorkItem::next_>;
    using QueueList = LinkedList<WorkQueue, &WorkQueue::links_>;
    static ArrivedItems arrived_; // from interrupt handlers, of all queues
    static SpinLock all_lock_;    // all_
    static QueueList all_;
};

class WorkQueue::Memory {
  public:
    // Errors: limits that do not fit together, no memory. A task or a thread, once there are workers (workers.hpp).
    static Result<Memory> create(WorkQueueOptions const& options);

  private:
    friend class WorkQueue;
    Memory(WorkQueueOptions const& its_options, WorkQueueLimits const& its_limits, NodeVector<Slot> its_slots,
           NodeVector<CoreUse> its_cores)
        : options(its_options)
        , limits(its_limits)
        , slots(std::move(its_slots))
        , cores(std::move(its_cores)) {}
    WorkQueueOptions options;
    WorkQueueLimits limits;
    NodeVector<Slot> slots;
    NodeVector<CoreUse> cores;
};

// The queue of the whole machine, for whatever has work and no queue of its own.
WorkQueue& system_work_queue();

namespace system_queue {

// When there are workers. Errors: no memory.
Result<void> create();
// Stops it. While the cores run; who may call it: as WorkQueue::stop(), and anybody if nothing was ever enqueued.
void destroy();
// Whether something was enqueued.
[[nodiscard]] bool has_worked();

} // namespace system_queue

} // namespace mxk
