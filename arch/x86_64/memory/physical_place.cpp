#include "arch/x86_64/memory/physical_place.hpp"

#include "arch/x86_64/memory/layout.hpp"
#include "base/range_overlap.hpp"

namespace mxk::arch {
namespace {

bool passes(MemoryRange range, std::uint64_t limit) {
    return raw(range.start) >= limit || range.bytes > limit - raw(range.start);
}

} // namespace

Objection objection_to(PhysicalMap const& map, PlaceUse use, MemoryRange range, std::uint64_t alignment) {
    Objection why;
    if (range.bytes == 0)
        format(why, "of no length");
    else if (map.address_bits < 64 && passes(range, std::uint64_t{1} << map.address_bits))
        format(why, "beyond the {} address bits of the processor", map.address_bits);
    else if (passes(range, direct_map_bytes))
        format(why, "beyond the 64 TiB that can be mapped");
    else if (!is_aligned(raw(range.start), alignment))
        format(why, "not a multiple of {}", alignment);
    else if (intersection(range, map.kernel).bytes > 0)
        format(why, "where the kernel is");
    else if (use == PlaceUse::Device && map.memory != nullptr && overlaps(*map.memory, range))
        format(why, "where memory is");
    return why;
}

} // namespace mxk::arch
