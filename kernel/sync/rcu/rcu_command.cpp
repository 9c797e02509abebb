// `rcu`: what grace periods and callbacks have done so far.
#include "kernel/clock.hpp"
#include "kernel/console/command.hpp"
#include "kernel/sync/rcu/rcu.hpp"

namespace mxk::rcu {
namespace {

double microseconds(std::uint64_t cycles) {
    return static_cast<double>(raw(clock::to_nanoseconds(static_cast<Cycles>(cycles)))) / 1000;
}

console::Outcome show_rcu(console::Invocation& invocation) {
    GracePeriods const& periods = *rcu::periods();
    Statistics const& statistics = periods.statistics();
    std::uint64_t const completed = statistics.completed.value();
    format(invocation.out, "grace periods: {} completed, of these {} expedited", completed, statistics.hurried.value());
    if (completed != 0)
        format(invocation.out, "; mean {:.1} us, max {:.1} us", microseconds(statistics.cycles.value() / completed),
               microseconds(statistics.max_cycles.value()));
    if (statistics.stalled.value() != 0) format(invocation.out, "; {} stalled", statistics.stalled.value());
    std::uint64_t const begun = periods.begun();
    if (periods.done() < begun) {
        Cycles const so_far = clock::timestamp() - periods.begun_at();
        format(invocation.out, "; one has waited for {:.1} us", microseconds(raw(so_far)));
    }
    format(invocation.out, "\n{:>5} {:>12} {:>12} {:>12} {:>12} {:>12}\n", "core", "callbacks", "run", "in one turn",
           "answers", "halted");
    for (std::size_t i = 0; i < periods.cores().size(); ++i) {
        CoreStatistics const& core = periods.of(core_id(i)).statistics();
        if (core.called.value() + core.answers.value() + core.away.value() == 0) continue;
        format(invocation.out, "{:5} {:12} {:12} {:12} {:12} {:12}\n", i, core.called.value(), core.run.value(),
               core.max_turn.value(), core.answers.value(), core.away.value());
    }
    return console::Outcome::Ok;
}

constexpr auto rcu_command = console::command<&show_rcu>(
    {.name = "rcu",
     .summary = "grace periods, and what each core has had to do with them",
     .group = "machine",
     .notes = "Per core: callbacks given to it and run, the largest number run in one turn, grace periods that it has\n"
              "answered, and those that began while it halted. Cores that have none of these have no line.\n"});
MXK_REGISTER(mxk_commands, console::Command, rcu_command);

} // namespace
} // namespace mxk::rcu
