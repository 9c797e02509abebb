#include "tasks/stalled_core.hpp"

#include "arch/inspect.hpp"
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

struct Function {
    std::uintptr_t address = 0; // 0: it cannot be told
    bool is_of_thread = false;
};

// The task may end meanwhile, and its memory go: nothing of it is read but by what may fail.
Function function_of(Task const* task) {
    if (Thread::Entry const entry = thread_backend::entry_of_listed(task); entry != nullptr)
        return {reinterpret_cast<std::uintptr_t>(entry), true};
    CoroutineTask::FunctionPlaces const places(task);
    Result<std::uint64_t> address = arch::read_memory(places.first);
    if (address.ok() && address.value() == CoroutineTask::FunctionPlaces::resumes())
        address = arch::read_memory(places.second);
    return {address.ok() ? address.value() : 0};
}

} // namespace

void describe_stalled_core(TextSink& out, CoreId core) {
    FixedText<120> names;
    if (std::size_t const readers = thread_backend::write_awaited_readers(names, core); readers != 0) {
        bool const is_one = readers == 1;
        return format(out, "{} {} {}", is_one ? "thread" : "threads", names.view(),
                      is_one ? "is in a read section" : "are in read sections");
    }
    if (!workers::serves(core)) return out.write("a task takes long there, or its thread is not in the runtime");
    if (!describe_running_task(out, core)) out.write("a task takes long there, or a thread is in a read section");
}

bool describe_running_task(TextSink& out, CoreId core) {
    Task const* const task = task_that_stays(workers::of(core));
    Function const function = task != nullptr ? function_of(task) : Function{};
    if (function.address == 0) return false;
    out.write(function.is_of_thread ? "the thread that runs there is " : "the task that runs there is ");
    if (!arch::write_function_name(out, function.address)) format(out, "0x{:x}", function.address);
    return true;
}

} // namespace mxk
