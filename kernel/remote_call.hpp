// A function that another core runs, with an argument. The call goes to a list of the receiver, whose attention word
// says so if the list was empty (on metal an interrupt ends its halt, or takes its thread away for a moment); it runs
// there at the worker's safe point, between two tasks. For what is rare: a caller may have to wait while the receiver
// runs a long task.
//
//     call_on(core, [&] { ... });            one core, and wait
//     call_on_each(cores, [&] { ... });      several at the same time, and wait for all
//     call_on_all([&] { ... });              all cores of the machine
//     RemoteCall call; call.start(core, function, argument); ...; call.finish();
//
// What the caller has written before is visible there, and what is written there, after the wait. While a task waits,
// its core serves calls that others make to it, so that two cores may call each other, with interrupts off, too.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <type_traits>

#include "base/result.hpp"
#include "base/units.hpp"
#include "kernel/topology/topology.hpp"

namespace mxk {

namespace remote_calls {
class CallList;
}

// One call, which its maker keeps until it is done. Tasks and threads, but not with a spin lock held that a called
// function may want; never an interrupt handler. The function must not wait for tasks.
class RemoteCall {
  public:
    using Function = void (*)(void* argument);

    RemoteCall() = default;
    // Waits for one that was started.
    ~RemoteCall() { finish(); }
    RemoteCall(RemoteCall const&) = delete;
    RemoteCall& operator=(RemoteCall const&) = delete;

    // Returns at once: function(argument) runs on `core` when that comes to its safe point; directly, if a task calls
    // its own core. Not before the call before is done.
    void start(CoreId core, Function function, void* argument);
    // acquire: what the function has written is visible if it is.
    [[nodiscard]] bool is_done() const { return is_done_.load(std::memory_order_acquire); }
    // Waits until it is. A core that does not answer for remote_calls::patience is a WARN with its number; the wait
    // goes on.
    void finish();

  private:
    friend class remote_calls::CallList;
    Function function_ = nullptr;
    void* argument_ = nullptr;
    RemoteCall* next_ = nullptr; // in the receiver's list
    CoreId core_{};
    std::atomic<bool> is_done_{true};
};

// Returns when function(argument) has returned on `core`. As RemoteCall.
void call_on(CoreId core, RemoteCall::Function function, void* argument);

// Returns when function(argument) has returned on each of these cores, on which it runs at the same time (up to 32 of
// them). As RemoteCall.
void call_on_each(std::span<CoreId const> cores, RemoteCall::Function function, void* argument);

// The same on all cores of the machine, the caller's own among them.
void call_on_all(RemoteCall::Function function, void* argument);

template <typename Callable> RemoteCall::Function function_of() {
    return [](void* called) { (*static_cast<Callable*>(called))(); };
}
template <typename Callable> void call_on(CoreId core, Callable&& callable) {
    using Called = std::remove_reference_t<Callable>;
    call_on(core, function_of<Called>(), const_cast<std::remove_const_t<Called>*>(&callable));
}
template <typename Callable> void call_on_each(std::span<CoreId const> cores, Callable&& callable) {
    using Called = std::remove_reference_t<Callable>;
    call_on_each(cores, function_of<Called>(), const_cast<std::remove_const_t<Called>*>(&callable));
}
template <typename Callable> void call_on_all(Callable&& callable) {
    using Called = std::remove_reference_t<Callable>;
    call_on_all(function_of<Called>(), const_cast<std::remove_const_t<Called>*>(&callable));
}

namespace remote_calls {

inline constexpr Nanoseconds patience{1'000'000'000};

// Lists for these cores, all of the machine. The boot core, before the others run. Errors: no memory.
Result<void> create(std::span<topology::Core const> cores);
// After they have stopped.
void forget();

// Runs what has been called on the calling core until now, in the order in which it was called. Its worker, in a task's
// place.
void serve();

// Of one core: how many calls were put into its list (those of a task to its own core are not: they run at once); of
// these, how many found it empty, so that the core was notified, on metal by an interrupt; how many it has run. Any
// core; the numbers may be a moment old.
struct Counts {
    std::uint64_t called;
    std::uint64_t notified;
    std::uint64_t run;
};
[[nodiscard]] Counts counts_of(CoreId core);

} // namespace remote_calls

} // namespace mxk
