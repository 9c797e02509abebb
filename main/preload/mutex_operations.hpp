// What a program's calls of pthread_mutex_* and pthread_cond_* become. A program that asked for nothing gets the C
// library's functions themselves: a call is one jump more.
#pragma once

#include <pthread.h>

#include <atomic>

namespace mxk::preload {

// Of condition variables. There are two of each: that of today, and that of programs linked before 2003
// (GLIBC_2.2.5).
struct ConditionOperations {
    int (*init)(pthread_cond_t*, pthread_condattr_t const*);
    int (*destroy)(pthread_cond_t*);
    int (*wait)(pthread_cond_t*, pthread_mutex_t*);
    int (*timedwait)(pthread_cond_t*, pthread_mutex_t*, timespec const*);
    int (*signal)(pthread_cond_t*);
    int (*broadcast)(pthread_cond_t*);
};

struct Operations {
    int (*lock)(pthread_mutex_t*);
    int (*trylock)(pthread_mutex_t*);
    int (*timedlock)(pthread_mutex_t*, timespec const*);
    int (*clocklock)(pthread_mutex_t*, clockid_t, timespec const*);
    int (*unlock)(pthread_mutex_t*);
    int (*destroy)(pthread_mutex_t*);
    int (*clockwait)(pthread_cond_t*, pthread_mutex_t*, clockid_t, timespec const*);
    ConditionOperations condition;
    ConditionOperations old_condition;
};

// Those in use: at first ones that call start() and then what that has chosen.
extern std::atomic<Operations const*> operations;
inline Operations const& chosen() {
    return *operations.load(std::memory_order_acquire); // pairs with start()
}

// The C library's. Once started; not changed then.
extern Operations glibc;
void find_glibc();

// glibc's mutexes with a report.
extern Operations const measured_operations;
// Mutexes of the kind that start_suite() was called with, and condition variables for them.
Operations const& suite_operations(bool reports);

// Whether the mutex is left to glibc, since it is robust, shared with other processes, or has a priority protocol, or
// is none.
inline bool is_passed_through(pthread_mutex_t const* mutex) {
    constexpr int robust = 16, inherits = 32, has_ceiling = 64, shared = 128;
    int const kind = mutex->__data.__kind;
    return kind < 0 || (kind & (robust | inherits | has_ceiling | shared)) != 0;
}
// Of one that is not.
inline int type_of(pthread_mutex_t const* mutex) {
    return mutex->__data.__kind & 3;
}

} // namespace mxk::preload
