#include "arch/resident_memory.hpp"

namespace mxk::arch {

std::optional<ResidentMemory> resident_memory() {
    return std::nullopt;
}

void forget_max_resident() {}

} // namespace mxk::arch
