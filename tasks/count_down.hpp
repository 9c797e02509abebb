// Waiting until something has happened so many times, on any cores: in a thread, which blocks (on Linux also one of the
// program's that is no Thread), or in a task whose body may wait, while its core runs others.
//
//     waiters_:  null | a list of waiters | happened(): all times are over, and nobody is added any more
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "arch/core_local.hpp"
#include "tasks/worker.hpp"

namespace mxk {

class Semaphore;

class CountDown {
  public:
    explicit CountDown(std::size_t times)
        : left_(times) {}
    CountDown(CountDown const&) = delete;
    CountDown& operator=(CountDown const&) = delete;

    // Any core, never blocks. What was done before is visible to who has waited. With the last one this may be gone.
    void count() {
        // acq_rel: with the others' counts
        if (left_.fetch_sub(1, std::memory_order_acq_rel) == 1)
            tell(waiters_.exchange(happened(), std::memory_order_acq_rel));
    }
    // Anybody. Yes: what was done before each count is visible, and this may be destroyed.
    [[nodiscard]] bool is_over() const { return waiters_.load(std::memory_order_acquire) == happened(); }

    // Any number of threads, and of tasks that may Worker::run_until(); any number of times.
    void wait() {
        wait([] {});
    }
    // A task: calls look() after each task that its core runs meanwhile. A thread does not call it.
    template <typename Look> void wait(Look look) {
        if (!arch::runs_task()) return block();
        Waiter self{.core = Worker::current().core()};
        if (!add(self)) return;
        Worker::current().run_until([&] {
            look();
            return self.is_told.load(std::memory_order_acquire);
        });
    }

  private:
    // On the stack of wait(), until it is told.
    struct Waiter {
        Waiter* next = nullptr;
        Semaphore* thread = nullptr; // null: a task of `core`
        CoreId core{};
        std::atomic<bool> is_told{false};
    };
    static Waiter* happened() { return reinterpret_cast<Waiter*>(std::uintptr_t{1}); }
    // False: it is over.
    bool add(Waiter& waiter);
    void block();
    static void tell(Waiter* first);

    std::atomic<std::size_t> left_;
    std::atomic<Waiter*> waiters_{nullptr};
};

} // namespace mxk
