// Requests of one graph, of which a number is under way at any time, as rows per second: what `mix`, `sort` and `sweep`
// measure.
#pragma once

#include "bench/dataflow/dataflow_experiment.hpp"
#include "bench/dataflow/graph_boxes.hpp"
#include "bench/dataflow/request_stream.hpp"

namespace mxk::bench {

// On a scheduler of their own. Fills in the sample's value, operations and verified; is_right(query) is asked of each,
// and note(scheduler, seconds) called at the end. Errors: no memory, cancelled, what a query ends with. The console's
// task; its core works meanwhile.
template <typename IsRight, typename Note>
Result<void> measure_stream(DataflowRun const& run, dataflow::Model const& model, GraphShape const& shape,
                            RequestPlan const& plan, IsRight is_right, Note note) {
    auto const scheduler = MXK_TRY(dataflow::Scheduler::create(run.cores, run.scheduler));
    Ends ends(plan.requests());
    auto queries = MXK_TRY(make_requests<GraphQuery>(plan.requests(), ends, model, shape));
    Cycles const start = clock::timestamp();
    MXK_TRY(run_stream(*scheduler, queries, plan.at_once, ends, run.progress));
    Cycles const end = clock::timestamp();
    double const seconds = static_cast<double>(raw(end - start)) / static_cast<double>(clock::frequency());
    run.sample.verified = MXK_TRY(are_all_right(queries, is_right));
    run.sample.operations = plan.requests() * shape.all_rows();
    run.sample.value = static_cast<double>(run.sample.operations) / seconds;
    note(*scheduler, seconds);
    return {};
}
inline Result<void> measure_stream(DataflowRun const& run, dataflow::Model const& model, GraphShape const& shape,
                                   RequestPlan const& plan) {
    return measure_stream(
        run, model, shape, plan, [&](GraphQuery const& query) { return query.done.is_right(shape); },
        [](dataflow::Scheduler const& /*scheduler*/, double /*seconds*/) {});
}

} // namespace mxk::bench
