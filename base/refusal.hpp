// Where a test may refuse memory: each allocation of frames, and each that a core's pool or heap does not answer from
// what it keeps at hand, asks here first. Null: none is refused. (tests/kernel/refuse_command.cpp)
#pragma once

#include <atomic>

namespace mxk::inject {

// True: there is no memory. Any core and thread.
using Refusal = bool (*)();

// relaxed: when a core sees it does not matter
inline constinit std::atomic<Refusal> current_refusal{nullptr};

[[nodiscard]] inline bool refuses_memory() {
    Refusal const refusal = current_refusal.load(std::memory_order_relaxed);
    return refusal != nullptr && refusal();
}

} // namespace mxk::inject
