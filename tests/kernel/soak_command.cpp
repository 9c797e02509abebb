// `soak`: threads and tasks together for as long as one likes.
#include "kernel/console/command.hpp"
#include "kernel/console/options.hpp"
#include "kernel/testing.hpp"
#include "tests/kernel/soak.hpp"

namespace mxk {
namespace {

constexpr auto soak_schema = console::schema<SoakOptions>(
    console::option<&SoakOptions::seconds>("seconds", "how long", console::between(1, 1'000'000)),
    console::option<&SoakOptions::threads>("threads", "on all cores together", console::between(1, 10'000)),
    console::option<&SoakOptions::seed>("seed", "of what they do", console::between(0, 1'000'000)));

console::Outcome run_soak(console::Invocation& invocation) {
    SoakOptions options;
    if (auto const parsed = console::parse(invocation.arguments, soak_schema, options); !parsed)
        return invocation.fail(parsed.error());
    testing::begin_checks();
    soak(options);
    std::uint32_t const failed = testing::failed_checks();
    format(invocation.out, "soak: {} threads, {} s, seed {}: {} failed checks\n", options.threads, options.seconds,
           options.seed, failed);
    return failed == 0 ? console::Outcome::Ok : console::Outcome::Failed;
}

constexpr console::Command soak_command{
    .name = "soak",
    .summary = "threads and tasks of all kinds together for a while; fails if any check does",
    .run = &run_soak,
    .help = [](TextSink& out) { console::print_help(out, soak_schema, SoakOptions{}); },
    .complete = [](std::span<std::string_view const> before,
                   console::Candidates& candidates) { console::complete_options(before, soak_schema, candidates); },
};
MXK_REGISTER(mxk_commands, console::Command, soak_command);

} // namespace
} // namespace mxk
