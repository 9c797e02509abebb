#include "tasks/threads/thread.hpp"

#include "base/panic.hpp"
#include "kernel/clock.hpp"
#include "tasks/threads/kill.hpp"
#include "tasks/threads/semaphore.hpp"
#include "tasks/threads/thread_backend.hpp"
#include "tasks/workers.hpp"

namespace mxk {
namespace {

// What stands in ThreadRecord::joiner besides a task to be sent.
constinit Task ended_mark(nullptr);
constinit Task detached_mark(nullptr);

// Goes home when the thread has ended that it waits at.
struct EndNotice : Task {
    explicit EndNotice(CoreId home_core)
        : Task(
              [](Worker&, Task& task) {
                  auto& self = static_cast<EndNotice&>(task);
                  self.has_come = true;
                  if (self.waiter != nullptr) self.waiter->post(); // the notice may be gone afterwards
              },
              home_core) {}
    bool has_come = false;
    Semaphore* waiter = nullptr; // a thread's; null: a task's, of the same core, looks at has_come
};

void wait_for_end(ThreadRecord& thread) {
    EndHold const hold; // the thread refers to this stack
    bool const is_thread = in_thread();
    EndNotice notice(is_thread ? this_thread::core() : Worker::current().core());
    Semaphore waiter;
    if (is_thread) notice.waiter = &waiter;
    Task* before = nullptr;
    // acq_rel: what the thread has written, and what thread_has_ended() is to find here
    if (!thread.joiner.compare_exchange_strong(before, &notice, std::memory_order_acq_rel)) return; // it has ended
    if (is_thread)
        waiter.wait();
    else
        Worker::current().run_until([&] { return notice.has_come; });
}

Error already_gone() {
    return Error("expected a thread that has been neither joined nor detached");
}

Result<void> check(ThreadOptions const& options) {
    if (index(options.core) >= workers::count())
        return Error::of("thread '{}': expected a core below {}, got {}", options.name, workers::count(), options.core);
    if (options.stack_bytes < Thread::min_stack_bytes || options.stack_bytes > Thread::max_stack_bytes)
        return Error::of("thread '{}': expected a stack of {} to {} bytes, got {}", options.name,
                         Thread::min_stack_bytes, Thread::max_stack_bytes, options.stack_bytes);
    if (options.slice < Thread::min_slice || options.slice > Thread::max_slice)
        return Error::of("thread '{}': expected a slice of {} to {} ns, got {}", options.name, raw(Thread::min_slice),
                         raw(Thread::max_slice), raw(options.slice));
    return {};
}

ThreadRecord& current_thread() {
    ThreadRecord* const thread = thread_backend::current();
    expect(thread != nullptr, "only a thread may call this, and a task did");
    return *thread;
}

} // namespace

Result<Thread> Thread::create(ThreadOptions const& options, Entry entry, void* argument) {
    MXK_TRY(check(options));
    ThreadRecord* const record = MXK_TRY(thread_backend::create(options, entry, argument));
    thread_list::add(*record);
    thread_backend::start(*record);
    return Thread(*record);
}

Thread::~Thread() {
    if (record_.load(std::memory_order_relaxed) == nullptr) return;
    expect(join().ok(), "a thread does not destroy its own handle");
}

Result<void> Thread::join() {
    if (in_thread() && record_.load(std::memory_order_relaxed) == &current_thread())
        return Error::of("thread '{}' waits for its own end", this_thread::name());
    ThreadRecord* const record = record_.exchange(nullptr, std::memory_order_relaxed);
    if (record == nullptr) return already_gone();
    wait_for_end(*record);
    thread_list::remove(*record);
    thread_backend::reclaim(*record);
    return {};
}

Result<void> Thread::detach() {
    ThreadRecord* const record = record_.exchange(nullptr, std::memory_order_relaxed);
    if (record == nullptr) return already_gone();
    Task* before = nullptr;
    if (record->joiner.compare_exchange_strong(before, &detached_mark, std::memory_order_acq_rel)) return {};
    thread_list::remove(*record); // it has ended
    thread_backend::reclaim(*record);
    return {};
}

std::string_view Thread::name() const {
    return record_.load(std::memory_order_relaxed)->name.view();
}
CoreId Thread::core() const {
    return record_.load(std::memory_order_relaxed)->core;
}

void thread_has_ended(ThreadRecord& record) {
    // acq_rel: pairs with wait_for_end()
    Task* const joiner = record.joiner.exchange(&ended_mark, std::memory_order_acq_rel);
    if (joiner == nullptr) return; // a later join() or detach() finds the mark
    if (joiner != &detached_mark) return thread_backend::send(*joiner, joiner->home);
    thread_list::remove(record);
    thread_backend::reclaim(record);
}

bool in_thread() {
    return thread_backend::current() != nullptr;
}

void send_task(Task& task, CoreId target) {
    thread_backend::send(task, target);
}

namespace this_thread {

void yield() {
    current_thread(); // there is one
    thread_backend::yield();
}

Result<void> sleep_for(Nanoseconds time) {
    current_thread();
    MXK_TRY(check_waiting_time(time));
    thread_backend::sleep_for(time);
    return {};
}

void exit() {
    current_thread();
    thread_backend::exit();
}

std::string_view name() {
    return current_thread().name.view();
}
CoreId core() {
    return current_thread().core;
}

} // namespace this_thread
} // namespace mxk
