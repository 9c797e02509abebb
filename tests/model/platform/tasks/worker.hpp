// tasks/worker.hpp for the model checker: which core it is, its tasks, and their ways to other cores, first in, first
// out from each core to each other one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdlib>
#include <utility>

#include "base/spin_wait.hpp"
#include "base/units.hpp"
#include "tasks/queue/task_list.hpp"
#include "tasks/task.hpp"
#include "tasks/timers.hpp"
#include "tests/model/atomic.hpp"

namespace mxk {

class CoreTimeline;

namespace test {

// Tasks that run between two looks at what has come, if there are so many. Set by a use.
inline std::size_t model_round = 32;

} // namespace test

class Worker {
  public:
    explicit Worker(CoreId core)
        : core_(core) {}
    static Worker& current();

    [[nodiscard]] CoreId core() const { return core_; }
    [[nodiscard]] NodeId node() const { return NodeId{}; }
    [[nodiscard]] static CoreTimeline* timeline() { return nullptr; }

    void append(Task& task) {
        task.next = nullptr; // a race with who still uses it
        put(task);
        if (&task != running_) note_progress();
    }
    void append(Task& task, CoreId target);
    // From a thread that is no core, one at a time; the harness takes it.
    void append_from_outside(Task& task) {
        test::WeakMemory::current().check(outside_.load(std::memory_order_relaxed) == nullptr, "a second one");
        task.next = nullptr;
        outside_.store(&task, std::memory_order_release);
    }
    Task* take_from_outside() { return outside_.exchange(nullptr, std::memory_order_acquire); }
    [[nodiscard]] bool has_outside() const { return outside_.load(std::memory_order_relaxed) != nullptr; }
    void prepend(TaskList& tasks) {
        std::array<Task*, max_tasks> before{};
        std::size_t const count = count_;
        for (std::size_t i = 0; i < count; ++i) before.at(i) = take();
        while (Task* const task = tasks.take()) put(*task);
        for (std::size_t i = 0; i < count; ++i) put(*before.at(i));
    }
    void when_idle(Task& task) {
        check_is_new(task);
        waiting_for_idle_.at(idle_count_++) = &task;
    }
    void when_round(Task& task) {
        check_is_new(task);
        waiting_for_round_.at(round_count_++) = &task;
    }
    [[nodiscard]] bool ran_dry() const { return ran_dry_; }
    [[nodiscard]] Nanoseconds polling_time() const { return polling_time_; }
    void set_polling_time(Nanoseconds time) { polling_time_ = time; }
    Timers& timers() { return timers_; }
    template <typename T, typename... Arguments> T* create(Arguments&&... arguments) {
        return test::ModelMemory::make<T>(std::forward<Arguments>(arguments)...);
    }
    template <typename T> void destroy(T& task) { task.~T(); }

    template <typename Done> void run_until(Done done) {
        SpinWait wait;
        while (!done()) {
            turn();
            if (turns_without_progress_ != 0 && turns_without_progress_ >= count_)
                wait.turn();
            else
                wait = SpinWait();
        }
    }

    // The harness's: from and to so many cores.
    void open(std::size_t cores);
    // Besides the task that runs.
    [[nodiscard]] bool has_others() const { return count_ != 0 || round_count_ != 0 || idle_count_ != 0; }
    // A task has done something: if it stands in the queue again, it is none that only waits there.
    void note_progress() { turns_without_progress_ = 0; }

  private:
    static constexpr std::size_t max_tasks = 64;
    struct Letter {
        Task* task = nullptr;
        test::ModelAtomic<Letter*> next{nullptr};
    };

    void check_is_new(Task& task) const {
        bool is_there = false;
        for (std::size_t i = 0; i < count_; ++i) is_there = is_there || tasks_.at((first_ + i) % max_tasks) == &task;
        for (std::size_t i = 0; i < idle_count_; ++i) is_there = is_there || waiting_for_idle_.at(i) == &task;
        for (std::size_t i = 0; i < round_count_; ++i) is_there = is_there || waiting_for_round_.at(i) == &task;
        test::WeakMemory::current().check(!is_there, "a task stands in a queue twice");
    }
    void put(Task& task) {
        check_is_new(task);
        if (count_ == max_tasks) std::abort();
        tasks_.at((first_ + count_++) % max_tasks) = &task;
    }
    Task* take() {
        --count_;
        return tasks_.at(first_++ % max_tasks);
    }
    void turn() {
        if (count_ == 0 || round_left_ == 0) return begin_round();
        --round_left_;
        ++turns_without_progress_;
        Task& task = *take();
        std::size_t const before = count_;
        Task* const outer = std::exchange(running_, &task);
        Task::Body const body = task.body;
        body(*this, task);
        running_ = outer;
        if (count_ == before || task.body != body) note_progress(); // it is not there any more, or another one
    }
    void begin_round() {
        for (std::size_t from = 0; from < cores_; ++from) collect(from);
        round_left_ = test::model_round;
        bool const has_tasks = count_ != 0;
        if (round_count_ != 0 || (idle_count_ != 0 && !has_tasks)) ran_dry_ = !has_tasks;
        if (!has_tasks) put_all(waiting_for_idle_, idle_count_);
        put_all(waiting_for_round_, round_count_);
        if (count_ == 0) timers_.expire(*this);
        if (count_ == 0) ++turns_without_progress_;
    }
    void put_all(std::array<Task*, 4> const& tasks, std::size_t& count) {
        std::size_t const all = std::exchange(count, 0);
        for (std::size_t i = 0; i < all; ++i) put(*tasks.at(i));
    }
    void collect(std::size_t from) {
        if (from == index(core_)) return;
        while (Letter* const letter = received_.at(from)->next.load(std::memory_order_acquire)) {
            received_.at(from) = letter;
            note_progress();
            put(*letter->task);
        }
    }

    CoreId core_;
    test::ModelAtomic<Task*> outside_{nullptr};
    std::size_t cores_ = 0;
    std::array<Task*, max_tasks> tasks_{};
    std::size_t first_ = 0;
    std::size_t count_ = 0;
    std::size_t round_left_ = 0;
    Task* running_ = nullptr;
    std::size_t turns_without_progress_ = 0; // the last ones
    std::array<Task*, 4> waiting_for_idle_{};
    std::size_t idle_count_ = 0;
    std::array<Task*, 4> waiting_for_round_{};
    std::size_t round_count_ = 0;
    bool ran_dry_ = false;
    Nanoseconds polling_time_{};
    Timers timers_;
    std::array<Letter*, test::max_model_threads> received_{}; // the last one, by the core that it came from
    std::array<Letter*, test::max_model_threads> sent_{};     // by the one that it went to
};

namespace test {

// Thread 1 is core 0's.
inline std::array<Worker*, max_model_threads> model_workers{};
inline std::size_t model_worker_count = 0;
// In begin(), after ModelMemory::begin_run().
inline void make_model_workers(std::size_t count) {
    model_worker_count = count;
    for (std::size_t i = 0; i < count; ++i) model_workers.at(i) = ModelMemory::make<Worker>(core_id(i));
    for (std::size_t i = 0; i < count; ++i) model_workers.at(i)->open(count);
}

} // namespace test

inline Worker& Worker::current() {
    std::size_t const self = test::model_self();
    return *test::model_workers.at(self == 0 ? 0 : self - 1);
}
inline void Worker::append(Task& task, CoreId target) {
    if (target == core_) return append(task);
    note_progress();
    task.next = nullptr;
    Letter& letter = *test::ModelMemory::make<Letter>();
    letter.task = &task;
    sent_.at(index(target))->next.store(&letter, std::memory_order_release);
    sent_.at(index(target)) = &letter;
}
inline void Worker::open(std::size_t cores) {
    cores_ = cores;
    for (std::size_t i = 0; i < cores; ++i) {
        if (i == index(core_)) continue;
        sent_.at(i) = test::ModelMemory::make<Letter>();
        test::model_workers.at(i)->received_.at(index(core_)) = sent_.at(i);
    }
}

} // namespace mxk
