// What libmxk-locks.so gives in place of the C library's functions, under their names and versions (exports.map).
#include <pthread.h>
#include <threads.h>

#include <cerrno>

#include "main/preload/mutex_operations.hpp"

using mxk::preload::chosen;

namespace {

// C11's: mtx_lock() of glibc calls its own mutex by another name.
int to_c11(int error) {
    switch (error) {
    case 0: return thrd_success;
    case EBUSY: return thrd_busy;
    case ETIMEDOUT: return thrd_timedout;
    case ENOMEM: return thrd_nomem;
    default: return thrd_error;
    }
}
pthread_mutex_t* posix(mtx_t* mutex) {
    static_assert(sizeof(mtx_t) == sizeof(pthread_mutex_t));
    return reinterpret_cast<pthread_mutex_t*>(mutex);
}
pthread_cond_t* posix(cnd_t* condition) {
    static_assert(sizeof(cnd_t) == sizeof(pthread_cond_t));
    return reinterpret_cast<pthread_cond_t*>(condition);
}

} // namespace

extern "C" {
#pragma GCC visibility push(default)

int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
    return chosen().lock(mutex);
}
int pthread_mutex_trylock(pthread_mutex_t* mutex) noexcept {
    return chosen().trylock(mutex);
}
int pthread_mutex_timedlock(pthread_mutex_t* mutex, timespec const* deadline) noexcept {
    return chosen().timedlock(mutex, deadline);
}
int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock, timespec const* deadline) noexcept {
    return chosen().clocklock(mutex, clock, deadline);
}
int pthread_mutex_unlock(pthread_mutex_t* mutex) noexcept {
    return chosen().unlock(mutex);
}
int pthread_mutex_destroy(pthread_mutex_t* mutex) noexcept {
    return chosen().destroy(mutex);
}
// What programs linked long ago call.
int __pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
    return pthread_mutex_lock(mutex);
}
int __pthread_mutex_trylock(pthread_mutex_t* mutex) noexcept {
    return pthread_mutex_trylock(mutex);
}
int __pthread_mutex_unlock(pthread_mutex_t* mutex) noexcept {
    return pthread_mutex_unlock(mutex);
}
int __pthread_mutex_destroy(pthread_mutex_t* mutex) noexcept {
    return pthread_mutex_destroy(mutex);
}

int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                           timespec const* deadline) {
    return chosen().clockwait(condition, mutex, clock, deadline);
}

// Two versions of each: the name of today is the default one.
#define MXK_BOTH_VERSIONS(name)                                                                                        \
    __asm__(".symver mxk_" #name ", pthread_" #name "@@GLIBC_2.3.2, hidden\n"                                          \
            ".symver mxk_old_" #name ", pthread_" #name "@GLIBC_2.2.5, hidden")

int mxk_cond_init(pthread_cond_t* condition, pthread_condattr_t const* attributes) {
    return chosen().condition.init(condition, attributes);
}
int mxk_old_cond_init(pthread_cond_t* condition, pthread_condattr_t const* attributes) {
    return chosen().old_condition.init(condition, attributes);
}
MXK_BOTH_VERSIONS(cond_init);
int mxk_cond_destroy(pthread_cond_t* condition) {
    return chosen().condition.destroy(condition);
}
int mxk_old_cond_destroy(pthread_cond_t* condition) {
    return chosen().old_condition.destroy(condition);
}
MXK_BOTH_VERSIONS(cond_destroy);
int mxk_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
    return chosen().condition.wait(condition, mutex);
}
int mxk_old_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
    return chosen().old_condition.wait(condition, mutex);
}
MXK_BOTH_VERSIONS(cond_wait);
int mxk_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex, timespec const* deadline) {
    return chosen().condition.timedwait(condition, mutex, deadline);
}
int mxk_old_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex, timespec const* deadline) {
    return chosen().old_condition.timedwait(condition, mutex, deadline);
}
MXK_BOTH_VERSIONS(cond_timedwait);
int mxk_cond_signal(pthread_cond_t* condition) {
    return chosen().condition.signal(condition);
}
int mxk_old_cond_signal(pthread_cond_t* condition) {
    return chosen().old_condition.signal(condition);
}
MXK_BOTH_VERSIONS(cond_signal);
int mxk_cond_broadcast(pthread_cond_t* condition) {
    return chosen().condition.broadcast(condition);
}
int mxk_old_cond_broadcast(pthread_cond_t* condition) {
    return chosen().old_condition.broadcast(condition);
}
MXK_BOTH_VERSIONS(cond_broadcast);

// mtx_init(), cnd_init() and thrd_*() of glibc do for these.
int mtx_lock(mtx_t* mutex) {
    return to_c11(chosen().lock(posix(mutex)));
}
int mtx_trylock(mtx_t* mutex) {
    return to_c11(chosen().trylock(posix(mutex)));
}
int mtx_timedlock(mtx_t* mutex, timespec const* deadline) {
    return to_c11(chosen().timedlock(posix(mutex), deadline));
}
int mtx_unlock(mtx_t* mutex) {
    return to_c11(chosen().unlock(posix(mutex)));
}
void mtx_destroy(mtx_t* mutex) {
    chosen().destroy(posix(mutex));
}
int cnd_wait(cnd_t* condition, mtx_t* mutex) {
    return to_c11(chosen().condition.wait(posix(condition), posix(mutex)));
}
int cnd_timedwait(cnd_t* condition, mtx_t* mutex, timespec const* deadline) {
    return to_c11(chosen().condition.timedwait(posix(condition), posix(mutex), deadline));
}
int cnd_signal(cnd_t* condition) {
    return to_c11(chosen().condition.signal(posix(condition)));
}
int cnd_broadcast(cnd_t* condition) {
    return to_c11(chosen().condition.broadcast(posix(condition)));
}
void cnd_destroy(cnd_t* condition) {
    chosen().condition.destroy(posix(condition));
}

#pragma GCC visibility pop
}
