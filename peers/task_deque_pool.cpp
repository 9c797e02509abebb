// The pool that everybody writes first: one thread, one std::deque, a mutex and a condition variable. It polls before
// it sleeps for as long as one of our workers does, so that a round trip between two pools finds both awake; and what
// is in the deque is a pointer to a task, so that it costs no allocation of its own.
#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <string>

#include "base/spin_wait.hpp"
#include "peers/task_layer.hpp"

namespace mxk::bench {
namespace {

class DequePool {
  public:
    using Task = PlainTask<DequePool>;

    // Throws std::system_error.
    explicit DequePool(CoreId core)
        : thread_(core, [this] { run(); }) {}
    DequePool(DequePool const&) = delete;
    DequePool& operator=(DequePool const&) = delete;
    ~DequePool() { give(nullptr); }

    // Its own thread.
    void append(Task& task) { give(&task); }
    void append(Task& task, DequePool* target) {
        if (target->give(&task)) ++rings_;
    }
    void when_idle(Task& task) { append(task); }
    static void flush() {}

    // Any thread.
    void post(Task& task) { give(&task); }
    // The same. Null: the pool is to end. Returns whether its thread had to be woken.
    bool give(Task* task) {
        bool woken = false;
        {
            std::lock_guard const lock(mutex_);
            tasks_.push_back(task);
            size_.store(tasks_.size(), std::memory_order_relaxed); // for polling; the mutex publishes the task
            woken = std::exchange(asleep_, false);
        }
        filled_.notify_one();
        return woken;
    }

    [[nodiscard]] std::uint64_t rings() const { return rings_; }
    [[nodiscard]] PinnedThread const& thread() const { return thread_; }

  private:
    void run() {
        for (Task* task = take(); task != nullptr; task = take()) task->body(*this, *task);
    }

    Task* take() {
        std::unique_lock lock(mutex_);
        if (tasks_.empty()) {
            lock.unlock();
            poll();
            lock.lock();
            while (tasks_.empty()) {
                asleep_ = true;
                filled_.wait(lock);
            }
        }
        Task* const task = tasks_.front();
        tasks_.pop_front();
        size_.store(tasks_.size(), std::memory_order_relaxed);
        return task;
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
    std::deque<Task*> tasks_;
    bool asleep_ = false; // the mutex's, as tasks_
    std::atomic<std::size_t> size_{0};
    std::uint64_t rings_ = 0; // its thread's: how often it has woken others
    PinnedThread thread_;     // the last: it uses all of the others
};

class DequePools : public TwoWorkers<DequePool> {
  public:
    using SleepWatch = SystemSleepWatch<DequePools>;

    static constexpr bool keeps_order = true;
    static constexpr bool counts_rings = true;
    static constexpr bool fixed_threads = true;

    using TwoWorkers::TwoWorkers;
    static bool runs_at(Worker const&, DequePool const* place) { return place->thread().is_here(); }
    static std::uint64_t rings(Worker const& pool) { return pool.rings(); }
    [[nodiscard]] pid_t sleeper() const { return second()->thread().number(); }
};

constexpr TaskPeer deque_pool{
    .name = "deque-pool",
    .library = [] { return std::string("std::deque, std::mutex, std::condition_variable; gcc " __VERSION__); },
    .measures = {Measure::Local, Measure::Hop, Measure::Stream, Measure::RoundTrip, Measure::RemoteRoundTrip,
                 Measure::Wake},
    .run = &run_in<DequePools>};
MXK_REGISTER(mxk_task_peers, TaskPeer, deque_pool);

} // namespace
} // namespace mxk::bench
