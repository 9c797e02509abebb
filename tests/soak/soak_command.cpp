// `soak`: threads and tasks together for as long as one likes.
#include "kernel/console/command.hpp"
#include "kernel/console/options.hpp"
#include "kernel/testing.hpp"
#include "tests/soak/soak.hpp"
#include "tests/soak/soak_part.hpp"

namespace mxk {
namespace {

constexpr auto soak_schema = console::schema<SoakOptions>(
    console::option<&SoakOptions::seconds>("seconds", "how long", console::between(1, 1'000'000)),
    console::option<&SoakOptions::threads>("threads", "on all cores together", console::between(1, 10'000)),
    console::option<&SoakOptions::seed>("seed", "of what they do", console::between(0, 1'000'000)),
    console::option<&SoakOptions::with>("with",
                                        "what else goes on: parts between commas, such as rcu,cht,cht_lines,workq"));

console::Outcome run_soak(console::Invocation& invocation, SoakOptions const& options) {
    if (auto const known = check_soak_parts(options.with); !known) return invocation.fail(known.error());
    inner_tests::begin_checks();
    soak(options, &invocation);
    std::uint32_t const failed = inner_tests::failed_checks();
    format(invocation.out, "soak: {} threads, {} s, seed {}{}{}: {} failed checks\n", options.threads, options.seconds,
           options.seed, options.with.empty() ? "" : ", with ", options.with, failed);
    if (auto const whole = invocation.check_cancelled(); !whole) return invocation.fail(whole.error());
    return failed == 0 ? console::Outcome::Ok : console::Outcome::Failed;
}

constexpr auto soak_command = console::command<&run_soak, soak_schema>(
    {.name = "soak",
     .summary = "threads and tasks of all kinds together for a while; fails if any check does",
     .group = "tests",
     .notes = "Example: soak --seconds 60 --with rcu,cht,cht_lines,workq; a part that is not there is answered with "
              "those that "
              "are.\n"});
MXK_REGISTER(mxk_commands, console::Command, soak_command);

} // namespace
} // namespace mxk
