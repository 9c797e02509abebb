#include "tasks/threads/kill.hpp"

#include <optional>

#include "base/panic.hpp"
#include "kernel/remote_call.hpp"
#include "tasks/threads/thread_backend.hpp"

namespace mxk {
namespace {

struct Kill {
    std::uint32_t id;
    std::optional<Error> failure;
};

void want_end_of(ThreadRecord& thread, void* kill) {
    auto& mine = *static_cast<Kill*>(kill);
    if (thread_backend::use_of(thread).state == ThreadState::Ended)
        mine.failure =
            Error::of("expected a thread that runs, thread {} ('{}') has ended", thread.id, thread.name.view());
    else if (!thread.is_killable.load(std::memory_order_relaxed))
        mine.failure = Error::of("expected a thread that may be killed, thread {} ('{}') has not allowed it so far",
                                 thread.id, thread.name.view());
    else
        thread_backend::want_end(thread);
}

} // namespace

void become_killable() {
    ThreadRecord* const self = thread_backend::current();
    expect(self != nullptr, "only a thread may be killed, and a task wants to");
    self->is_killable.store(true, std::memory_order_relaxed);
}

void end_if_killed() {
    ThreadRecord const* const self = thread_backend::current();
    if (self != nullptr && self->ends_here()) [[unlikely]]
        thread_backend::exit();
}

Result<void> kill_thread(std::uint32_t id) {
    std::optional<CoreId> core;
    thread_list::visit_one(
        id, [](ThreadRecord& thread, void* found) { static_cast<std::optional<CoreId>*>(found)->emplace(thread.core); },
        &core);
    Kill kill{.id = id, .failure = {}};
    bool is_there = core.has_value();
    if (is_there) call_on(*core, [&] { is_there = thread_list::visit_one(id, &want_end_of, &kill); });
    if (!is_there) return Error::of("expected the number of a thread as 'threads' shows it, got {}", id);
    if (kill.failure) return *kill.failure;
    return {};
}

EndHold::EndHold() {
    if (ThreadRecord* const self = thread_backend::current()) ++self->end_holds;
}

EndHold::~EndHold() {
    if (ThreadRecord* const self = thread_backend::current()) --self->end_holds;
}

} // namespace mxk
