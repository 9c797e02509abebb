// The system's mutexes as kinds of `bench lock`: of POSIX threads, normal and adaptive, and the standard library's.
#include <mutex>

#include <pthread.h>

#include "base/registry.hpp"
#include "locks/fabric/smp.hpp"
#include "locks/lock_kind.hpp"

namespace mxk::bench {
namespace {

using locks::Fairness;
using locks::form_of;
using locks::LockKind;
using locks::SmpSite;

template <int type> class PosixMutex {
  public:
    struct Node {};
    explicit PosixMutex(SmpSite const& /*site*/) {
        pthread_mutexattr_t attributes;
        pthread_mutexattr_init(&attributes);
        pthread_mutexattr_settype(&attributes, type);
        pthread_mutex_init(&mutex_, &attributes);
        pthread_mutexattr_destroy(&attributes);
    }
    ~PosixMutex() { pthread_mutex_destroy(&mutex_); }
    PosixMutex(PosixMutex const&) = delete;
    PosixMutex& operator=(PosixMutex const&) = delete;
    void acquire(Node& /*node*/) { pthread_mutex_lock(&mutex_); }
    void release(Node& /*node*/) { pthread_mutex_unlock(&mutex_); }

  private:
    pthread_mutex_t mutex_{};
};
class StandardMutex {
  public:
    struct Node {};
    explicit StandardMutex(SmpSite const& /*site*/) {}
    void acquire(Node& /*node*/) { mutex_.lock(); }
    void release(Node& /*node*/) { mutex_.unlock(); }

  private:
    std::mutex mutex_;
};

constexpr LockKind pthread_normal{.name = "pthread",
                                  .summary = "POSIX threads: a normal mutex, which sleeps",
                                  .library = "the system's C library",
                                  .fairness = Fairness::Unbounded,
                                  .forms = {.smp = form_of<PosixMutex<PTHREAD_MUTEX_NORMAL>, SmpSite>()}};
MXK_REGISTER(mxk_lock_kinds, LockKind, pthread_normal);
constexpr LockKind pthread_adaptive{.name = "pthread-adaptive",
                                    .summary = "POSIX threads: an adaptive mutex, which spins before it sleeps",
                                    .library = "the system's C library",
                                    .fairness = Fairness::Unbounded,
                                    .forms = {.smp = form_of<PosixMutex<PTHREAD_MUTEX_ADAPTIVE_NP>, SmpSite>()}};
MXK_REGISTER(mxk_lock_kinds, LockKind, pthread_adaptive);
constexpr LockKind std_mutex{.name = "std-mutex",
                             .summary = "the standard library's mutex",
                             .library = "libstdc++",
                             .fairness = Fairness::Unbounded,
                             .forms = {.smp = form_of<StandardMutex, SmpSite>()}};
MXK_REGISTER(mxk_lock_kinds, LockKind, std_mutex);

} // namespace
} // namespace mxk::bench
