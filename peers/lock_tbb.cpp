// oneTBB's mutexes as kinds of `bench lock`.
#include <oneapi/tbb/mutex.h>
#include <oneapi/tbb/queuing_mutex.h>
#include <oneapi/tbb/spin_mutex.h>

#include "base/registry.hpp"
#include "locks/fabric/smp.hpp"
#include "locks/lock_kind.hpp"

namespace mxk::bench {
namespace {

using locks::Fairness;
using locks::form_of;
using locks::LockKind;
using locks::SmpSite;

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

constexpr LockKind tbb_spin{.name = "tbb-spin",
                            .summary = "oneTBB: spin_mutex",
                            .library = MXK_PEER_LIBRARY,
                            .fairness = Fairness::Unbounded,
                            .forms = {.smp = form_of<ScopedMutex<tbb::spin_mutex>, SmpSite>()}};
MXK_REGISTER(mxk_lock_kinds, LockKind, tbb_spin);
constexpr LockKind tbb_queuing{.name = "tbb-queuing",
                               .summary = "oneTBB: queuing_mutex",
                               .library = MXK_PEER_LIBRARY,
                               .fairness = Fairness::Fifo,
                               .forms = {.smp = form_of<ScopedMutex<tbb::queuing_mutex>, SmpSite>()}};
MXK_REGISTER(mxk_lock_kinds, LockKind, tbb_queuing);
constexpr LockKind tbb_mutex{.name = "tbb-mutex",
                             .summary = "oneTBB: mutex, which sleeps after a while",
                             .library = MXK_PEER_LIBRARY,
                             .fairness = Fairness::Unbounded,
                             .forms = {.smp = form_of<ScopedMutex<tbb::mutex>, SmpSite>()}};
MXK_REGISTER(mxk_lock_kinds, LockKind, tbb_mutex);

} // namespace
} // namespace mxk::bench
