#include "tasks/threads/mutex.hpp"

#include "base/panic.hpp"
#include "tasks/threads/thread_backend.hpp"

namespace mxk {

// The calling thread, which must not have the mutex yet.
ThreadRecord* Mutex::expect_not_owner() const {
    ThreadRecord* const self = thread_backend::current();
    expect(self != nullptr, "a task must not lock a mutex: it would block its core");
    expect(owner_.load(std::memory_order_relaxed) != self, "a thread locks a mutex that it has already");
    return self;
}

void Mutex::note(ThreadRecord* self, std::source_location where) {
    owner_.store(self, std::memory_order_relaxed);
    if constexpr (check_locks) held_locks().taken(this, rank_, where);
}

void Mutex::lock(Node& /*node*/, std::source_location where) {
    ThreadRecord* const self = expect_not_owner();
    if constexpr (check_locks) held_locks().taking(this, rank_, where);
    ++self->end_holds; // until unlock(): see kill.hpp
    semaphore_.wait();
    note(self, where);
}

bool Mutex::try_lock(Node& /*node*/, std::source_location where) {
    ThreadRecord* const self = expect_not_owner();
    ++self->end_holds;
    if (!semaphore_.try_wait()) { // out of order, too: it does not wait
        --self->end_holds;
        return false;
    }
    note(self, where);
    return true;
}

Result<bool> Mutex::try_lock_for(Nanoseconds time, std::source_location where) {
    ThreadRecord* const self = expect_not_owner();
    if constexpr (check_locks) held_locks().taking(this, rank_, where);
    ++self->end_holds;
    auto taken = semaphore_.wait_for(time);
    if (!taken || !taken.value()) {
        --self->end_holds;
        return taken;
    }
    note(self, where);
    return true;
}

void Mutex::unlock(Node& /*node*/, std::source_location where) {
    ThreadRecord* const self = thread_backend::current();
    expect(self != nullptr && owner_.load(std::memory_order_relaxed) == self,
           "a mutex is unlocked by the thread that has it", where);
    owner_.store(nullptr, std::memory_order_relaxed);
    if constexpr (check_locks) held_locks().given_back(this, where);
    semaphore_.post();
    --self->end_holds;
}

} // namespace mxk
