// A condition variable: a thread that has a mutex waits, without it, until another one says that what it waits for may
// be true. Who waits longest is woken first; nobody is woken for nothing.
#pragma once

#include "base/linked_list.hpp"
#include "base/spin_lock.hpp"
#include "tasks/threads/mutex.hpp"

namespace mxk {

class ConditionVariable {
  public:
    ConditionVariable() = default;
    ConditionVariable(ConditionVariable const&) = delete;
    ConditionVariable& operator=(ConditionVariable const&) = delete;

    // A thread that has the mutex, and has it again afterwards.
    void wait(Mutex& mutex);
    template <typename Predicate> void wait(Mutex& mutex, Predicate holds) {
        while (!holds()) wait(mutex);
    }
    // For so long up to; false: nobody has notified it. Errors: a negative time.
    Result<bool> wait_for(Mutex& mutex, Nanoseconds time);

    // Threads and tasks; with or without the mutex.
    void notify_one();
    void notify_all();

  private:
    struct Waiter {
        Semaphore notified{0};
        ListLinks<Waiter> links{};
        bool waits = true; // is in the list
    };
    void append(Waiter& waiter);
    bool withdraw(Waiter& waiter);
    Waiter* take();

    SpinLock lock_{LockRank::Condition}; // the list
    LinkedList<Waiter, &Waiter::links> waiters_;
};

} // namespace mxk
