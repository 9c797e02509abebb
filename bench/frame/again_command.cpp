// `again`: the results once more, for a line on which they were damaged.
#include <array>
#include <cstddef>

#include "base/format.hpp"
#include "bench/frame/kept_results.hpp"
#include "kernel/console/command.hpp"
#include "kernel/console/options.hpp"

namespace mxk::bench {

KeptLines& kept_results() {
    constexpr std::size_t some_hundred_rows = 1 << 20;
    static constinit std::array<char, some_hundred_rows> room{};
    static constinit KeptLines kept(room);
    return kept;
}

namespace {

struct AgainOptions {
    bool all = false;
};

constexpr auto again_schema = console::schema<AgainOptions>(
    console::flag<&AgainOptions::all>("all", "those of every benchmark since the start that are still kept"));

console::Outcome run_again(console::Invocation& invocation, AgainOptions const& options) {
    KeptLines const& kept = kept_results();
    if (kept.empty())
        return invocation.fail(Error("expected a benchmark before it: there are no results yet ('bench' lists them)"));
    if (std::size_t const dropped = kept.dropped(options.all); dropped > 0)
        format(invocation.out, "lines that are no longer kept: {}\n", dropped);
    for (KeptLines::Reader lines(kept, options.all); lines.write_next(invocation.out);)
        if (auto const wanted = invocation.check_cancelled(); !wanted) return invocation.fail(wanted.error());
    return console::Outcome::Ok;
}

constexpr auto again_command = console::command<&run_again, again_schema>(
    {.name = "again",
     .summary = "print the results of the last benchmark once more",
     .group = "measuring",
     .notes = "For a serial line that loses bytes. Rows that were printed twice count once in 'tools/mxk report'.\n"
              "1 MiB is kept; what came first is dropped first.\n"});
MXK_REGISTER(mxk_commands, console::Command, again_command);

} // namespace
} // namespace mxk::bench
