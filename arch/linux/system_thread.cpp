#include "arch/system_thread.hpp"

#include <execinfo.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>

#include "arch/core_local.hpp"
#include "arch/cpu.hpp"
#include "arch/linux/backtrace.hpp"
#include "arch/linux/pinning.hpp"
#include "arch/linux/signals.hpp"
#include "arch/sections.hpp"
#include "base/log.hpp"
#include "base/spin_wait.hpp"

namespace mxk::arch {

namespace {

// What a stack holds besides the thread's own frames: that of its signal handlers, and what the C library keeps there.
constexpr std::size_t extra_stack_bytes = sizeof(SignalStack) + 64 * KiB;

constexpr std::uint64_t second = 1'000'000'000;

Nanoseconds to_nanoseconds(timespec const& time) {
    return static_cast<Nanoseconds>(static_cast<std::uint64_t>(time.tv_sec) * second +
                                    static_cast<std::uint64_t>(time.tv_nsec));
}

// Pinned from the start: a thread that pins itself would first need a turn where its creator is.
void pin(pthread_attr_t& attributes, CoreId core) {
    int const cpu = cpu_of(core);
    if (cpu < 0) return; // the core itself is not
    std::size_t const cpus = static_cast<std::size_t>(cpu) + 1;
    cpu_set_t* const set = CPU_ALLOC(cpus);
    if (set == nullptr) return;
    CPU_ZERO_S(CPU_ALLOC_SIZE(cpus), set);
    CPU_SET_S(static_cast<std::size_t>(cpu), CPU_ALLOC_SIZE(cpus), set);
    pthread_attr_setaffinity_np(&attributes, CPU_ALLOC_SIZE(cpus), set); // the core is there: so may it
    CPU_FREE(set);
}

// A line "name: 123" of the thread's status file.
std::uint64_t number_in(char const* status, char const* name) {
    char const* const line = std::strstr(status, name);
    return line != nullptr ? std::strtoull(line + std::strlen(name), nullptr, 10) : 0;
}

// On its core, however its entry is left: end_thread() unwinds the stack.
class Placement {
  public:
    Placement(CoreId core, std::string_view name)
        : name_(name) {
        live_on(core, name_.view());
    }
    ~Placement() {
        std::uint32_t const open = leave_home();
        if (open != 0) log::warn("thread '{}' has ended in {} protected sections: they are over", name_.view(), open);
    }
    Placement(Placement const&) = delete;
    Placement& operator=(Placement const&) = delete;

  private:
    FixedText<15> name_; // a detached thread's object is gone before this ends
};

} // namespace

void* SystemThread::run(void* self) {
    auto& thread = *static_cast<SystemThread*>(self);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, nullptr); // but for EndPoint
    SignalStack const stack;                                 // where an overflow of the other one can be reported
    thread.system_id_.store(gettid(), std::memory_order_relaxed);
    pthread_setname_np(pthread_self(), std::string(thread.name_.view()).c_str());
    Placement const placement(thread.core_, thread.name_.view());
    thread.entry_(thread.argument_);
    return nullptr;
}

Result<void> SystemThread::start(CoreId core, std::size_t stack_bytes, std::string_view name, Entry entry,
                                 void* argument) {
    name_ = FixedText<15>(name);
    core_ = core;
    entry_ = entry;
    argument_ = argument;
    pthread_attr_t attributes{};
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes,
                              align_up(stack_bytes + extra_stack_bytes, static_cast<std::uint64_t>(getpagesize())));
    pin(attributes, core);
    int const failure = pthread_create(&handle_, &attributes, &run, this);
    pthread_attr_destroy(&attributes);
    if (failure == 0) return {};
    return Error::of("thread '{}' could not be made: {}", name, std::strerror(failure));
}

void SystemThread::release() {
    if (pthread_equal(pthread_self(), handle_) != 0)
        pthread_detach(handle_);
    else
        pthread_join(handle_, nullptr); // it is about to end
}

SystemThreadUse SystemThread::use() const {
    SystemThreadUse use;
    clockid_t clock{};
    timespec time{};
    if (pthread_getcpuclockid(handle_, &clock) == 0 && clock_gettime(clock, &time) == 0)
        use.run_time = to_nanoseconds(time);
    FixedText<64> path;
    format(path, "/proc/self/task/{}/status", system_id_.load(std::memory_order_relaxed));
    std::FILE* const file = std::fopen(std::string(path.view()).c_str(), "r");
    if (file == nullptr) return use;
    std::array<char, 4096> status{};
    std::size_t const bytes = std::fread(status.data(), 1, status.size() - 1, file);
    status[bytes] = '\0';
    std::fclose(file);
    use.switches = number_in(status.data(), "\nvoluntary_ctxt_switches:");
    use.preemptions = number_in(status.data(), "\nnonvoluntary_ctxt_switches:");
    char const* const state = std::strstr(status.data(), "State:\t");
    use.is_waiting = state != nullptr && state[7] != 'R';
    return use;
}

void SystemThread::end_at_point() {
    pthread_cancel(handle_);
}

EndPoint::EndPoint(bool allowed)
    : allowed_(allowed) {
    if (allowed_) pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, nullptr);
}

EndPoint::~EndPoint() {
    if (allowed_) pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, nullptr);
}

namespace {

// What a traced thread is asked for. There is one at a time.
enum class TraceStep : std::uint8_t { None, Asked, Answers, Answered };
constinit std::atomic<TraceStep> trace_step{TraceStep::None}; // the other two belong to who is at work
constexpr std::size_t max_traced_frames = 64;
constinit std::array<void*, max_traced_frames> trace_frames{};
constinit int trace_count = 0;

int trace_signal() {
    return SIGRTMIN + 4; // no other use in this program
}

// In the traced thread. prepare_backtraces() has loaded what backtrace() needs.
void answer_trace(int /*signal*/) {
    int const error = errno;
    TraceStep expected = TraceStep::Asked;
    if (trace_step.compare_exchange_strong(expected, TraceStep::Answers, std::memory_order_acquire)) {
        trace_count = backtrace(trace_frames.data(), static_cast<int>(trace_frames.size()));
        trace_step.store(TraceStep::Answered, std::memory_order_release); // pairs with trace()
    }
    errno = error;
}

} // namespace

Result<std::size_t> SystemThread::trace(std::span<std::uintptr_t> addresses) {
    prepare_backtraces();
    struct sigaction action {};
    action.sa_handler = &answer_trace;
    action.sa_flags = SA_RESTART;
    sigaction(trace_signal(), &action, nullptr);
    trace_step.store(TraceStep::Asked, std::memory_order_release);
    bool const is_asked = pthread_kill(handle_, trace_signal()) == 0;
    std::uint64_t const ticks = timestamp_frequency(); // a second's
    Cycles const start = timestamp();
    for (SpinWait wait; trace_step.load(std::memory_order_acquire) != TraceStep::Answered; wait.turn()) {
        if (is_asked && raw(timestamp() - start) < ticks) continue;
        TraceStep expected = TraceStep::Asked; // a handler that has begun is awaited
        if (trace_step.compare_exchange_strong(expected, TraceStep::None, std::memory_order_relaxed))
            return Error::of("thread '{}' does not answer: it ends, or has no processor", name_.view());
    }
    // Behind the first one they are return addresses: where the call was a function's end, that of the next function.
    constexpr std::size_t own_frames = 2; // of the handler, and what the system calls it by
    std::size_t const all = static_cast<std::size_t>(trace_count);
    std::size_t const count = std::min(addresses.size(), all - std::min(all, own_frames));
    for (std::size_t i = 0; i < count; ++i)
        addresses[i] = reinterpret_cast<std::uintptr_t>(trace_frames[own_frames + i]) - (i == 0 ? 0 : 1);
    trace_step.store(TraceStep::None, std::memory_order_relaxed);
    return count;
}

SystemThreadUse own_use() {
    rusage usage{};
    timespec time{};
    getrusage(RUSAGE_THREAD, &usage);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return {.run_time = to_nanoseconds(time),
            .switches = static_cast<std::uint64_t>(usage.ru_nvcsw),
            .preemptions = static_cast<std::uint64_t>(usage.ru_nivcsw)};
}

void sleep_for(Nanoseconds time) {
    timespec left{.tv_sec = static_cast<std::time_t>(raw(time) / second),
                  .tv_nsec = static_cast<long>(raw(time) % second)};
    while (clock_nanosleep(CLOCK_MONOTONIC, 0, &left, &left) != 0) {
    }
}

void end_thread() {
    pthread_exit(nullptr);
}

} // namespace mxk::arch
