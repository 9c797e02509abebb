#include "bench/frame/conditions_watch.hpp"

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
    if (!counter_source.has_any()) return watch;
    NodeId const here = Worker::current().node();
    watch.before_ = MXK_TRY(NodeVector<arch::CoreCounters>::create(workers::count(), here));
    watch.after_ = MXK_TRY(NodeVector<arch::CoreCounters>::create(workers::count(), here));
    for (std::size_t i = 0; i < workers::count(); ++i) {
        watch.before_.emplace();
        watch.after_.emplace();
    }
    return watch;
}

void ConditionsWatch::begin_run() {
    for (std::size_t i = 0; i < before_.size(); ++i)
        call_on(core_id(i), [&] {
            counter_source.forget_throttling();
            before_[i] = counter_source.read();
        });
}

RunConditions ConditionsWatch::end_run() {
    for (std::size_t i = 0; i < after_.size(); ++i) call_on(core_id(i), [&] { after_[i] = counter_source.read(); });
    RunConditions result = conditions_between(before_.span(), after_.span());
    constexpr Nanoseconds watched{1'000'000};
    if (auto const gap = counter_source.max_gap(watched)) result.max_gap = raw(*gap);
    return result;
}

} // namespace mxk::bench
