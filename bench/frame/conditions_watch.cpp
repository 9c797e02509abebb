#include "bench/frame/conditions_watch.hpp"

#include "arch/core_local.hpp"
#include "bench/frame/measured_part.hpp"
#include "kernel/remote_call.hpp"
#include "tasks/worker.hpp"
#include "tasks/workers.hpp"

namespace mxk::bench {
namespace {

constinit CounterSource counter_source{};

} // namespace

void set_counter_source(CounterSource const& wanted) {
    counter_source = wanted;
}

Result<ConditionsWatch> ConditionsWatch::create() {
    ConditionsWatch watch;
    NodeId const here = Worker::current().node();
    watch.before_ = MXK_TRY(NodeVector<arch::CoreCounters>::create(workers::count(), here));
    watch.after_ = MXK_TRY(NodeVector<arch::CoreCounters>::create(workers::count(), here));
    watch.cores_ = MXK_TRY(NodeVector<CoreId>::create(workers::count(), here));
    for (std::size_t i = 0; i < workers::count(); ++i) {
        watch.cores_.emplace(core_id(i));
        watch.before_.emplace();
        watch.after_.emplace();
    }
    return watch;
}

void ConditionsWatch::begin_run(bool is_part) {
    if (counter_source.has_any()) {
        call_on_each(cores_.span(), [&] {
            counter_source.forget_throttling();
            before_[index(arch::core_local().id)] = counter_source.read();
        });
    }
    counter_source.run_begins();
    if (is_part && are_parts_watched()) call_on_each(cores_.span(), [] { unseen_part_begins(); });
}

RunConditions ConditionsWatch::end_run(bool is_part) {
    if (is_part && are_parts_watched()) call_on_each(cores_.span(), [] { unseen_part_ends(); });
    arch::RunEvidence const evidence = counter_source.run_ends();
    if (counter_source.has_any())
        call_on_each(cores_.span(), [&] { after_[index(arch::core_local().id)] = counter_source.read(); });
    RunConditions result = conditions_between(before_.span(), after_.span());
    result.evidence = evidence;
    constexpr Nanoseconds watched{1'000'000};
    if (auto const gap = counter_source.max_gap(watched)) result.max_gap = raw(*gap);
    return result;
}

} // namespace mxk::bench
