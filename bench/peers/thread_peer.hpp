// Other threads and other semaphores, measured as `bench thread` and `bench semaphore` measure ours. A peer is a
// constant that registers itself where it is defined (task_peer.hpp).
#pragma once

#include <string>

#include "base/registry.hpp"
#include "bench/peers/cost_peer.hpp"
#include "bench/peers/system_threads.hpp"
#include "bench/thread_measures.hpp"

namespace mxk::bench {

using ThreadPeer = CostPeer<ThreadMeasure, ThreadCosts>;
using SemaphorePeer = CostPeer<SemaphoreMeasure, SemaphoreCosts>;

MXK_REGISTRY(mxk_thread_peers, ThreadPeer, registered_thread_peers)
MXK_REGISTRY(mxk_semaphore_peers, SemaphorePeer, registered_semaphore_peers)

// A peer's `run`: the system's threads with this semaphore.
template <typename Semaphore, typename Measure, typename Options>
Result<CostSample> run_system(Measure measure, CorePair cores, Options const& options) {
    return run_measure(SystemThreads<Semaphore>{}, measure, cores, options);
}

// What `library` says of the system's threads and C library.
std::string system_threads(std::string_view what);

} // namespace mxk::bench
