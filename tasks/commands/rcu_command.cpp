// `rcu`: what grace periods and callbacks have done so far.
#include "kernel/clock.hpp"
#include "kernel/console/command.hpp"
#include "kernel/sync/rcu/rcu.hpp"
#include "tasks/rcu/a_rcu.hpp"

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
    if (std::uint64_t const interrupts = statistics.interrupts.load(std::memory_order_relaxed); interrupts != 0)
        format(invocation.out, "; {} interrupts", interrupts);
    if (statistics.stalled.value() != 0) format(invocation.out, "; {} stalled", statistics.stalled.value());
    std::uint64_t const begun = periods.begun();
    if (periods.done() < begun) {
        Cycles const so_far = clock::timestamp() - periods.begun_at();
        format(invocation.out, "; one has waited for {:.1} us", microseconds(raw(so_far)));
    }
    format(invocation.out, "\n{:>4} {:>10} {:>10} {:>8} {:>7} {:>11} {:>8} {:>7} {:>7}\n", "core", "callbacks", "run",
           "mean due", "max due", "in one turn", "answers", "blocked", "halted");
    for (std::size_t i = 0; i < periods.cores().size(); ++i) {
        CoreStatistics const& core = periods.of(core_id(i)).statistics();
        if (core.called.value() + core.answers.value() + core.away.value() == 0) continue;
        std::uint64_t const batches = core.batches.value();
        double const mean = batches != 0 ? static_cast<double>(core.run.value()) / static_cast<double>(batches) : 0;
        format(invocation.out, "{:4} {:10} {:10} {:8.1} {:7} {:11} {:8} {:7} {:7}\n", i, core.called.value(),
               core.run.value(), mean, core.max_batch.value(), core.max_turn.value(), core.answers.value(),
               core.blocked.value(), core.away.value());
    }
    if (a_rcu::Statistics const other = a_rcu::all_statistics(); other.completed != 0)
        format(invocation.out,
               "A-RCU (bench rcu --rcu a-rcu): {} grace periods completed, of these {} expedited; {} times a core was "
               "asked; {} waited for readers who were preempted\n",
               other.completed, other.expedited, other.asked, other.waited);
    return console::Outcome::Ok;
}

constexpr auto rcu_command = console::command<&show_rcu>(
    {.name = "rcu",
     .summary = "grace periods, and what each core has had to do with them",
     .group = "machine",
     .notes =
         "Per core: callbacks given to it and run; how many became due together, mean and maximum; the largest\n"
         "number run in one turn; grace periods that it has answered; those that had to wait for a read section of\n"
         "the core; those that began while it halted. Cores that have none of these have no line. Interrupts are\n"
         "those that ended threads' slices for an expedited grace period.\n"});
MXK_REGISTER(mxk_commands, console::Command, rcu_command);

} // namespace
} // namespace mxk::rcu
