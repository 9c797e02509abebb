// `kill THREAD`, `btrace THREAD`: a thread by the number that `threads` shows.
#include <array>
#include <optional>

#include "arch/symbols.hpp"
#include "kernel/console/command.hpp"
#include "kernel/console/options.hpp"
#include "kernel/remote_call.hpp"
#include "tasks/threads/kill.hpp"
#include "tasks/threads/thread_backend.hpp"

namespace mxk {
namespace {

struct ThreadNumber {
    std::optional<std::uint32_t> id;
};
constexpr auto thread_number_schema = console::schema<ThreadNumber>(
    console::positional<&ThreadNumber::id>("THREAD", "its number, as 'threads' shows it"));

Error thread_number_is_missing(std::string_view command) {
    return Error::of("expected the number of a thread, as in '{} 1'; 'threads' shows them", command);
}

console::Outcome run_kill(console::Invocation& invocation, ThreadNumber const& options) {
    if (!options.id) return invocation.fail(thread_number_is_missing("kill"));
    if (auto const killed = kill_thread(*options.id); !killed) return invocation.fail(killed.error());
    return console::Outcome::Ok;
}

constexpr std::size_t max_trace = 32;

struct Trace {
    std::array<std::uintptr_t, max_trace> addresses{};
    FixedText<31> name;
    ThreadState state{};
    Result<std::size_t> count = std::size_t{0};
};

void trace_thread(ThreadRecord& thread, void* trace) {
    auto& mine = *static_cast<Trace*>(trace);
    mine.name = thread.name;
    mine.state = thread_backend::use_of(thread).state;
    if (mine.state != ThreadState::Ended) mine.count = thread_backend::trace(thread, mine.addresses);
}

console::Outcome print_trace(console::Invocation& invocation, std::uint32_t id, Trace const& trace) {
    if (trace.state == ThreadState::Ended)
        return invocation.fail(
            Error::of("expected a thread that runs, thread {} ('{}') has ended", id, trace.name.view()));
    if (!trace.count) return invocation.fail(trace.count.error());
    format(invocation.out, "thread {} '{}':\n", id, trace.name.view());
    for (std::size_t i = 0; i < trace.count.value(); ++i) {
        format(invocation.out, "    0x{:016x} ", trace.addresses[i]);
        if (!arch::write_function_name(invocation.out, trace.addresses[i])) invocation.out.write("?");
        invocation.out.write("\n");
    }
    return console::Outcome::Ok;
}

console::Outcome run_btrace(console::Invocation& invocation, ThreadNumber const& options) {
    if (!options.id) return invocation.fail(thread_number_is_missing("btrace"));
    std::optional<CoreId> core;
    thread_list::visit_one(
        *options.id,
        [](ThreadRecord& thread, void* found) { static_cast<std::optional<CoreId>*>(found)->emplace(thread.core); },
        &core);
    Trace trace;
    bool is_there = core.has_value();
    if (is_there) call_on(*core, [&] { is_there = thread_list::visit_one(*options.id, &trace_thread, &trace); });
    if (is_there) return print_trace(invocation, *options.id, trace);
    return invocation.fail(Error::of("expected the number of a thread as 'threads' shows it, got {}", *options.id));
}

constexpr auto kill_command = console::command<&run_kill, thread_number_schema>(
    {.name = "kill",
     .summary = "end a thread that allows it, where it waits, yields or is preempted",
     .group = "debugging",
     .notes =
         "Example: spin --slices 1000; threads; kill 1\n"
         "Not while it has a mutex or waits for another thread, but right after that. Units of semaphores that it\n"
         "has taken stay taken, and on metal nothing on its stack is destroyed. Threads of 'spin' allow it.\n"});
constexpr auto btrace_command = console::command<&run_btrace, thread_number_schema>(
    {.name = "btrace",
     .summary = "the functions that a thread is in, the last one first",
     .group = "debugging",
     .notes = "Example: spin --slices 1000; threads; btrace 1\n"
              "Of a thread that runs: where it is when its core comes between two tasks.\n"});
MXK_REGISTER(mxk_commands, console::Command, kill_command);
MXK_REGISTER(mxk_commands, console::Command, btrace_command);

} // namespace
} // namespace mxk
