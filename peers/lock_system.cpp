// The system's mutexes as kinds of `bench lock`: of POSIX threads, normal and adaptive, and the standard library's.
#include <mutex>

#include <pthread.h>

#include "peers/lock_peer.hpp"

namespace mxk::bench {
namespace {

template <int type> class PosixMutex {
  public:
    PosixMutex() {
        pthread_mutexattr_t attributes;
        pthread_mutexattr_init(&attributes);
        pthread_mutexattr_settype(&attributes, type);
        pthread_mutex_init(&mutex_, &attributes);
        pthread_mutexattr_destroy(&attributes);
    }
    ~PosixMutex() { pthread_mutex_destroy(&mutex_); }
    PosixMutex(PosixMutex const&) = delete;
    PosixMutex& operator=(PosixMutex const&) = delete;
    void lock() { pthread_mutex_lock(&mutex_); }
    void unlock() { pthread_mutex_unlock(&mutex_); }

  private:
    pthread_mutex_t mutex_{};
};

constexpr std::string_view c_library = "the system's C library";
constexpr LockKind pthread_normal = peer_lock<PlainLock<PosixMutex<PTHREAD_MUTEX_NORMAL>>>(
    "pthread", c_library, "POSIX threads: a normal mutex, which sleeps");
MXK_REGISTER(mxk_lock_kinds, LockKind, pthread_normal);
constexpr LockKind pthread_adaptive = peer_lock<PlainLock<PosixMutex<PTHREAD_MUTEX_ADAPTIVE_NP>>>(
    "pthread-adaptive", c_library, "POSIX threads: an adaptive mutex, which spins before it sleeps");
MXK_REGISTER(mxk_lock_kinds, LockKind, pthread_adaptive);
constexpr LockKind std_mutex =
    peer_lock<PlainLock<std::mutex>>("std-mutex", "libstdc++", "the standard library's mutex");
MXK_REGISTER(mxk_lock_kinds, LockKind, std_mutex);

} // namespace
} // namespace mxk::bench
