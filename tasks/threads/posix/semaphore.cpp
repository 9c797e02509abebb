#include <sanitizer/tsan_interface.h>

#include <cerrno>
#include <ctime>

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

WaitObserver* observer_of_caller() {
    ThreadRecord const* const self = thread_backend::current();
    expect(self != nullptr, "a task must not wait for a semaphore: it would block its core");
    return self->wait_observer;
}

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
    WaitObserver* const observer = observer_of_caller();
    if (observer != nullptr && try_wait()) return;
    ObservedWait const observed(observer);
    while (sem_wait(&semaphore_) != 0) expect(errno == EINTR, "sem_wait fails for signals only");
}

bool Semaphore::try_wait() {
    for (;;) {
        if (sem_trywait(&semaphore_) == 0) return true;
        if (errno == EAGAIN) return false;
    }
}

Result<bool> Semaphore::wait_for(Nanoseconds time) {
    WaitObserver* const observer = observer_of_caller();
    MXK_TRY(check_waiting_time(time));
    if (observer != nullptr && try_wait()) return true;
    ObservedWait const observed(observer);
    timespec const deadline = after(time);
    for (;;) {
        if (sem_clockwait(&semaphore_, CLOCK_MONOTONIC, &deadline) == 0) return has_waited(semaphore_);
        if (errno == ETIMEDOUT) return false;
        expect(errno == EINTR, "sem_clockwait fails for signals and times only");
    }
}

void Semaphore::post() {
    expect(sem_post(&semaphore_) == 0, "a semaphore has up to 2^30 - 1 units");
}

} // namespace mxk
