// `threads`: all threads there are, and what they have had of their cores.
#include "kernel/console/command.hpp"
#include "tasks/threads/thread_backend.hpp"

namespace mxk {
namespace {

std::string_view name_of(ThreadState state) {
    switch (state) {
    case ThreadState::Ready: return "ready";
    case ThreadState::Running: return "running";
    case ThreadState::Waiting: return "waiting";
    case ThreadState::Sleeping: return "sleeping";
    case ThreadState::Ended: break;
    }
    return "ended";
}

void print_thread(ThreadRecord const& thread, void* context) {
    ThreadUse const use = thread_backend::use_of(thread);
    format(*static_cast<TextSink*>(context), "{:>4} {:<24} {:>4} {:<8} {:>9} {:>7.1} {:>8} {:>9}\n", thread.id,
           thread.name.view(), thread.core, name_of(use.state), raw(thread.slice) / 1000,
           static_cast<double>(raw(use.run_time)) / 1e6, use.switches, use.preemptions);
}

console::Outcome show_threads(console::Invocation& invocation) {
    format(invocation.out, "{:>4} {:<24} {:>4} {:<8} {:>9} {:>7} {:>8} {:>9}\n", "", "name", "core", "state",
           "slice, us", "run, ms", "switches", "preempted");
    thread_list::for_each(&print_thread, &invocation.out);
    return console::Outcome::Ok;
}

constexpr auto threads_command = console::command<&show_threads>(
    {.name = "threads",
     .summary = "per thread: its number, core, state, slice, run time, switches by itself and by preemption",
     .group = "machine"});
MXK_REGISTER(mxk_commands, console::Command, threads_command);

} // namespace
} // namespace mxk
