#include "kernel/remote_call.hpp"

#include <atomic>
#include <cstddef>
#include <new>
#include <utility>

#include "arch/attention.hpp"
#include "base/panic.hpp"
#include "base/spin_wait.hpp"
#include "kernel/memory/per_core.hpp"

namespace mxk {
namespace {

// On the caller's stack.
struct RemoteCall {
    void (*function)(void*);
    void* argument;
    RemoteCall* next = nullptr;
    std::atomic<bool> is_done{false};
};

// Calls that wait for a core, the last one first. Any core adds one, its own takes them all.
struct CallList {
    std::atomic<RemoteCall*> last{nullptr};

    // True if it was empty: the core has to be told.
    bool add(RemoteCall& call) {
        RemoteCall* before = last.load(std::memory_order_relaxed);
        // release: the call is complete before it can be taken; pairs with take_all(). From then on it is the
        // receiver's.
        do call.next = before;
        while (!last.compare_exchange_weak(before, &call, std::memory_order_release, std::memory_order_relaxed));
        return before == nullptr;
    }
    // The first one first.
    RemoteCall* take_all() {
        RemoteCall* from = last.exchange(nullptr, std::memory_order_acquire); // pairs with add()
        RemoteCall* reversed = nullptr;
        while (from != nullptr) {
            RemoteCall* const call = std::exchange(from, from->next);
            call->next = std::exchange(reversed, call);
        }
        return reversed;
    }
};

// Not an object of its own: the bare machine destroys nothing at its end.
alignas(PerCore<CallList>) constinit std::byte lists_room[sizeof(PerCore<CallList>)]{};
constinit PerCore<CallList>* lists = nullptr;

} // namespace

namespace remote_calls {

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
    RemoteCall* call = (*lists)[arch::core_local().id].take_all();
    while (call != nullptr) {
        RemoteCall* const next = call->next; // its caller may be gone once it is done
        call->function(call->argument);
        call->is_done.store(true, std::memory_order_release); // pairs with call_on()
        call = next;
    }
}

} // namespace remote_calls

void call_on(CoreId core, void (*function)(void* argument), void* argument) {
    bool const is_task = arch::runs_task();
    if (is_task && core == arch::core_local().id) return function(argument);
    expect(lists != nullptr && index(core) < lists->size(), "a core that is called is there");
    RemoteCall call{function, argument};
    // What a list had in it before, has been announced, or will be by the one who found it empty.
    if ((*lists)[core].add(call)) arch::notify(core, arch::Attention::Call);
    // A thread cannot serve: its core's worker does, when the thread has to let go of the core.
    for (SpinWait wait; !call.is_done.load(std::memory_order_acquire); wait.turn())
        if (is_task) remote_calls::serve();
}

} // namespace mxk
