// `trace on`, `off`, `top`, `dump`, `clear`: what all cores do between two commands.
#include "arch/cpu.hpp"
#include "arch/machine.hpp"
#include "arch/symbols.hpp"
#include "kernel/clock.hpp"
#include "kernel/console/command.hpp"
#include "tasks/timeline/chunk.hpp"
#include "tasks/timeline/summary.hpp"
#include "tasks/timeline/timeline.hpp"
#include "tasks/workers.hpp"

namespace mxk::timeline {
namespace {

using console::Invocation;
using console::Outcome;

constexpr console::Command trace_command{
    .name = "trace",
    .summary = "a timeline of what all cores do: tasks, hops, sleep; help trace lists how to record and read it",
    .group = "machine",
    .nested = "step"};
MXK_REGISTER(mxk_commands, console::Command, trace_command);

struct OnOptions {
    std::uint64_t events = 64 * KiB;
};
constexpr auto on_schema = console::schema<OnOptions>(console::option<&OnOptions::events>(
    "events", "room on each core; when it is full the oldest event goes", console::between(1, max_events)));

Outcome begin_trace(Invocation& invocation, OnOptions const& options) {
    if (auto const started = start(options.events); !started) return invocation.fail(started.error());
    format(invocation.out, "trace: recording, {} KiB on each of {} cores\n",
           options.events * sizeof(TimelineEvent) / KiB, workers::count());
    return Outcome::Ok;
}
constexpr auto on_command = console::command<&begin_trace, on_schema>(
    {.name = "on",
     .summary = "record from now on, in place of what was recorded before",
     .parent = "trace",
     .notes = "Example: trace on --events 1M; bench table --ops 100K --cores 1,2; trace off; trace top\n"});
MXK_REGISTER(mxk_commands, console::Command, on_command);

Outcome end_trace(Invocation& invocation) {
    if (auto const stopped = stop(); !stopped) return invocation.fail(stopped.error());
    Recording const& recording = *finished().value();
    std::uint64_t events = 0;
    std::uint64_t lost = 0;
    for (CoreTimeline const& core : recording.cores) {
        events += core.size();
        lost += core.lost();
    }
    Cycles const time{recording.cores[0].stopped() - recording.cores[0].started()};
    format(invocation.out, "trace: {} events of {} cores in {:.3} ms, {} older ones lost{}\n", events,
           recording.cores.size(), static_cast<double>(raw(clock::to_nanoseconds(time))) * 1e-6, lost,
           lost == 0 ? "" : " (trace on --events)");
    return Outcome::Ok;
}
constexpr auto off_command =
    console::command<&end_trace>({.name = "off", .summary = "end recording", .parent = "trace"});
MXK_REGISTER(mxk_commands, console::Command, off_command);

struct TopOptions {
    std::uint32_t rows = 15;
};
constexpr auto top_schema = console::schema<TopOptions>(
    console::option<&TopOptions::rows>("rows", "functions to show", console::between(1, Summary::max_functions)));

Outcome show_top(Invocation& invocation, TopOptions const& options) {
    auto const recording = finished();
    if (!recording) return invocation.fail(recording.error());
    auto const summary = Summary::create(*recording.value());
    if (!summary) return invocation.fail(summary.error());
    print(invocation.out, *recording.value(), summary.value(), options.rows);
    return Outcome::Ok;
}
constexpr auto top_command = console::command<&show_top, top_schema>(
    {.name = "top",
     .summary = "what was recorded: sums of each core, functions by time, long tasks and idle times",
     .parent = "trace"});
MXK_REGISTER(mxk_commands, console::Command, top_command);

struct DumpOptions {
    std::uint32_t from = 0;
};
constexpr auto dump_schema = console::schema<DumpOptions>(console::option<&DumpOptions::from>(
    "from", "the first chunk that is wanted, of those that a dump before had", console::between(0, UINT32_MAX)));

class Counter final : public ChunkSink {
  public:
    bool take(std::uint32_t, std::span<std::byte const>) override {
        ++count;
        return true;
    }
    std::uint32_t count = 0;
};

class Printer final : public ChunkSink {
  public:
    Printer(Invocation& invocation, std::uint32_t recording, std::uint32_t from, std::uint32_t count)
        : invocation_(invocation)
        , recording_(recording)
        , next_(from)
        , count_(count) {}

    bool take(std::uint32_t number, std::span<std::byte const> chunk) override {
        if (number < next_) return true;
        if (invocation_.cancelled()) return false;
        write_line(invocation_.out, recording_, number, count_, chunk);
        ++next_;
        return true;
    }
    [[nodiscard]] std::uint32_t next() const { return next_; }

  private:
    Invocation& invocation_;
    std::uint32_t recording_;
    std::uint32_t next_;
    std::uint32_t count_;
};

Outcome dump_trace(Invocation& invocation, DumpOptions const& options) {
    auto const found = finished();
    if (!found) return invocation.fail(found.error());
    Recording const& recording = *found.value();
    arch::MachineDescription const machine = arch::describe_machine();
    if (!arch::timestamp_frequency_is_known())
        return invocation.fail(Error("expected a time-stamp counter whose frequency is known"));
    Head const head{.frequency = arch::timestamp_frequency(),
                    .load_offset = arch::load_offset(),
                    .platform = machine.platform,
                    .build = machine.build};
    Counter counter;
    cut(recording, head, counter);
    if (options.from >= counter.count)
        return invocation.fail(
            Error::of("--from: expected a chunk from 0 to {}, got {}", counter.count - 1, options.from));
    Printer printer(invocation, recording.id, options.from, counter.count);
    cut(recording, head, printer);
    if (printer.next() == counter.count) return Outcome::Ok;
    return invocation.fail(Error::of("ended before chunk {} of {}; the rest: trace dump --from {}", printer.next(),
                                     counter.count, printer.next()));
}
constexpr auto dump_command = console::command<&dump_trace, dump_schema>(
    {.name = "dump",
     .summary = "what was recorded, as lines with check sums for 'tools/mxk trace show LOG'",
     .parent = "trace",
     .notes = "'trace show' names the lines that are missing or damaged, and where to begin again with --from.\n"});
MXK_REGISTER(mxk_commands, console::Command, dump_command);

Outcome clear_trace(Invocation& invocation) {
    auto const cleared = clear();
    return cleared ? Outcome::Ok : invocation.fail(cleared.error());
}
constexpr auto clear_command = console::command<&clear_trace>(
    {.name = "clear", .summary = "give back the memory of what was recorded", .parent = "trace"});
MXK_REGISTER(mxk_commands, console::Command, clear_command);

} // namespace
} // namespace mxk::timeline
