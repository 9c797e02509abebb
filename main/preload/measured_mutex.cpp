// glibc's mutexes and condition variables, and what the report says of them.
#include <cerrno>

#include "main/preload/mutex_operations.hpp"
#include "main/preload/mutex_record.hpp"

namespace mxk::preload {
namespace {

// Null: it is not reported.
MutexStatistics* statistics_of(pthread_mutex_t* mutex, void const* caller) {
    return is_passed_through(mutex) ? nullptr : record_of(mutex, caller).statistics;
}
// The holder's: it has locked it once.
bool is_outermost(pthread_mutex_t const* mutex) {
    return type_of(mutex) != PTHREAD_MUTEX_RECURSIVE || mutex->__data.__count == 1;
}

// `wait`: glibc's function, if it is held.
template <typename Wait> int lock_measured(pthread_mutex_t* mutex, void const* caller, Wait wait) {
    MutexStatistics* const statistics = statistics_of(mutex, caller);
    if (statistics == nullptr) return wait();
    std::uint64_t begin = 0;
    int result = glibc.trylock(mutex);
    if (result == EBUSY) {
        begin = nanoseconds_now();
        result = wait();
    }
    if (result == 0 && is_outermost(mutex)) statistics->acquired(this_thread(), begin);
    return result;
}
int lock(pthread_mutex_t* mutex) {
    return lock_measured(mutex, __builtin_return_address(0), [=] { return glibc.lock(mutex); });
}
int trylock(pthread_mutex_t* mutex) {
    return lock_measured(mutex, __builtin_return_address(0), [=] { return glibc.trylock(mutex); });
}
int timedlock(pthread_mutex_t* mutex, timespec const* deadline) {
    return lock_measured(mutex, __builtin_return_address(0), [=] { return glibc.timedlock(mutex, deadline); });
}
int clocklock(pthread_mutex_t* mutex, clockid_t clock, timespec const* deadline) {
    return lock_measured(mutex, __builtin_return_address(0), [=] { return glibc.clocklock(mutex, clock, deadline); });
}
void release_measured(MutexStatistics* statistics, pthread_mutex_t const* mutex) {
    if (statistics != nullptr && is_outermost(mutex)) statistics->released(this_thread());
}
int unlock(pthread_mutex_t* mutex) {
    release_measured(statistics_of(mutex, __builtin_return_address(0)), mutex);
    return glibc.unlock(mutex);
}

// A wait that is cancelled has the mutex again, too, but nobody says so: its next release is not counted.
template <typename Wait> int wait_measured(pthread_mutex_t* mutex, void const* caller, Wait wait) {
    MutexStatistics* const statistics = statistics_of(mutex, caller);
    release_measured(statistics, mutex);
    int const result = wait();
    if (result != EPERM && statistics != nullptr && is_outermost(mutex)) statistics->acquired_again(this_thread());
    return result;
}
int clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock, timespec const* deadline) {
    return wait_measured(mutex, __builtin_return_address(0),
                         [=] { return glibc.clockwait(condition, mutex, clock, deadline); });
}
template <ConditionOperations Operations::*version> struct MeasuredCondition {
    static int init(pthread_cond_t* condition, pthread_condattr_t const* attributes) {
        return (glibc.*version).init(condition, attributes);
    }
    static int destroy(pthread_cond_t* condition) { return (glibc.*version).destroy(condition); }
    static int wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
        return wait_measured(mutex, __builtin_return_address(0),
                             [=] { return (glibc.*version).wait(condition, mutex); });
    }
    static int timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex, timespec const* deadline) {
        return wait_measured(mutex, __builtin_return_address(0),
                             [=] { return (glibc.*version).timedwait(condition, mutex, deadline); });
    }
    static int signal(pthread_cond_t* condition) { return (glibc.*version).signal(condition); }
    static int broadcast(pthread_cond_t* condition) { return (glibc.*version).broadcast(condition); }

    static constexpr ConditionOperations operations{.init = &init,
                                                    .destroy = &destroy,
                                                    .wait = &wait,
                                                    .timedwait = &timedwait,
                                                    .signal = &signal,
                                                    .broadcast = &broadcast};
};

} // namespace

constinit Operations const measured_operations{.lock = &lock,
                                               .trylock = &trylock,
                                               .timedlock = &timedlock,
                                               .clocklock = &clocklock,
                                               .unlock = &unlock,
                                               .destroy = [](pthread_mutex_t* mutex) { return glibc.destroy(mutex); },
                                               .clockwait = &clockwait,
                                               .condition = MeasuredCondition<&Operations::condition>::operations,
                                               .old_condition =
                                                   MeasuredCondition<&Operations::old_condition>::operations};

} // namespace mxk::preload
