#include <sanitizer/tsan_interface.h>

#include <cerrno>
#include <ctime>

#include "arch/core_local.hpp"
#include "arch/system_thread.hpp"
#include "base/panic.hpp"
#include "base/sanitizers.hpp"
#include "tasks/threads/posix/observed_wait.hpp"
#include "tasks/threads/semaphore.hpp"
#include "tasks/threads/thread_backend.hpp"

namespace mxk {
namespace {

constexpr std::uint64_t second = 1'000'000'000;

timespec after(Nanoseconds time) {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    std::uint64_t const nanoseconds = static_cast<std::uint64_t>(now.tv_nsec) + raw(time);
    return {.tv_sec = now.tv_sec + static_cast<std::time_t>(nanoseconds / second),
            .tv_nsec = static_cast<long>(nanoseconds % second)};
}

// TSan knows the other ways to wait, but not this one.
bool has_waited(sem_t& semaphore) {
    if constexpr (thread_sanitizer) __tsan_acquire(&semaphore);
    return true;
}

ThreadRecord const& waiting_thread() {
    ThreadRecord const* const self = thread_backend::current();
    expect(self != nullptr, "a task must not wait for a semaphore: it would block its core");
    return *self;
}
// Whether it may end while it waits (kill.hpp).
bool may_end(ThreadRecord const& self) {
    return self.is_killable.load(std::memory_order_relaxed) && self.end_holds == 0;
}

void take_unit(sem_t& semaphore) {
    while (sem_wait(&semaphore) != 0) expect(errno == EINTR, "sem_wait fails for signals only");
}

// A post wakes one waiter. If that ends instead of taking the unit, the next waiter has to be woken in its place.
class PassOn {
  public:
    explicit PassOn(sem_t& semaphore)
        : semaphore_(semaphore) {}
    ~PassOn() {
        if (!has_returned && sem_trywait(&semaphore_) == 0) sem_post(&semaphore_);
    }
    PassOn(PassOn const&) = delete;
    PassOn& operator=(PassOn const&) = delete;

    bool has_returned = false;

  private:
    sem_t& semaphore_;
};

} // namespace

Semaphore::Semaphore(std::uint32_t units, SemaphoreKind kind) {
    expect(supports(kind), "the Linux build has POSIX semaphores, which are of the fast kind");
    expect(units <= max_units && sem_init(&semaphore_, 0, units) == 0, "a semaphore has up to 2^30 - 1 units");
}

Result<Semaphore> Semaphore::create(std::int64_t units, SemaphoreKind kind) {
    std::uint32_t const count = MXK_TRY(check_semaphore_units(units));
    if (!supports(kind)) return Error("semaphore: expected the fast kind, which the Linux build has, got syscall");
    return Semaphore(count);
}

// Nobody uses it, so that its value is all there is.
Semaphore::Semaphore(Semaphore&& other) noexcept {
    int units = 0;
    sem_getvalue(&other.semaphore_, &units);
    sem_init(&semaphore_, 0, static_cast<unsigned>(units));
}

void Semaphore::wait() {
    // A thread of the program that is no Thread: nobody ends it, nor counts its waits.
    if (thread_backend::current() == nullptr && !arch::runs_task()) return take_unit(semaphore_);
    ThreadRecord const& self = waiting_thread();
    if (!self.ends_here() && try_wait()) return;
    ObservedWait const observed(self);
    arch::EndPoint const point(may_end(self));
    PassOn pass_on(semaphore_);
    take_unit(semaphore_);
    pass_on.has_returned = true;
}

bool Semaphore::try_wait() {
    for (;;) {
        if (sem_trywait(&semaphore_) == 0) return true;
        if (errno == EAGAIN) return false;
    }
}

Result<bool> Semaphore::wait_for(Nanoseconds time) {
    ThreadRecord const& self = waiting_thread();
    MXK_TRY(check_waiting_time(time));
    if (!self.ends_here() && try_wait()) return true;
    ObservedWait const observed(self);
    timespec const deadline = after(time);
    arch::EndPoint const point(may_end(self));
    PassOn pass_on(semaphore_);
    int result = 0;
    do result = sem_clockwait(&semaphore_, CLOCK_MONOTONIC, &deadline);
    while (result != 0 && errno == EINTR);
    pass_on.has_returned = true;
    if (result == 0) return has_waited(semaphore_);
    expect(errno == ETIMEDOUT, "sem_clockwait fails for signals and times only");
    return false;
}

void Semaphore::post() {
    expect(sem_post(&semaphore_) == 0, "a semaphore has up to 2^30 - 1 units");
}

} // namespace mxk
