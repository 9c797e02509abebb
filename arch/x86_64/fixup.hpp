// Accesses that may fault: an instruction and where to continue if it does. For tests of what must not be possible.
#pragma once

#include <cstdint>

namespace mxk::arch {

struct Fixup {
    std::uint64_t faulting;
    std::uint64_t continue_at;
};

// Whether a byte can be written at / read from the address. The byte is written back as it was.
bool can_read(std::uint64_t address);
bool can_write(std::uint64_t address);

} // namespace mxk::arch
