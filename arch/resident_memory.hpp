// How much memory the program has in use, as the system below counts it: for comparing allocators that do not tell. A
// bare machine has none below.
#pragma once

#include <cstddef>
#include <optional>

namespace mxk::arch {

struct ResidentMemory {
    std::size_t bytes;
    std::size_t max_bytes; // since the program began, or since forget_max_resident()
};

// None: nobody counts. Any core; waits for the system.
std::optional<ResidentMemory> resident_memory();
// From now on, the maximum is of what comes, where the system can do that.
void forget_max_resident();

} // namespace mxk::arch
