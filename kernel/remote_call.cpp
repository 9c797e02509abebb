#include "kernel/remote_call.hpp"

#include <array>
#include <cstddef>
#include <new>
#include <utility>

#include "arch/attention.hpp"
#include "arch/sections.hpp"
#include "base/inject.hpp"
#include "base/log.hpp"
#include "base/panic.hpp"
#include "base/push_stack.hpp"
#include "base/spin_wait.hpp"
#include "kernel/clock.hpp"
#include "kernel/memory/per_core.hpp"

namespace mxk {
namespace remote_calls {

// Calls that wait for a core. Any core adds one, its own takes them all.
class CallList {
  public:
    // True if it was empty: the core has to be notified.
    bool add(RemoteCall& call) {
        called_.fetch_add(1, std::memory_order_relaxed); // for display, all three
        bool const was_empty = calls_.push(call);
        if (was_empty) notified_.fetch_add(1, std::memory_order_relaxed);
        return was_empty;
    }

    // The first one first. Its own core only.
    void serve() {
        for (RemoteCall* call = calls_.take_oldest_first(); call != nullptr;) {
            RemoteCall& now = *std::exchange(call, call->next_); // its caller may be gone once it is done
            now.function_(now.argument_);
            run_.fetch_add(1, std::memory_order_relaxed);
            inject::point();
            now.is_done_.store(true, std::memory_order_release); // pairs with is_done()
        }
    }

    [[nodiscard]] Counts counts() const {
        return {called_.load(std::memory_order_relaxed), notified_.load(std::memory_order_relaxed),
                run_.load(std::memory_order_relaxed)};
    }

  private:
    PushStack<RemoteCall, &RemoteCall::next_> calls_;
    std::atomic<std::uint64_t> called_{0};
    std::atomic<std::uint64_t> notified_{0};
    std::atomic<std::uint64_t> run_{0};
};

namespace {

// Not an object of its own: the bare machine destroys nothing at its end.
alignas(PerCore<CallList>) constinit std::byte lists_room[sizeof(PerCore<CallList>)]{};
constinit PerCore<CallList>* lists = nullptr;

} // namespace

Result<void> create(std::span<topology::Core const> cores) {
    expect(lists == nullptr, "remote calls are prepared once");
    lists = new (lists_room) PerCore<CallList>(MXK_TRY(PerCore<CallList>::create(cores, [] { return CallList(); })));
    return {};
}

void forget() {
    if (lists != nullptr) lists->~PerCore();
    lists = nullptr;
}

void serve() {
    (*lists)[arch::core_local().id].serve();
}

Counts counts_of(CoreId core) {
    return (*lists)[core].counts();
}

} // namespace remote_calls

void RemoteCall::start(CoreId core, Function function, void* argument) {
    if (arch::runs_task() && core == arch::core_local().id) return function(argument);
    expect(remote_calls::lists != nullptr && index(core) < remote_calls::lists->size(),
           "a core that is called is there");
    expect(is_done_.load(std::memory_order_relaxed), "a call is started again when it is done");
    function_ = function;
    argument_ = argument;
    core_ = core;
    is_done_.store(false, std::memory_order_relaxed); // add() releases it
    // What a list had in it before, has been announced, or will be by the one who found it empty.
    if (!(*remote_calls::lists)[core].add(*this)) return;
    arch::notify_at_once(core, arch::Attention::Call); // the slice of a thread that runs there does not hold it up
}

void RemoteCall::finish() {
    if (is_done()) return;
    bool const is_task = arch::runs_task();
    Cycles const start = clock::timestamp();
    bool has_warned = false;
    // A thread cannot serve: its core's worker does, for which the thread is interrupted.
    for (SpinWait wait; !is_done(); wait.turn()) {
        if (is_task) remote_calls::serve();
        if (has_warned || clock::timestamp() - start < clock::to_cycles(remote_calls::patience)) continue;
        has_warned = true;
        log::warn("remote call: core {} has not answered for {} ms: it runs a long task, or it hangs", core_,
                  raw(remote_calls::patience) / 1'000'000);
    }
}

void call_on(CoreId core, RemoteCall::Function function, void* argument) {
    RemoteCall call;
    call.start(core, function, argument);
    call.finish();
}

namespace {

// core_of(i), for each i up to `count`.
template <typename CoreOf>
void call_some_at_once(std::size_t count, CoreOf core_of, RemoteCall::Function function, void* argument) {
    constexpr std::size_t at_once = 32;
    std::array<RemoteCall, at_once> calls;
    for (std::size_t i = 0; i < count; ++i) {
        calls[i % at_once].finish();
        calls[i % at_once].start(core_of(i), function, argument);
    }
    for (RemoteCall& call : calls) call.finish();
}

} // namespace

void call_on_each(std::span<CoreId const> cores, RemoteCall::Function function, void* argument) {
    call_some_at_once(
        cores.size(), [&](std::size_t i) { return cores[i]; }, function, argument);
}

void call_on_all(RemoteCall::Function function, void* argument) {
    call_some_at_once(
        remote_calls::lists->size(), [](std::size_t i) { return core_id(i); }, function, argument);
}

} // namespace mxk
