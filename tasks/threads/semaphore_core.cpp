#include "tasks/threads/semaphore_core.hpp"

namespace mxk {

bool SemaphoreCore::take_or_wait(Waiter& waiter) {
    LockGuard const guard(lock_);
    do {
        if (try_take()) return true;
        inject::point();
    } while (!note_waiters());
    append(waiter);
    return false;
}

// The first waiter, with a unit; null: nobody waits any more.
SemaphoreCore::Waiter* SemaphoreCore::hand_over() {
    LockGuard const guard(lock_);
    if (last_ == nullptr) return nullptr;
    inject::point();
    Waiter& first = *last_->next;
    remove(first);
    return &first;
}

bool SemaphoreCore::withdraw(Waiter& waiter) {
    LockGuard const guard(lock_);
    if (!waiter.waits) return false;
    inject::point();
    remove(waiter);
    return true;
}

// Under the lock. False: there is a unit by now.
bool SemaphoreCore::note_waiters() {
    std::uint32_t word = 0;
    // relaxed: the lock orders all that look at the list
    return word_.compare_exchange_strong(word, has_waiters, std::memory_order_relaxed) || word == has_waiters;
}

void SemaphoreCore::append(Waiter& waiter) {
    if (last_ == nullptr) last_ = &waiter;
    waiter.next = last_ == &waiter ? &waiter : last_->next;
    waiter.previous = last_;
    waiter.next->previous = &waiter;
    last_->next = &waiter;
    last_ = &waiter;
    waiter.waits = true;
}

// While there are waiters, only the holder of the lock changes the word.
void SemaphoreCore::remove(Waiter& waiter) {
    waiter.waits = false;
    if (waiter.next == &waiter) {
        last_ = nullptr;
        word_.store(0, std::memory_order_relaxed);
        return;
    }
    waiter.previous->next = waiter.next;
    waiter.next->previous = waiter.previous;
    if (last_ == &waiter) last_ = waiter.previous;
}

} // namespace mxk
