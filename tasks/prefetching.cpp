#include "tasks/prefetching.hpp"

#include "arch/machine.hpp"
#include "base/log.hpp"
#include "base/sanitizers.hpp"
#include "kernel/memory/node_vector.hpp"
#include "tasks/run_on.hpp"
#include "tasks/workers.hpp"

namespace mxk::prefetching {
namespace {

static_assert(PrefetchPlan{}.tasks() == TaskFifo::default_distance);
static_assert(PrefetchPlan{.far = PrefetchPlan::max_far}.tasks() <= TaskFifo::max_distance);

constinit State current{};

bool wants_calibration() {
    if (current.when != Calibrate::Auto) return current.when == Calibrate::Yes;
    return !address_sanitizer && !thread_sanitizer && !arch::describe_machine().is_emulated();
}

} // namespace

std::uint32_t default_task_distance() {
    bool const has_no_caches = current.when == Calibrate::Auto && arch::describe_machine().is_emulated();
    return has_no_caches ? 0 : TaskFifo::default_distance;
}

State const& state() {
    return current;
}

void set_calibrate(Calibrate when) {
    current.when = when;
}

void settle(Worker& here) {
    if (current.is_settled) return;
    current.is_settled = true;
    if (!wants_calibration()) return;
    if (auto const done = calibrate(here); !done)
        log::warn("prefetching is not calibrated, and as by default: {}", done.error().message());
}

Result<void> calibrate(Worker& here) {
    current.calibration = MXK_TRY(calibrate_prefetching(here.core(), here.node()));
    PrefetchCalibration const& found = *current.calibration;
    return use(found.plan, found.is_complete ? Source::Calibrated : Source::Default);
}

Result<void> use(PrefetchPlan const& plan, Source source) {
    std::uint32_t const tasks = source == Source::Default ? default_task_distance() : plan.tasks();
    MXK_TRY(set_task_distance(tasks));
    workers::set_default_prefetch_distance(tasks);
    prefetch_plan = plan;
    current.source = source;
    current.is_settled = true;
    return {};
}

Result<void> set_task_distance(std::uint32_t tasks) {
    auto cores = MXK_TRY(NodeVector<CoreId>::create(workers::count(), Worker::current().node()));
    for (std::size_t i = 0; i < workers::count(); ++i) cores.emplace(core_id(i));
    bool const told = run_on(cores.span(), [tasks](Worker& worker, std::size_t) {
        worker.set_prefetch_distance(tasks);
        return Step::Done;
    });
    if (!told) return Error("no memory for telling the cores how far ahead they look");
    return {};
}

void forget() {
    prefetch_plan = {};
    current = {};
}

} // namespace mxk::prefetching
