#pragma once

#include <cstdint>

namespace mxk {

// To be told when a growing table has work(). Called in the middle of an operation: it may not use the table. Shared by
// all tables of one core.
struct WorkListener {
    void (*has_work)(WorkListener& self, void* context);
    std::uint64_t moves = 0; // counts what makes Positions in its tables invalid
    bool was_warned = false; // that one of its tables gave up growing
};

} // namespace mxk
