// A condition variable: a thread that holds a mutex waits, without it, until another one says that the condition may be
// true now. Waiters are woken in the order in which they came, and only by a notification.
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
    // Up to that time; false: nobody has notified it. Errors: a negative time.
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

    SpinLock lock_{lock_bands::objects.rank(0)}; // the list
    LinkedList<Waiter, &Waiter::links> waiters_;
};

} // namespace mxk
