// A row of `bench task` or of its peers from several runs.
#pragma once

#include <cstdint>

#include "base/result.hpp"
#include "bench/task_report.hpp"
#include "kernel/memory/node_array.hpp"
#include "tasks/worker.hpp"

namespace mxk::bench {

// Calls run(), which gives a Result<TaskSample>, `repeat` times and fills in what the samples say. Errors: no memory,
// and those of run(). The console's task; blocks as run() does.
template <typename Run> Result<void> repeat_runs(std::uint32_t repeat, TaskRow& row, Run run) {
    NodeId const here = Worker::current().node();
    auto const cycles = MXK_TRY(NodeArray<double>::create(repeat, here));
    auto const p99 = MXK_TRY(NodeArray<double>::create(repeat, here));
    row.verified = true;
    for (std::uint32_t i = 0; i < repeat; ++i) {
        TaskSample const sample = MXK_TRY(run());
        cycles[i] = sample.cycles;
        p99[i] = sample.p99;
        row.operations += sample.operations;
        row.left_out += sample.left_out;
        if (sample.woken) row.woken = row.woken.value_or(0) + *sample.woken;
        row.verified = row.verified && sample.verified;
    }
    row.cycles = summarise(cycles.span().first(repeat));
    row.p99 = percentile(p99.span().first(repeat), 50);
    return {};
}

} // namespace mxk::bench
