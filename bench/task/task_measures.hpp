// One run of a measure of `bench task`, of any layer (own_tasks.hpp).
#pragma once

#include "bench/task/task_hop.hpp"
#include "bench/task/task_local.hpp"
#include "bench/task/task_round_trip.hpp"
#include "bench/task/task_stream.hpp"
#include "bench/task/task_wake.hpp"

namespace mxk::bench {

// Errors as the experiments'. The console's task; blocks it until the run is over.
template <typename Layer> Result<Sample> run_measure(Layer& layer, Measure measure, TaskOptions const& options) {
    switch (measure) {
    case Measure::Local: return run_local(layer, options);
    case Measure::Hop: return run_hop(layer, options);
    case Measure::Stream: return run_stream(layer, options);
    case Measure::Mail: return run_mail(layer, options);
    case Measure::RoundTrip:
    case Measure::RemoteRoundTrip: return run_round_trip(layer, options);
    case Measure::Wake: break;
    }
    return run_wake(layer, options);
}

} // namespace mxk::bench
