// oneTBB's mutexes as kinds of `bench lock`.
#include <oneapi/tbb/mutex.h>
#include <oneapi/tbb/queuing_mutex.h>
#include <oneapi/tbb/spin_mutex.h>

#include "peers/lock_peer.hpp"

namespace mxk::bench {
namespace {

// One that is used by way of an object of its user's.
template <typename Mutex> class ScopedMutex {
  public:
    struct Node {
        typename Mutex::scoped_lock scope;
    };
    explicit ScopedMutex(SmpSite const& /*site*/) {}
    void acquire(Node& node) { node.scope.acquire(mutex_); }
    void release(Node& node) { node.scope.release(); }

  private:
    Mutex mutex_;
};

constexpr LockKind tbb_spin =
    peer_lock<ScopedMutex<tbb::spin_mutex>>("tbb-spin", MXK_PEER_LIBRARY, "oneTBB: spin_mutex");
MXK_REGISTER(mxk_lock_kinds, LockKind, tbb_spin);
constexpr LockKind tbb_queuing = peer_lock<ScopedMutex<tbb::queuing_mutex>>("tbb-queuing", MXK_PEER_LIBRARY,
                                                                            "oneTBB: queuing_mutex", Fairness::Fifo);
MXK_REGISTER(mxk_lock_kinds, LockKind, tbb_queuing);
constexpr LockKind tbb_mutex =
    peer_lock<ScopedMutex<tbb::mutex>>("tbb-mutex", MXK_PEER_LIBRARY, "oneTBB: mutex, which sleeps after a while");
MXK_REGISTER(mxk_lock_kinds, LockKind, tbb_mutex);

} // namespace
} // namespace mxk::bench
