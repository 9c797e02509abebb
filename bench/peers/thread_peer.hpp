// Other threads and other semaphores, measured as `bench thread` and `bench semaphore` measure ours. A peer is a
// constant that registers itself where it is defined (task_peer.hpp).
#pragma once

#include <string>

#include "base/registry.hpp"
#include "bench/peers/cost_peer.hpp"
#include "bench/peers/system_threads.hpp"
#include "bench/thread/thread_measures.hpp"

namespace mxk::bench {

using ThreadPeer = CostPeer<ThreadMeasure, ThreadCosts>;
using SemaphorePeer = CostPeer<SemaphoreMeasure, SemaphoreCosts>;

MXK_REGISTRY(mxk_thread_peers, ThreadPeer, registered_thread_peers)
MXK_REGISTRY(mxk_semaphore_peers, SemaphorePeer, registered_semaphore_peers)

// A peer's `run`: the system's threads with this semaphore.
template <typename Semaphore, typename Measure, typename Options>
Result<Sample> run_system(Measure measure, CorePair cores, Options const& options) {
    return run_measure(SystemThreads<Semaphore>{}, measure, cores, options);
}

// Peers that are a semaphore: threads that wake each other by it, and the semaphore itself.
template <typename Semaphore> constexpr ThreadPeer wakes_by(std::string_view name, std::string (*library)()) {
    return {.name = name,
            .library = library,
            .measures = {ThreadMeasure::Wake, ThreadMeasure::WakeAcross},
            .run = &run_system<Semaphore, ThreadMeasure, ThreadCosts>};
}
template <typename Semaphore>
constexpr SemaphorePeer
semaphore_peer(std::string_view name, std::string (*library)(),
               NameSet<SemaphoreMeasure> measures = {SemaphoreMeasure::Uncontended, SemaphoreMeasure::PingPong,
                                                     SemaphoreMeasure::PingPongAcross, SemaphoreMeasure::Crowd,
                                                     SemaphoreMeasure::CrowdAcross}) {
    return {.name = name,
            .library = library,
            .measures = measures,
            .run = &run_system<Semaphore, SemaphoreMeasure, SemaphoreCosts>};
}

// What `library` says of the system's threads and C library.
std::string system_threads(std::string_view what);

} // namespace mxk::bench
