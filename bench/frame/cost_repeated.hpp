// A row of costs from several runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/result.hpp"
#include "bench/frame/cost_report.hpp"
#include "kernel/memory/node_vector.hpp"
#include "tasks/worker.hpp"

namespace mxk::bench {

// The median of what value(sample) gives, by nearest rank. `room` is for as many values as there are samples.
template <typename Value> double median_of(std::span<Sample const> samples, std::span<double> room, Value value) {
    for (std::size_t i = 0; i < samples.size(); ++i) room[i] = value(samples[i]);
    return percentile(room.first(samples.size()), 50);
}

// Calls run(), which gives a Result<Sample>, `repeat` times and fills in what the samples say. Errors: no memory,
// and those of run(). The console's task; blocks as run() does.
template <typename Run> Result<void> repeat_runs(std::uint32_t repeat, CostRow& row, Run run) {
    NodeId const here = Worker::current().node();
    auto samples = MXK_TRY(NodeVector<Sample>::create(repeat, here));
    auto const room = MXK_TRY(NodeArray<double>::create(repeat, here));
    row.verified = true;
    for (std::uint32_t i = 0; i < repeat; ++i) {
        Sample const& sample = samples.emplace(MXK_TRY(run()));
        row.operations += sample.operations;
        row.left_out += sample.left_out;
        if (sample.woken) row.woken = row.woken.value_or(0) + *sample.woken;
        row.verified = row.verified && sample.verified;
    }
    if (samples[0].p99)
        row.p99 = median_of(samples.span(), room.span(), [](Sample const& sample) { return *sample.p99; });
    for (std::size_t at = 0; auto const& found : samples[0].findings.entries()) {
        auto const value = [at](Sample const& sample) { return sample.findings.entries()[at].value; };
        row.findings.add(found.name, median_of(samples.span(), room.span(), value));
        ++at;
    }
    for (std::size_t i = 0; i < repeat; ++i) room[i] = samples[i].value;
    row.cycles = summarise(room.span().first(repeat));
    return {};
}

} // namespace mxk::bench
