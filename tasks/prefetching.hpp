// Which plan of prefetching this machine works by (base/prefetch_plan.hpp): tables read the plan itself, the queues of
// tasks are told of it here. It begins as the default one. Programs that measure settle it before the first
// measurement; others may calibrate when they like:
//
//     runtime.value().run([](mxk::Worker& here) { (void)mxk::prefetching::calibrate(here); });
#pragma once

#include <cstdint>
#include <optional>

#include "base/prefetch_plan.hpp"
#include "base/result.hpp"
#include "kernel/prefetch/prefetch_calibration.hpp"
#include "tasks/worker.hpp"

namespace mxk::prefetching {

// Whether settle() calibrates. Auto: not under an emulator, which has no caches, nor in a build with a sanitizer, whose
// instructions would be measured. The others say that there are caches, also under an emulator: a simulator models
// them.
enum class Calibrate : std::uint8_t { Auto, Yes, No };
// Where the plan is from.
enum class Source : std::uint8_t { Default, Calibrated, Given };

struct State {
    Calibrate when = Calibrate::Auto;
    Source source = Source::Default;
    bool is_settled = false;
    std::optional<PrefetchCalibration> calibration{}; // the latest
};

// How many tasks ahead queues look by default: none where there are no caches. The console's core, also before there
// are workers.
std::uint32_t default_task_distance();

// Everything below: core 0's task, while no core works on a table.

State const& state();
// Before the first settle().
void set_calibrate(Calibrate when);
// The first call calibrates, if that is to be done here and no plan was given; without memory it is a WARN, and the
// default plan. Takes milliseconds (prefetch_calibration.hpp).
void settle(Worker& here);
// Measures, and works by what comes of it. Errors: no memory.
Result<void> calibrate(Worker& here);
// Works by this plan. Errors: no memory for telling the cores.
Result<void> use(PrefetchPlan const& plan, Source source);
// How many tasks ahead all cores look. Errors: no memory for telling them.
Result<void> set_task_distance(std::uint32_t tasks);
// There are no workers any more: everything as in the beginning. After every core has stopped.
void forget();

} // namespace mxk::prefetching
