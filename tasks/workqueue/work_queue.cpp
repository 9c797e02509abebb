#include "tasks/workqueue/work_queue.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/inject.hpp"
#include "base/log.hpp"
#include "base/panic.hpp"
#include "base/spin_wait.hpp"
#include "kernel/clock.hpp"
#include "tasks/attention_hook.hpp"
#include "tasks/threads/thread_backend.hpp"
#include "tasks/workers.hpp"

namespace mxk {
namespace {

// Without memory for the only worker, until it is tried again.
constexpr Nanoseconds time_between_attempts{10'000'000};

NodeId node_of_caller() {
    return workers::of(in_thread() ? this_thread::core() : Worker::current().core()).node();
}

Result<void> check(WorkQueueLimits const& limits) {
    if (limits.max_workers == 0 || limits.max_running == 0 || limits.items_per_worker == 0)
        return Error::of("work queue: expected no less than one worker, one that runs and one item for each, got {}, "
                         "{} and {}",
                         limits.max_workers, limits.max_running, limits.items_per_worker);
    if (limits.min_idle > limits.max_workers || limits.max_workers > WorkQueue::max_max_workers)
        return Error::of("work queue: expected up to {} workers, of which those that stay idle are a part, got {} and "
                         "{}",
                         WorkQueue::max_max_workers, limits.max_workers, limits.min_idle);
    return {};
}

} // namespace

constinit WorkQueue::ArrivedItems WorkQueue::arrived_{};
constinit WorkQueue::QueueList WorkQueue::all_{};
constinit SpinLock WorkQueue::all_lock_{lock_bands::objects.rank(11)};

// Tells who stops the queue that its last worker has left.
struct WorkQueue::Finish : Task {
    Finish()
        : Task([](Worker&, Task& task) { static_cast<Finish&>(task).has_come = true; },
               in_thread() ? this_thread::core() : Worker::current().core())
        , is_thread(in_thread()) {}
    void tell() {
        if (is_thread) return told.post();
        send_task(*this, home);
    }
    void wait() {
        if (is_thread) return told.wait();
        Worker::current().run_until([this] { return has_come; });
    }
    bool is_thread;
    bool has_come = false; // a task's core looks at it
    Semaphore told{0};     // a thread waits for it
};

WorkQueue::Helper::Retry::Retry(Helper& its_helper)
    : Timer([](Worker& worker, Timer& timer) { worker.append(static_cast<Retry&>(timer).helper); })
    , helper(its_helper) {}

WorkQueue::Helper::Helper(WorkQueue& its_queue)
    : Task(&Helper::run)
    , queue(its_queue) {}

void WorkQueue::Helper::run(Worker& worker, Task& task) {
    auto& self = static_cast<Helper&>(task);
    if (!self.is_put_off) return self.queue.create_worker(*self.slot); // the queue, and this, may be gone then
    self.is_put_off = false;
    worker.timers().set(self.retry, clock::timestamp() + clock::to_cycles(time_between_attempts));
}

Result<WorkQueue::Memory> WorkQueue::Memory::create(WorkQueueOptions const& options) {
    WorkQueueLimits const limits = options.limits.value_or(default_work_queue_limits(workers::count()));
    MXK_TRY(check(limits));
    NodeId const node = options.node ? *options.node : node_of_caller();
    auto slots = MXK_TRY(NodeVector<Slot>::create(std::size_t{2} * limits.max_workers, node));
    auto cores = MXK_TRY(NodeVector<CoreUse>::create(workers::count(), node));
    for (std::size_t i = 0; i < workers::count(); ++i) cores.emplace();
    return Memory(options, limits, std::move(slots), std::move(cores));
}

WorkQueue::WorkQueue(Memory memory)
    : name_(memory.options.name)
    , limits_(memory.limits)
    , stack_bytes_(memory.options.stack_bytes)
    , create_thread_(memory.options.create_thread)
    , slots_(std::move(memory.slots))
    , cores_(std::move(memory.cores)) {
    for (std::size_t i = 0; i < slots_.capacity(); ++i) free_.append(slots_.emplace(*this));
    LockGuard const guard(all_lock_);
    all_.append(*this);
}

WorkQueue::~WorkQueue() {
    if (!is_stopped()) stop();
    LockGuard const guard(all_lock_);
    all_.remove(*this);
}

// The items: all under the lock.

void WorkQueue::append(WorkItem& item) {
    item.next_ = nullptr;
    (last_ != nullptr ? last_->next_ : first_) = &item;
    last_ = &item;
    ++counts_.items;
}

WorkItem* WorkQueue::take_first() {
    WorkItem* const item = first_;
    if (item == nullptr) return nullptr;
    first_ = item->next_;
    if (first_ == nullptr) last_ = nullptr;
    --counts_.items;
    ++executed_;
    return item;
}

bool WorkQueue::enqueue(WorkItem& item, WorkItem::Function function, MayBlock may_block) {
    Action action;
    {
        LockGuard const guard(lock_);
        if (stopping_) return false;
        item.function_ = function;
        append(item);
        action = plan(may_block == MayBlock::Yes);
    }
    perform(action);
    return true;
}

// A core's safe point, or who stops a queue.
void WorkQueue::take_from_interrupts() {
    WorkItem* next = arrived_.take_oldest_first();
    while (next != nullptr) {
        WorkItem& item = *std::exchange(next, next->next_);
        WorkQueue& queue = *item.queue_;
        Action action;
        {
            LockGuard const guard(queue.lock_);
            queue.append(item);
            action = queue.plan(false);
        }
        queue.perform(action);
        queue.from_interrupts_.fetch_sub(1, std::memory_order_release); // the queue may be gone; pairs with stop()
    }
}

AttentionHook WorkQueue::hook() {
    return {arch::Attention::Deferred, [](Worker&, AttentionHook&) { take_from_interrupts(); }};
}

// The workers: how many there are is decided under the lock, what follows from it is done without.

WorkQueue::Action WorkQueue::plan(bool may_block) {
    switch (growth_of(limits_, counts_, may_block)) {
    case Growth::None: return {};
    case Growth::Wake: {
        Slot& slot = best_idle();
        take_idle(slot);
        begin_start(slot);
        return {.wake = &slot};
    }
    case Growth::Create: break;
    }
    Slot* const slot = free_.first();
    expect(slot != nullptr, "there are two places for each worker of a queue");
    free_.remove(*slot);
    slot->core = emptiest_core();
    ++cores_[index(slot->core)].workers;
    ++counts_.workers;
    max_workers_at_once_ = std::max(max_workers_at_once_, counts_.workers);
    begin_start(*slot);
    return {.create = slot, .by_helper = !may_block};
}

void WorkQueue::take_idle(Slot& slot) {
    idle_.remove(slot);
    --counts_.idle;
    --cores_[index(slot.core)].idle;
}

void WorkQueue::begin_start(Slot& slot) {
    slot.is_starting = true;
    ++counts_.starting;
}

void WorkQueue::end_start(Slot& slot) {
    if (!std::exchange(slot.is_starting, false)) return;
    --counts_.starting;
}

CoreId WorkQueue::emptiest_core() {
    std::size_t best = next_core_;
    for (std::size_t i = 0; i < cores_.size(); ++i) {
        std::size_t const core = (next_core_ + i) % cores_.size();
        if (cores_[core].workers < cores_[best].workers) best = core;
    }
    next_core_ = (best + 1) % cores_.size();
    return core_id(best);
}

// One whose core has the fewest others of this queue that are not idle.
WorkQueue::Slot& WorkQueue::best_idle() const {
    auto const company = [this](Slot const& slot) {
        CoreUse const& use = cores_[index(slot.core)];
        return use.workers - use.idle;
    };
    Slot* best = idle_.last(); // what was at work last is in the caches still
    for (Slot* slot = best; slot != nullptr && company(*best) > 0; slot = SlotList::previous(*slot))
        if (company(*slot) < company(*best)) best = slot;
    return *best;
}

void WorkQueue::perform(Action const& action) {
    inject::point();
    if (action.wake != nullptr) return action.wake->wake.post();
    if (action.finish != nullptr) return action.finish->tell();
    if (action.create == nullptr) return;
    if (action.by_helper) return call_helper(*action.create, false);
    create_worker(*action.create);
}

void WorkQueue::call_helper(Slot& slot, bool is_put_off) {
    helper_.slot = &slot;
    helper_.is_put_off = is_put_off;
    // Where the worker is to live, if that core runs tasks.
    send_task(helper_, workers::serves(slot.core) ? slot.core : core_id(workers::count() - 1));
}

void WorkQueue::create_worker(Slot& slot) {
    FixedText<31> name;
    format(name, "workq {}", name_.view());
    auto thread =
        create_thread_({.core = slot.core, .name = name.view(), .stack_bytes = stack_bytes_}, &WorkQueue::enter, &slot);
    if (!thread) return give_up(slot, thread.error());
    inject::point();
    slot.thread.emplace(std::move(thread).value());
    {
        LockGuard const guard(lock_);
        ++created_;
        is_warned_ = false;
    }
    slot.wake.post(); // the last that is done with the queue, which may be stopped by now
}

// The queue goes on with the workers that it has. If none of them is active, and none will come, it tries again.
void WorkQueue::give_up(Slot& slot, Error const& error) {
    Action next;
    bool warns = false;
    std::size_t workers_left = 0;
    {
        LockGuard const guard(lock_);
        end_start(slot);
        --counts_.workers;
        --cores_[index(slot.core)].workers;
        free_.append(slot);
        ++not_created_;
        warns = !std::exchange(is_warned_, true);
        workers_left = counts_.workers;
        next = plan(false);
        next.finish = finish_of_all();
    }
    if (warns)
        log::warn("work queue '{}': no worker could be created, it goes on with {}: {}", name_.view(), workers_left,
                  error.message());
    if (next.create != nullptr) return call_helper(*next.create, true);
    perform(next);
}

void WorkQueue::note_blocked() {
    Action action;
    {
        LockGuard const guard(lock_);
        ++counts_.blocked;
        action = plan(false);
    }
    perform(action);
}

void WorkQueue::note_unblocked() {
    LockGuard const guard(lock_);
    --counts_.blocked;
}

// A worker's life.

void WorkQueue::enter(void* slot) {
    auto& self = *static_cast<Slot*>(slot);
    self.queue.work(self);
}

void WorkQueue::work(Slot& slot) {
    slot.wake.wait();
    WaitObserver*& observer = thread_backend::current()->wait_observer;
    while (WorkItem* const item = next_item(slot)) {
        observer = &slot;
        item->function_(*item);
        observer = nullptr;
    }
}

// Null: the worker has left.
WorkItem* WorkQueue::next_item(Slot& slot) {
    for (;;) {
        release_ended();
        inject::point();
        Action action;
        WorkItem* item = nullptr;
        bool leaves = false;
        {
            LockGuard const guard(lock_);
            end_start(slot);
            leaves = stopping_ ? counts_.items == 0 : is_superfluous(limits_, counts_);
            if (leaves) {
                action = leave(slot);
            } else if (item = take_first(); item != nullptr) {
                action = plan(true);
            } else {
                idle_.append(slot);
                ++counts_.idle;
                ++cores_[index(slot.core)].idle;
            }
        }
        perform(action); // the queue may be gone if it leaves
        if (leaves || item != nullptr) return item;
        slot.wake.wait();
    }
}

// Under the lock. Another worker joins it: one that is active, or else an idle one, which is woken for it; or stop().
WorkQueue::Action WorkQueue::leave(Slot& slot) {
    --counts_.workers;
    --cores_[index(slot.core)].workers;
    ended_.append(slot);
    has_ended_.store(true, std::memory_order_relaxed);
    ++ended_count_;
    Slot* const joiner = idle_.last();
    if (joiner == nullptr) return {.finish = finish_of_all()};
    take_idle(*joiner);
    return {.wake = joiner};
}

void WorkQueue::release_ended() {
    if (!has_ended_.load(std::memory_order_relaxed)) return; // stop() looks again
    Slot* ended = nullptr;
    {
        LockGuard const guard(lock_);
        has_ended_.store(false, std::memory_order_relaxed);
        ended = ended_.take_all();
    }
    while (ended != nullptr) {
        Slot& slot = *std::exchange(ended, SlotList::next(*ended));
        expect(slot.thread->join().ok(), "a worker that has ended is joined once");
        slot.thread.reset();
        LockGuard const guard(lock_);
        ++joined_;
        free_.append(slot);
    }
}

// Under the lock: who is to be told that the last worker has left, if it has.
WorkQueue::Finish* WorkQueue::finish_of_all() const {
    return counts_.workers == 0 ? finish_ : nullptr;
}

void WorkQueue::stop() {
    if (in_thread()) {
        auto const* const slot = static_cast<Slot*>( // nobody else observes waits
            thread_backend::current()->wait_observer);
        expect(slot == nullptr || &slot->queue != this, "a work function stops its own queue, which waits for its end");
    }
    {
        LockGuard const guard(lock_);
        expect(!stopping_, "a work queue is stopped once");
        stopping_ = true;
    }
    // seq_cst and acquire: pairs with enqueue_from_interrupt() and take_from_interrupts()
    inject::point();
    is_closed_to_interrupts_.store(true, std::memory_order_seq_cst);
    for (SpinWait wait; from_interrupts_.load(std::memory_order_seq_cst) != 0; wait.turn()) take_from_interrupts();
    bool is_used = false;
    {
        LockGuard const guard(lock_);
        is_used = counts_.workers != 0;
    }
    if (is_used) wait_for_end();
    release_ended();
    LockGuard const guard(lock_);
    is_stopped_ = true;
}

void WorkQueue::wait_for_end() {
    Finish finish;
    {
        LockGuard const guard(lock_);
        if (counts_.workers == 0) return; // meanwhile: nobody is left who would tell
        finish_ = &finish;
    }
    for (;;) {
        Slot* slot = nullptr;
        {
            LockGuard const guard(lock_);
            slot = idle_.first();
            if (slot == nullptr) break;
            take_idle(*slot);
        }
        slot->wake.post();
    }
    finish.wait();
}

bool WorkQueue::is_stopped() const {
    LockGuard const guard(lock_);
    return is_stopped_;
}

WorkQueueReport WorkQueue::report() const {
    LockGuard const guard(lock_);
    return {.name = name_.view(),
            .limits = limits_,
            .counts = counts_,
            .executed = executed_,
            .created = created_,
            .ended = ended_count_,
            .joined = joined_,
            .not_created = not_created_,
            .max_workers_at_once = max_workers_at_once_,
            .is_stopping = stopping_};
}

void WorkQueue::for_each(void (*visit)(WorkQueue const&, void* context), void* context) {
    LockGuard const guard(all_lock_);
    for (WorkQueue const* queue = all_.first(); queue != nullptr; queue = all_.next(*queue)) visit(*queue, context);
}

} // namespace mxk
