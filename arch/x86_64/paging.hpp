// The one address space of the kernel (SDM vol. 3A section 4.5): four levels, the largest pages that fit, and no page
// that is both writable and executable. Built and changed by the boot core before the others run, and afterwards only
// by adding mappings, under a lock; nothing is ever unmapped, so no TLB needs to be told.
#pragma once

#include <cstdint>
#include <optional>

#include "arch/x86_64/layout.hpp"
#include "base/physical_reader.hpp"
#include "base/range_set.hpp"

namespace mxk::arch {

enum class Access : std::uint8_t { ReadOnly, ReadWrite, ReadExecute, Device };

// The kernel's page tables: its own image by sections, `ram` in the direct map. Page-table frames come out of `free`.
// Switches to them; from here on nothing else is mapped, and further frames come from memory_source.hpp.
void build_address_space(RangeSet const& ram, RangeSet& free);

// Adds a mapping, by the largest pages that fit and are no larger than `max_page_bytes`; pages that are mapped already
// stay as they are. Panics if no page-table frame can be had.
void map(std::uint64_t virtual_address, PhysicalAddress physical, std::uint64_t bytes, Access access,
         std::uint64_t max_page_bytes = GiB);

// Device registers at their place in the direct map, uncached.
std::byte* map_device(PhysicalAddress physical, std::uint64_t bytes);

struct Translation {
    PhysicalAddress physical;
    std::uint64_t page_bytes;
    bool writable;
    bool executable;
};
std::optional<Translation> translate(std::uint64_t virtual_address);

// How much of the address space is writable and executable at once: 0, or the kernel is wrong (for tests).
std::uint64_t writable_and_executable_bytes();

// Reads anything that is RAM or firmware data; maps it read-only into the direct map when it is not there yet.
class DirectMapReader final : public PhysicalReader {
  public:
    std::span<std::byte const> view(PhysicalAddress address, std::size_t bytes) override;
};

} // namespace mxk::arch
