// Accesses to the window by the calling core, in the space that is active there, for which a page fault is an answer. A
// fault by a translation with fewer rights than the page has now, which a core may keep since nobody told it, is one
// only if it comes again: a fault ends that translation (SDM vol. 3A section 4.10.4.3).
#pragma once

#include <cstdint>
#include <optional>

#include "arch/translations.hpp"

namespace mxk::mapping {

inline std::optional<std::uint64_t> read(std::uint64_t address) {
    if (auto const value = arch::translations::read(address)) return value;
    return arch::translations::read(address);
}

inline bool write(std::uint64_t address, std::uint64_t value) {
    if (arch::translations::write(address, value)) return true;
    return arch::translations::write(address, value);
}

} // namespace mxk::mapping
