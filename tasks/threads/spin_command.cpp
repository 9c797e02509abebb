// `spin`: threads that only use their slices, while the console keeps working: to see with `threads` how a core is
// shared.
#include "kernel/clock.hpp"
#include "kernel/console/command.hpp"
#include "kernel/console/options.hpp"
#include "tasks/threads/kill.hpp"
#include "tasks/threads/thread.hpp"
#include "tasks/workers.hpp"

namespace mxk {
namespace {

struct SpinOptions {
    console::CountList slices{1000, 2000, 4000};
    std::optional<std::uint32_t> core;
    std::uint32_t seconds = 10;
};

constexpr auto spin_schema = console::schema<SpinOptions>(
    console::option<&SpinOptions::slices>("slices", "microseconds, one thread for each",
                                          console::between(10, 1'000'000)),
    console::option<&SpinOptions::core>("core", "where they run (none given: the last one)",
                                        console::between(0, 65535)),
    console::option<&SpinOptions::seconds>("seconds", "until they end", console::between(1, 1'000'000)));

// `end`: a time stamp.
void spin_until(void* end) {
    become_killable(); // it has nothing
    while (raw(clock::timestamp()) < reinterpret_cast<std::uintptr_t>(end)) end_if_killed();
}

Result<void> start_spinning(SpinOptions const& options) {
    std::uint64_t const time = std::uint64_t{options.seconds} * 1'000'000'000;
    std::uint64_t const end = raw(clock::timestamp() + clock::to_cycles(static_cast<Nanoseconds>(time)));
    CoreId const core = core_id(options.core.value_or(static_cast<std::uint32_t>(workers::count() - 1)));
    for (std::uint32_t const slice : options.slices.values()) {
        FixedText<31> name;
        format(name, "spin {} us", slice);
        auto thread =
            MXK_TRY(Thread::create({.core = core, .name = name.view(), .slice = microseconds(slice)}, &spin_until,
                                   reinterpret_cast<void*>(end))); // NOLINT(performance-no-int-to-ptr)
        MXK_TRY(thread.detach());
    }
    return {};
}

console::Outcome run_spin(console::Invocation& invocation, SpinOptions const& options) {
    if (auto const started = start_spinning(options); !started) return invocation.fail(started.error());
    return console::Outcome::Ok;
}

constexpr auto spin_command = console::command<&run_spin, spin_schema>(
    {.name = "spin",
     .summary = "start threads that only use their time slices, in the background; 'threads' shows them",
     .group = "tests",
     .notes = "Example: spin --slices 1000,2000,4000 --core 1 --seconds 60\n"});
MXK_REGISTER(mxk_commands, console::Command, spin_command);

} // namespace
} // namespace mxk
