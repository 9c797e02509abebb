// Threads of the Linux build: pthreads, pinned to the processor of their core, if that is pinned.
#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <new>
#include <string>

#include "arch/linux/pinning.hpp"
#include "arch/linux/signals.hpp"
#include "base/panic.hpp"
#include "kernel/clock.hpp"
#include "tasks/threads/semaphore.hpp"
#include "tasks/threads/thread_backend.hpp"
#include "tasks/workers.hpp"

namespace mxk::thread_backend {
namespace {

struct PosixThread : ThreadRecord {
    using ThreadRecord::ThreadRecord;

    pthread_t handle{};
    Semaphore gate; // until start()
    // relaxed, all: for display
    std::atomic<pid_t> system_id{0};
    std::atomic<bool> sleeps{false};
    std::atomic<bool> has_ended{false};
    ThreadUse last_use{}; // once it has ended
};

thread_local constinit PosixThread* this_thread = nullptr;

// What a stack holds besides the thread's own frames: that of its signal handlers, and what the C library keeps there.
constexpr std::size_t extra_stack_bytes = sizeof(arch::SignalStack) + 64 * KiB;

constexpr std::uint64_t second = 1'000'000'000;

Nanoseconds to_nanoseconds(timespec const& time) {
    return static_cast<Nanoseconds>(static_cast<std::uint64_t>(time.tv_sec) * second +
                                    static_cast<std::uint64_t>(time.tv_nsec));
}

ThreadUse own_use() {
    rusage usage{};
    timespec time{};
    getrusage(RUSAGE_THREAD, &usage);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return {.state = ThreadState::Ended,
            .run_time = to_nanoseconds(time),
            .switches = static_cast<std::uint64_t>(usage.ru_nvcsw),
            .preemptions = static_cast<std::uint64_t>(usage.ru_nivcsw)};
}

// Says that the thread has ended, however its entry was left: pthread_exit(3) unwinds the stack.
class End {
  public:
    explicit End(PosixThread& thread)
        : thread_(thread) {}
    ~End() {
        thread_.last_use = own_use();
        thread_.has_ended.store(true, std::memory_order_release); // pairs with use_of()
        thread_has_ended(thread_);
        this_thread = nullptr;
    }
    End(End const&) = delete;
    End& operator=(End const&) = delete;

  private:
    PosixThread& thread_;
};

void* run(void* argument) {
    auto& thread = *static_cast<PosixThread*>(argument);
    arch::SignalStack const stack; // where an overflow of the other one can be reported
    this_thread = &thread;
    thread.system_id.store(gettid(), std::memory_order_relaxed);
    // The system keeps 15 bytes of it.
    FixedText<15> name(thread.name.view());
    pthread_setname_np(thread.handle, std::string(name.view()).c_str());
    thread.gate.wait();
    End const end(thread);
    thread.entry(thread.argument);
    return nullptr;
}

// Pinned from the start: who would pin itself would first need a turn where its creator is.
void pin(pthread_attr_t& attributes, CoreId core) {
    int const cpu = arch::cpu_of(core);
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

} // namespace

void attach(Worker&) {}

Result<ThreadRecord*> create(ThreadOptions const& options, Thread::Entry entry, void* argument) {
    auto* const thread = new (std::nothrow) PosixThread(options, entry, argument);
    if (thread == nullptr) return Error::of("no memory for thread '{}'", options.name);
    pthread_attr_t attributes{};
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(
        &attributes, align_up(options.stack_bytes + extra_stack_bytes, static_cast<std::uint64_t>(getpagesize())));
    pin(attributes, options.core);
    int const failure = pthread_create(&thread->handle, &attributes, &run, thread);
    pthread_attr_destroy(&attributes);
    if (failure == 0) return static_cast<ThreadRecord*>(thread);
    delete thread;
    return Error::of("thread '{}' could not be made: {}", options.name, std::strerror(failure));
}

void start(ThreadRecord& record) {
    static_cast<PosixThread&>(record).gate.post();
}

void reclaim(ThreadRecord& record) {
    auto& thread = static_cast<PosixThread&>(record);
    if (&thread == this_thread)
        pthread_detach(thread.handle);
    else
        pthread_join(thread.handle, nullptr); // it is about to end
    delete &thread;
}

ThreadRecord* current() {
    return this_thread;
}

void yield() {
    sched_yield();
}

void sleep_for(Nanoseconds time) {
    timespec left{.tv_sec = static_cast<std::time_t>(raw(time) / second),
                  .tv_nsec = static_cast<long>(raw(time) % second)};
    this_thread->sleeps.store(true, std::memory_order_relaxed);
    while (clock_nanosleep(CLOCK_MONOTONIC, 0, &left, &left) != 0) {
    }
    this_thread->sleeps.store(false, std::memory_order_relaxed);
}

void exit() {
    pthread_exit(nullptr);
}

void send(Task& task, CoreId target) {
    if (this_thread == nullptr) return Worker::current().append(task, target);
    workers::of(target).append_from_outside(task);
}

ThreadUse use_of(ThreadRecord const& record) {
    auto const& thread = static_cast<PosixThread const&>(record);
    if (thread.has_ended.load(std::memory_order_acquire)) return thread.last_use;
    ThreadUse use{.state = ThreadState::Ready};
    clockid_t clock{};
    timespec time{};
    if (pthread_getcpuclockid(thread.handle, &clock) == 0 && clock_gettime(clock, &time) == 0)
        use.run_time = to_nanoseconds(time);
    FixedText<64> path;
    format(path, "/proc/self/task/{}/status", thread.system_id.load(std::memory_order_relaxed));
    std::FILE* const file = std::fopen(std::string(path.view()).c_str(), "r");
    if (file == nullptr) return use;
    char status[4096];
    status[std::fread(status, 1, sizeof status - 1, file)] = '\0';
    std::fclose(file);
    use.switches = number_in(status, "\nvoluntary_ctxt_switches:");
    use.preemptions = number_in(status, "\nnonvoluntary_ctxt_switches:");
    char const* const state = std::strstr(status, "State:\t");
    if (state != nullptr && state[7] != 'R')
        use.state = thread.sleeps.load(std::memory_order_relaxed) ? ThreadState::Sleeping : ThreadState::Waiting;
    return use;
}

} // namespace mxk::thread_backend

namespace mxk {

bool Thread::has_slices() {
    return false;
}

} // namespace mxk
