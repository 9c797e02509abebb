// A function that another core runs, with an argument. The call goes to a list of the receiver, whose attention word
// says so (on metal an interrupt ends its halt); it runs there at the worker's safe point, between two tasks. For what
// is rare: a caller may have to wait while the receiver runs a long task.
//
//     call_on(core, [&] { ... });
#pragma once

#include <span>
#include <type_traits>

#include "base/result.hpp"
#include "base/units.hpp"
#include "kernel/topology/topology.hpp"

namespace mxk {

// Returns when function(argument) has returned on `core`; directly, if that is the calling one. What the caller has
// written before is visible there, and what is written there, here after. While it waits, a task's core serves calls
// that others make to it, so that two cores may call each other. Tasks and threads, but not with a spin lock held that
// a called function may want; never an interrupt handler. The function must not wait for tasks.
void call_on(CoreId core, void (*function)(void* argument), void* argument);

template <typename Function> void call_on(CoreId core, Function&& function) {
    using Called = std::remove_reference_t<Function>;
    call_on(
        core, [](void* called) { (*static_cast<Called*>(called))(); },
        const_cast<std::remove_const_t<Called>*>(&function));
}

namespace remote_calls {

// Lists for these cores, all of the machine. The boot core, before the others run.
Result<void> create(std::span<topology::Core const> cores);
// After they have stopped.
void forget();

// Runs what has been called on the calling core until now, in the order in which it was called. Its worker, in a task's
// place.
void serve();

} // namespace remote_calls

} // namespace mxk
