// Whether a physical address can be what a table, the loader or a person says. All of them are asked about here before
// they are mapped: paging.hpp does, for devices and for what is read.
#pragma once

#include <cstdint>

#include "base/format.hpp"
#include "base/range_set.hpp"

namespace mxk::arch {

enum class PlaceUse : std::uint8_t {
    Device, // registers, a frame buffer: not where memory is
    Read,   // tables, the loader's files: memory, or firmware's ROM
};

struct PhysicalMap {
    unsigned address_bits;  // of the processor
    MemoryRange kernel;     // its image
    RangeSet const* memory; // RAM and what else the loader's map calls memory; null: not known yet
};

// Why these bytes cannot be that, such as "where memory is", or nothing. `alignment`: that of the registers, a power of
// two. Pure.
using Objection = FixedText<64>;
Objection objection_to(PhysicalMap const& map, PlaceUse use, MemoryRange range, std::uint64_t alignment = 1);

} // namespace mxk::arch
