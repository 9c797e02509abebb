// What threads ask of MxOS (tasks/threads/thread_backend.hpp).
#include "arch/sections.hpp"
#include "base/panic.hpp"
#include "kernel/clock.hpp"
#include "tasks/threads/mxos/mxos_thread.hpp"
#include "tasks/threads/semaphore.hpp"
#include "tasks/threads/thread_backend.hpp"
#include "tasks/workers.hpp"

namespace mxk::thread_backend {

void attach(Worker& worker) {
    auto* const hook = worker.create<AttentionHook>(
        arch::Attention::Deferred, [](Worker& its_worker, AttentionHook&) { Semaphore::post_deferred(its_worker); });
    expect(hook != nullptr, "a core has memory for its hooks");
    worker.add_hook(*hook); // for ever
}

Result<ThreadRecord*> create(ThreadOptions const& options, Thread::Entry entry, void* argument) {
    return static_cast<ThreadRecord*>(MXK_TRY(MxosThread::create(options, entry, argument)));
}

void start(ThreadRecord& record) {
    send(static_cast<MxosThread&>(record), record.core);
}

void reclaim(ThreadRecord& record) {
    MxosThread::destroy(static_cast<MxosThread&>(record));
}

ThreadRecord* current() {
    return MxosThread::current();
}

void yield() {
    MxosThread::current()->call(
        [](Worker& worker, MxosThread& self, void*) {
            if (self.ends_here()) [[unlikely]]
                return self.finish();
            self.append_by(worker);
            return MxosThread::NextAction::Switch;
        },
        nullptr);
}

void sleep_for(Nanoseconds time) {
    Cycles until = clock::timestamp() + clock::to_cycles(time);
    MxosThread::current()->call(
        [](Worker& worker, MxosThread& self, void* when) {
            if (self.ends_here()) [[unlikely]]
                return self.finish();
            self.note(ThreadState::Sleeping);
            self.begin_wait();
            self.set_alarm(worker, *static_cast<Cycles*>(when),
                           [](Worker& its_worker, MxosThread& sleeper) { sleeper.wake_by(its_worker); });
            return MxosThread::NextAction::Switch;
        },
        &until);
}

void exit() {
    MxosThread::current()->call([](Worker&, MxosThread& self, void*) { return self.finish(); }, nullptr);
    __builtin_unreachable(); // nobody runs it any more
}

void send(Task& task, CoreId target) {
    MxosThread* const self = MxosThread::current();
    if (self == nullptr) return Worker::current().append(task, target);
    struct Letter {
        Task& task;
        CoreId target;
    } letter{task, target};
    self->call(
        [](Worker& worker, MxosThread&, void* it) {
            auto const& mine = *static_cast<Letter*>(it);
            worker.append(mine.task, mine.target);
            return MxosThread::NextAction::Continue;
        },
        &letter);
}

Thread::Entry entry_of(Task const& task) {
    return MxosThread::entry_of(task);
}

Thread::Entry entry_of_listed(Task const* task) {
    struct Search {
        Task const* task;
        Thread::Entry entry = nullptr;
    } search{task};
    thread_list::for_each(
        [](ThreadRecord const& record, void* context) {
            auto& its = *static_cast<Search*>(context);
            if (&static_cast<MxosThread const&>(record) == its.task) its.entry = record.entry;
        },
        &search);
    return search.entry;
}

std::size_t write_awaited_readers(TextSink& out, CoreId core) {
    struct Readers {
        TextSink& out;
        CoreId core;
        std::size_t count = 0;
    } readers{out, core};
    thread_list::for_each(
        [](ThreadRecord const& record, void* it) {
            auto& its = *static_cast<Readers*>(it);
            bool const is_reader =
                record.core == its.core && arch::is_awaited_reader(static_cast<MxosThread const&>(record), record.core);
            if (is_reader) format(its.out, "{}'{}'", its.count++ == 0 ? "" : ", ", record.name.view());
        },
        &readers);
    return readers.count;
}

void want_end(ThreadRecord& record) {
    static_cast<MxosThread&>(record).want_end(Worker::current());
}

Result<std::size_t> trace(ThreadRecord& record, std::span<std::uintptr_t> addresses) {
    return arch::trace(static_cast<MxosThread&>(record), addresses);
}

ThreadUse use_of(ThreadRecord const& record) {
    return static_cast<MxosThread const&>(record).use();
}

} // namespace mxk::thread_backend
