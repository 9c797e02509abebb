// `prefetch`: the plan by which lines of tables are asked for, and what it was chosen from; or another plan.
#include <algorithm>
#include <optional>

#include "base/json_line.hpp"
#include "kernel/clock.hpp"
#include "kernel/console/command.hpp"
#include "tasks/commands/prefetch_names.hpp"
#include "tasks/prefetching.hpp"

namespace mxk::prefetching {
namespace {

using console::Invocation;
using console::Outcome;

struct PrefetchOptions {
    bool calibrate = false;
    bool standard = false;
    std::optional<PrefetchHint> hint;
    std::optional<std::uint32_t> far;
    std::optional<std::uint32_t> near;
    bool json = false;

    [[nodiscard]] bool gives_plan() const { return standard || hint || far || near; }
};

constexpr auto prefetch_schema = console::schema<PrefetchOptions>(
    console::flag<&PrefetchOptions::calibrate>("calibrate", "measure now, and work by what comes of it"),
    console::flag<&PrefetchOptions::standard>("default", "as on every machine that is not calibrated"),
    console::option<&PrefetchOptions::hint>("hint", "which PREFETCH asks for lines of tables"),
    console::option<&PrefetchOptions::far>("far", "lines on their way at a time; half as many tasks ahead",
                                           console::between(2, PrefetchPlan::max_far)),
    console::option<&PrefetchOptions::near>("near",
                                            "operations from the second stage, PREFETCHT0, to the use (0: none)",
                                            console::between(0, PrefetchPlan::max_near)),
    console::flag<&PrefetchOptions::json>("json", "one JSON line instead, for tools"));

double milliseconds(Cycles cycles) {
    return static_cast<double>(raw(clock::to_nanoseconds(cycles))) * 1e-6;
}

// Cycles; nothing of what was not measured within the time there is.
void print_time(TextSink& out, double cycles) {
    if (cycles != PrefetchTimes::unknown) return format(out, " {:7.1}", cycles);
    format(out, " {:>7}", "-");
}

void print_calibration(TextSink& out, PrefetchCalibration const& found) {
    format(out, "calibration: {} rounds over {} MiB in {:.1} ms, and {:.1} ms to touch the memory; cycles per line:\n",
           found.rounds, found.bytes / MiB, milliseconds(found.walking), milliseconds(found.touching));
    format(out, "{:>6}", "lines");
    for (std::uint32_t const far : PrefetchTimes::fars) format(out, " {:7}", far);
    out.write("\n");
    for (std::size_t hint = 0; hint < PrefetchTimes::hints.size(); ++hint) {
        format(out, "{:>6}", mxk::name_of(PrefetchTimes::hints[hint]));
        for (double const time : found.times.far[hint]) print_time(out, time);
        out.write("\n");
    }
    format(out, "{:>6}", "near");
    for (std::uint32_t const near : PrefetchTimes::nears) format(out, " {:7}", near);
    format(out, "\n{:>6}", "");
    for (double const time : found.times.near) print_time(out, time);
    out.write("\n");
}

void print(TextSink& out) {
    format(out, "prefetch: {}, {} lines on their way, {} tasks ahead, ", mxk::name_of(prefetch_plan.hint),
           prefetch_plan.far, Worker::current().prefetch_distance());
    if (prefetch_plan.near == 0)
        out.write("no second stage");
    else
        format(out, "second stage {} operations before the use", prefetch_plan.near);
    format(out, " ({})\n", name_of(state().source));
    if (state().calibration) print_calibration(out, *state().calibration);
}

void write_json(TextSink& out) {
    JsonLine line(out);
    JsonWriter& json = line.json();
    write_plan(json);
    if (auto const& found = state().calibration) {
        json.begin_object("calibration");
        json.field("rounds", found->rounds);
        json.field("bytes", found->bytes);
        json.field("walking_ms", milliseconds(found->walking));
        json.field("touching_ms", milliseconds(found->touching));
        for (std::size_t hint = 0; hint < PrefetchTimes::hints.size(); ++hint) {
            json.begin_array(mxk::name_of(PrefetchTimes::hints[hint])); // cycles, by PrefetchTimes::fars
            for (double const time : found->times.far[hint]) json.element(time);
            json.end_array();
        }
        json.begin_array("near");
        for (double const time : found->times.near) json.element(time);
        json.end_array();
        json.end_object();
    }
    line.end();
}

Result<void> change(PrefetchOptions const& options) {
    if (options.calibrate && options.gives_plan())
        return Error("--calibrate: expected no plan besides, got --default, --hint, --far or --near");
    if (options.calibrate) return calibrate(Worker::current());
    if (!options.gives_plan()) return {};
    PrefetchPlan const before = options.standard ? PrefetchPlan{} : prefetch_plan;
    PrefetchPlan const plan{.hint = options.hint.value_or(before.hint),
                            .far = options.far.value_or(before.far),
                            .near = options.near.value_or(before.near)};
    return use(plan, plan == PrefetchPlan{} ? Source::Default : Source::Given);
}

Outcome run(Invocation& invocation, PrefetchOptions const& options) {
    if (auto const changed = change(options); !changed) return invocation.fail(changed.error());
    if (options.json)
        write_json(invocation.out);
    else
        print(invocation.out);
    return Outcome::Ok;
}

constexpr auto prefetch_command = console::command<&run, prefetch_schema>(
    {.name = "prefetch",
     .summary = "how lines of tables are asked for ahead of their use: the plan, calibrating it, or giving one",
     .group = "machine",
     .notes =
         "Example: prefetch --hint t2 --far 64 --near 0   (as the 'prefetch' of a result's machine says)\n"
         "Benchmarks calibrate before the first measurement, unless a plan was given, or the machine is emulated.\n"});
MXK_REGISTER(mxk_commands, console::Command, prefetch_command);

} // namespace
} // namespace mxk::prefetching
