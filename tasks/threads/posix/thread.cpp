// What threads ask of the system (tasks/threads/thread_backend.hpp): each is one of the system's, on the processor of
// its core.
#include <atomic>
#include <new>

#include "arch/sections.hpp"
#include "arch/system_thread.hpp"
#include "base/spin_wait.hpp"
#include "tasks/threads/posix/observed_wait.hpp"
#include "tasks/threads/semaphore.hpp"
#include "tasks/threads/thread_backend.hpp"
#include "tasks/workers.hpp"

namespace mxk::thread_backend {
namespace {

struct PosixThread : ThreadRecord {
    using ThreadRecord::ThreadRecord;

    arch::SystemThread system;
    Semaphore gate;                     // until start()
    std::atomic<bool> sleeps{false};    // relaxed: for display
    std::atomic<bool> has_ended{false}; // publishes last_use
    arch::SystemThreadUse last_use;
};

thread_local constinit PosixThread* this_thread = nullptr;

// Says that the thread has ended, however its entry was left: arch::end_thread() unwinds the stack.
class End {
  public:
    explicit End(PosixThread& thread)
        : thread_(thread) {}
    ~End() {
        workers::of(thread_.core).note_thread_waits(); // for ever
        thread_.last_use = arch::own_use();
        thread_.has_ended.store(true, std::memory_order_release); // pairs with use_of()
        thread_has_ended(thread_);
        this_thread = nullptr;
    }
    End(End const&) = delete;
    End& operator=(End const&) = delete;

  private:
    PosixThread& thread_;
};

void run(void* argument) {
    auto& thread = *static_cast<PosixThread*>(argument);
    this_thread = &thread;
    workers::of(thread.core).note_thread_runs();
    thread.gate.wait();
    End const end(thread);
    thread.entry(thread.argument);
}

// Whether it may end where it waits now.
bool may_end(ThreadRecord const& thread) {
    return thread.is_killable.load(std::memory_order_relaxed) && thread.end_holds == 0;
}

ThreadState state_of(PosixThread const& thread, bool is_waiting) {
    if (!is_waiting) return ThreadState::Ready;
    return thread.sleeps.load(std::memory_order_relaxed) ? ThreadState::Sleeping : ThreadState::Waiting;
}

ThreadUse thread_use(ThreadState state, arch::SystemThreadUse const& use) {
    return {.state = state, .run_time = use.run_time, .switches = use.switches, .preemptions = use.preemptions};
}

} // namespace

void attach(Worker&) {}

Result<ThreadRecord*> create(ThreadOptions const& options, Thread::Entry entry, void* argument) {
    auto* const thread = new (std::nothrow) PosixThread(options, entry, argument);
    if (thread == nullptr) return Error::of("no memory for thread '{}'", options.name);
    auto const started = thread->system.start(options.core, options.stack_bytes, thread->name.view(), &run, thread);
    if (started) return static_cast<ThreadRecord*>(thread);
    delete thread;
    return started.error();
}

void start(ThreadRecord& record) {
    static_cast<PosixThread&>(record).gate.post();
}

void reclaim(ThreadRecord& record) {
    auto& thread = static_cast<PosixThread&>(record);
    thread.system.release();
    delete &thread;
}

ThreadRecord* current() {
    return this_thread;
}

void yield() {
    if (this_thread->ends_here()) exit();
    offer_processor();
}

void sleep_for(Nanoseconds time) {
    if (this_thread->ends_here()) exit();
    arch::EndPoint const point(may_end(*this_thread));
    this_thread->sleeps.store(true, std::memory_order_relaxed);
    {
        ObservedWait const observed(*this_thread);
        arch::sleep_for(time);
    }
    this_thread->sleeps.store(false, std::memory_order_relaxed);
}

void exit() {
    arch::end_thread();
}

void send(Task& task, CoreId target) {
    if (arch::runs_task()) return Worker::current().append(task, target);
    workers::of(target).append_from_outside(task);
}

// Threads have no turns: they run beside their core's tasks.
Thread::Entry entry_of(Task const&) {
    return nullptr;
}

Thread::Entry entry_of_listed(Task const*) {
    return nullptr;
}

std::size_t write_awaited_readers(TextSink& out, CoreId core) {
    return arch::write_awaited_readers(out, core);
}

void want_end(ThreadRecord& record) {
    record.end_is_wanted.store(true, std::memory_order_relaxed);
    static_cast<PosixThread&>(record).system.end_at_point();
}

Result<std::size_t> trace(ThreadRecord& record, std::span<std::uintptr_t> addresses) {
    return static_cast<PosixThread&>(record).system.trace(addresses);
}

ThreadUse use_of(ThreadRecord const& record) {
    auto const& thread = static_cast<PosixThread const&>(record);
    if (thread.has_ended.load(std::memory_order_acquire)) return thread_use(ThreadState::Ended, thread.last_use);
    arch::SystemThreadUse const use = thread.system.use();
    return thread_use(state_of(thread, use.is_waiting), use);
}

} // namespace mxk::thread_backend

namespace mxk {

bool Thread::has_slices() {
    return false;
}

} // namespace mxk
