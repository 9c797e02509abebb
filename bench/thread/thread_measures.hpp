// One run of a measure of `bench thread` or `bench semaphore`, of any layer (own_threads.hpp).
#pragma once

#include "bench/thread/semaphore_experiments.hpp"
#include "bench/thread/thread_options.hpp"
#include "bench/thread/thread_switch.hpp"
#include "bench/thread/thread_wake.hpp"

namespace mxk::bench {

// Both: errors as the experiments'. The console's task; blocks it until the run is over.
template <typename Layer>
Result<Sample> run_measure(Layer const& layer, ThreadMeasure measure, CorePair cores, ThreadCosts const& options) {
    switch (measure) {
    case ThreadMeasure::Yield: return run_yield(layer, cores, options.yields);
    case ThreadMeasure::Preempt: return run_preempt(layer, cores, options.switches);
    case ThreadMeasure::Wake:
    case ThreadMeasure::WakeAcross: break;
    }
    return run_wake(layer, cores, options.wakes);
}

template <typename Layer>
Result<Sample> run_measure(Layer const& layer, SemaphoreMeasure measure, CorePair cores,
                           SemaphoreCosts const& options) {
    switch (measure) {
    case SemaphoreMeasure::Uncontended: return run_uncontended(layer, cores, options.operations, options.yields);
    case SemaphoreMeasure::PingPong:
    case SemaphoreMeasure::PingPongAcross: return run_ping_pong(layer, cores, options.trips);
    case SemaphoreMeasure::Crowd:
    case SemaphoreMeasure::CrowdAcross: break;
    }
    return run_crowd(layer, cores, options.threads, options.operations);
}

} // namespace mxk::bench
