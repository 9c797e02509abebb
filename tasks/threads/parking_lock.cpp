#include "tasks/threads/parking_lock.hpp"

#include <utility>

#include "arch/cpu.hpp"
#include "base/inject.hpp"
#include "base/panic.hpp"
#include "kernel/clock.hpp"
#include "tasks/threads/thread_backend.hpp"

namespace mxk {
namespace {

// About as long as it takes to park and to be woken.
constexpr Nanoseconds polling_time{10'000};
constexpr Nanoseconds patience{1'000'000};

} // namespace

void ParkingLock::lock(Node& node) {
    ThreadRecord* const self = thread_backend::current();
    expect(self != nullptr, "a task must not lock a parking lock: it would block its core");
    ++self->end_holds; // until unlock(): see kill.hpp
    if (!try_to_take()) [[unlikely]]
        wait(node);
}

bool ParkingLock::try_lock(Node& /*node*/) {
    ThreadRecord* const self = thread_backend::current();
    expect(self != nullptr, "a parking lock is for threads");
    bool const is_taken = try_to_take();
    self->end_holds += is_taken ? 1 : 0;
    return is_taken;
}

void ParkingLock::unlock(Node& /*node*/) {
    // acq_rel: release publishes the section; acquire pairs with park(), so that has_awake_ is no older than `parked`
    std::uint32_t const before = word_.fetch_and(~held, std::memory_order_acq_rel);
    inject::point();
    if ((before & parked) != 0) [[unlikely]]
        wake_first();
    --thread_backend::current()->end_holds;
}

bool ParkingLock::try_to_take() {
    std::uint32_t word = word_.load(std::memory_order_relaxed);
    // acquire: pairs with unlock()
    return (word & (held | barred)) == 0 &&
           word_.compare_exchange_strong(word, word | held, std::memory_order_acquire, std::memory_order_relaxed);
}

// Whether the caller has the lock now. `keeps_out`: bits of the word that do.
bool ParkingLock::poll(std::uint32_t keeps_out) {
    Cycles const end = clock::timestamp() + clock::to_cycles(polling_time);
    do {
        std::uint32_t word = word_.load(std::memory_order_relaxed);
        inject::point();
        // acquire: pairs with unlock()
        if ((word & keeps_out) == 0 &&
            word_.compare_exchange_strong(word, (word & ~(keeps_out == held ? barred : 0)) | held,
                                          std::memory_order_acquire, std::memory_order_relaxed))
            return true;
        for (int i = 0; i < 16; ++i) arch::pause();
    } while (clock::timestamp() < end);
    return false;
}

void ParkingLock::wait(Node& node) {
    if (poll(held | barred)) return;
    Semaphore semaphore(0);
    node.semaphore = &semaphore;
    Cycles const patient_until = clock::timestamp() + clock::to_cycles(patience);
    for (bool is_awake = false;; is_awake = true) {
        park(node, is_awake);
        semaphore.wait();
        // This is the awake one: nobody else wakes or is woken until it has the lock or parks again.
        if (clock::timestamp() >= patient_until) word_.fetch_or(barred, std::memory_order_relaxed);
        if (poll(held)) return leave_list();
    }
}

// At the end of the list; the awake one, which was the first, in front.
void ParkingLock::park(Node& node, bool is_awake) {
    std::uint32_t before = 0;
    {
        LockGuard const guard(list_lock_);
        if (is_awake) {
            node.next = std::exchange(first_, &node);
            if (last_ == nullptr) last_ = &node;
            has_awake_.store(false, std::memory_order_relaxed);
        } else {
            node.next = nullptr;
            (last_ == nullptr ? first_ : last_->next) = &node;
            last_ = &node;
        }
        // acq_rel: pairs with unlock(), of which either sees this or is seen here
        before = word_.fetch_or(parked, std::memory_order_acq_rel);
    }
    inject::point();
    if ((before & held) == 0) wake_first(); // no release will come
}

void ParkingLock::wake_first() {
    if (has_awake_.load(std::memory_order_relaxed)) return; // see leave_list() and park(), which come later
    Semaphore* semaphore = nullptr;
    {
        LockGuard const guard(list_lock_);
        if (has_awake_.load(std::memory_order_relaxed) || first_ == nullptr) return;
        has_awake_.store(true, std::memory_order_relaxed);
        semaphore = first_->semaphore;
        first_ = first_->next;
        if (first_ == nullptr) last_ = nullptr;
    }
    semaphore->post();
}

// The awake one has the lock: its unlock() wakes the next one, if there is one.
void ParkingLock::leave_list() {
    LockGuard const guard(list_lock_);
    has_awake_.store(false, std::memory_order_relaxed);
    if (first_ == nullptr) word_.fetch_and(~parked, std::memory_order_relaxed);
}

} // namespace mxk
