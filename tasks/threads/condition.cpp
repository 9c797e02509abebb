#include "tasks/threads/condition.hpp"

#include "tasks/threads/kill.hpp"

namespace mxk {

void ConditionVariable::append(Waiter& waiter) {
    LockGuard const guard(lock_);
    waiters_.append(waiter);
}

// False if it has been taken: then it is being notified.
bool ConditionVariable::withdraw(Waiter& waiter) {
    LockGuard const guard(lock_);
    if (!waiter.waits) return false;
    waiters_.remove(waiter);
    return true;
}

ConditionVariable::Waiter* ConditionVariable::take() {
    LockGuard const guard(lock_);
    Waiter* const waiter = waiters_.first();
    if (waiter == nullptr) return nullptr;
    waiters_.remove(*waiter);
    waiter->waits = false;
    return waiter;
}

void ConditionVariable::wait(Mutex& mutex) {
    EndHold const hold; // the list refers to this stack
    Waiter waiter;
    append(waiter);
    mutex.unlock();
    waiter.notified.wait();
    mutex.lock();
}

Result<bool> ConditionVariable::wait_for(Mutex& mutex, Nanoseconds time) {
    MXK_TRY(check_waiting_time(time));
    EndHold const hold;
    Waiter waiter;
    append(waiter);
    mutex.unlock();
    bool notified = waiter.notified.wait_for(time).value();
    if (!notified && !withdraw(waiter)) {
        waiter.notified.wait(); // about to come
        notified = true;
    }
    mutex.lock();
    return notified;
}

void ConditionVariable::notify_one() {
    if (Waiter* const waiter = take()) waiter->notified.post();
}

void ConditionVariable::notify_all() {
    // Only the waiters of this moment: those that come meanwhile could keep it here for ever.
    Waiter* waiter = nullptr;
    {
        LockGuard const guard(lock_);
        waiter = waiters_.take_all();
        for (Waiter* each = waiter; each != nullptr; each = waiters_.next(*each)) each->waits = false;
    }
    while (waiter != nullptr) {
        Waiter* const next = waiters_.next(*waiter); // the waiter is gone once it has been notified
        waiter->notified.post();
        waiter = next;
    }
}

} // namespace mxk
