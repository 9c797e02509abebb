#include "arch/linux/signals.hpp"

#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <optional>
#include <string_view>

#include "arch/core_local.hpp"
#include "arch/linux/backtrace.hpp"
#include "arch/linux/machine.hpp"
#include "arch/linux/terminal.hpp"
#include "arch/terminal.hpp"
#include "base/format.hpp"
#include "base/sanitizers.hpp"

namespace mxk::arch {
namespace {

// Lock-free, hence fit for signal handlers. relaxed: a flag alone, nothing hangs on its order.
constinit std::atomic<bool> interrupt_requested{false};
static_assert(std::atomic<bool>::is_always_lock_free);
constinit std::atomic<std::uint64_t> continued{0};
constinit std::atomic<bool> counts_stops{false};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

void say(std::string_view text) {
    [[maybe_unused]] ssize_t const written = write(STDERR_FILENO, text.data(), text.size()); // there is no plan B
}

// For signals that end the program anyway.
void leave(int signal) {
    restore_terminal();
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

void interrupted(int signal) {
    if (interrupt_requested.exchange(true, std::memory_order_relaxed)) return leave(signal);
    say("\ninterrupt: ending the benchmark that runs; once more ends the program\n");
}

std::string_view name_of(int signal) {
    switch (signal) {
    case SIGSEGV: return "segmentation fault";
    case SIGBUS: return "bus error";
    case SIGILL: return "invalid opcode";
    case SIGFPE: return "arithmetic error";
    default: return "aborted";
    }
}

bool is_stack_overflow(std::uint64_t address, void const* context) {
    constexpr std::uint64_t near = 64 * KiB;
    auto const stack_pointer =
        static_cast<std::uint64_t>(static_cast<ucontext_t const*>(context)->uc_mcontext.gregs[REG_RSP]);
    return address + near > stack_pointer && address < stack_pointer + near;
}

void fault(int signal, siginfo_t* information, void* context) {
    restore_terminal();
    if (signal != SIGABRT) { // a panic has spoken already
        FixedText<160> text("\nPANIC");
        print_who(text);
        auto const address = reinterpret_cast<std::uint64_t>(information->si_addr);
        format(text, ": {} at 0x{:x}\n", name_of(signal), address);
        if (signal == SIGSEGV && is_stack_overflow(address, context)) text.append("  stack overflow\n");
        say(text.view());
    }
    say("  backtrace:\n");
    print_backtrace();
    _exit(exit_code(ExitStatus::Panic));
}

void handle(int signal, void (*handler)(int)) {
    struct sigaction action {};
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART;
    sigaction(signal, &action, nullptr);
}

void handle_fault(int signal) {
    struct sigaction action {};
    action.sa_sigaction = &fault;
    action.sa_flags = static_cast<int>(SA_SIGINFO | SA_ONSTACK | SA_RESETHAND);
    sigaction(signal, &action, nullptr);
}

} // namespace

void install_signal_handlers() {
    handle(SIGINT, &interrupted);
    for (int const signal : {SIGTERM, SIGHUP, SIGQUIT}) handle(signal, &leave);
    handle(SIGCONT, [](int) { continued.fetch_add(1, std::memory_order_relaxed); });
    counts_stops.store(true, std::memory_order_relaxed);
    handle_fault(SIGABRT);
    if constexpr (!address_sanitizer && !thread_sanitizer) // they report faults better
        for (int const signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE}) handle_fault(signal);
    prepare_backtraces();
}

SignalStack::SignalStack() {
    stack_t stack{};
    stack.ss_sp = memory_.data();
    stack.ss_size = memory_.size();
    sigaltstack(&stack, &before_);
}
SignalStack::~SignalStack() {
    sigaltstack(&before_, nullptr);
}

std::optional<std::uint64_t> stops_so_far() {
    if (!counts_stops.load(std::memory_order_relaxed)) return std::nullopt;
    return continued.load(std::memory_order_relaxed);
}

void request_interrupt() {
    interrupt_requested.store(true, std::memory_order_relaxed);
}

bool take_interrupt_request() {
    // Only read while there is none: any core asks often.
    return interrupt_requested.load(std::memory_order_relaxed) &&
           interrupt_requested.exchange(false, std::memory_order_relaxed);
}

} // namespace mxk::arch
