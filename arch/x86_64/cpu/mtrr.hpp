// Memory type range registers (SDM vol. 3A section 11.11; AMD APM vol. 2 section 7.7): by them the firmware says which
// physical memory the caches may hold, and how. The kernel maps RAM as write-back and leaves them as they are; memory
// that they make uncached takes a hundred times as long.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/range_set.hpp"

namespace mxk::arch::mtrr {

struct VariableRange {
    std::uint64_t base = 0; // bits 7-0: the type
    std::uint64_t mask = 0; // bit 11: valid
};

struct Registers {
    static constexpr std::size_t max_ranges = 32;

    bool exist = false;
    std::uint64_t default_type = 0;   // IA32_MTRR_DEF_TYPE: bits 7-0: the type, bit 11: MTRRs are on
    std::uint64_t address_mask = 0;   // bits 12 and up to those that the processor's physical addresses have
    std::uint64_t write_back_end = 0; // AMD: from 4 GiB up to there it is write-back by default (TOM2); 0: none
    std::size_t count = 0;
    std::array<VariableRange, max_ranges> ranges{};
};

// Of the calling core; they are the same on all.
Registers read_registers();

// How much of these ranges, without the first MiB, is not write-back (SDM table 11-9: uncached wins over all, and any
// other mixture is none that can be relied on). 0 where there are no MTRRs. Bounded: what masks with very many gaps say
// of high memory is left out.
std::uint64_t bytes_not_write_back(Registers const& registers, std::span<MemoryRange const> memory);

} // namespace mxk::arch::mtrr
