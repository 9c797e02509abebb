// What one user of locks has for all of them: a thread, or the tasks of a core. Each arch/ has a place for it
// (arch/lock_user.hpp).
#pragma once

#include <cstdint>

#include "base/atomic_word.hpp"
#include "base/units.hpp"

namespace mxk {

// A line that locks with rotating records pass on from user to user (locks/fabric/lock_records.hpp).
struct alignas(cache_line_bytes) LockLine {
    LockLine* next;
};

struct LockUser {
    // Hemlock's word: which lock this user hands on, and how often it was; 0: none. Others poll it.
    alignas(cache_line_bytes) AtomicWord<std::uint64_t> grant{0};
    // The user's own.
    alignas(cache_line_bytes) LockLine* spare = nullptr;
    std::uint32_t spares = 0;
    bool is_kept = false; // what it has is given back at its end
    // Of a thread that is no core: which one it counts as while it holds locks for nodes, how many it holds, and how
    // often it held none.
    CoreId core{};
    std::uint32_t held = 0;
    std::uint32_t turns = 0;
};

} // namespace mxk
