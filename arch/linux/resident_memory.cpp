#include "arch/resident_memory.hpp"

#include <fstream>

#include "arch/linux/proc_sizes.hpp"

namespace mxk::arch {

std::optional<ResidentMemory> resident_memory() {
    auto const sizes = read_proc_sizes("/proc/self/status");
    auto const now = sizes.find("VmRSS");
    auto const max = sizes.find("VmHWM");
    if (now == sizes.end() || max == sizes.end()) return std::nullopt;
    return ResidentMemory{.bytes = now->second, .max_bytes = max->second};
}

void forget_max_resident() {
    std::ofstream("/proc/self/clear_refs") << '5'; // proc(5): resets the peak of the resident set
}

} // namespace mxk::arch
