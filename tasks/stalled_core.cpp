#include "tasks/stalled_core.hpp"

#include "arch/symbols.hpp"
#include "base/format.hpp"
#include "base/spin_wait.hpp"
#include "kernel/clock.hpp"
#include "tasks/coroutine_task.hpp"
#include "tasks/threads/thread_backend.hpp"
#include "tasks/workers.hpp"

namespace mxk {
namespace {

// Null if it goes from one to the next, or cannot be told.
Task const* task_that_stays(Worker const& worker) {
    std::uint64_t const before = worker.statistics().tasks_run.value();
    Cycles const until = clock::timestamp() + clock::to_cycles(Nanoseconds{1'000'000});
    for (SpinWait wait; clock::timestamp() < until;) wait.turn();
    Task const* const task = worker.latest_task();
    return worker.statistics().tasks_run.value() == before ? task : nullptr;
}

} // namespace

void describe_stalled_core(TextSink& out, CoreId core) {
    FixedText<120> names;
    if (std::size_t const readers = thread_backend::write_awaited_readers(names, core); readers != 0) {
        bool const is_one = readers == 1;
        return format(out, "{} {} {}", is_one ? "thread" : "threads", names.view(),
                      is_one ? "is in a read section" : "are in read sections");
    }
    Task const* const task = task_that_stays(workers::of(core));
    if (task == nullptr) return out.write("a task takes long there, or a thread is in a read section");
    Thread::Entry const entry = thread_backend::entry_of(*task);
    auto const function =
        entry != nullptr ? reinterpret_cast<std::uintptr_t>(entry) : CoroutineTask::function_of(*task);
    out.write(entry != nullptr ? "the thread that runs there is " : "the task that runs there is ");
    if (!arch::write_function_name(out, function)) format(out, "0x{:x}", function);
}

} // namespace mxk
