// The one address space of the kernel (SDM vol. 3A section 4.5): four levels, the largest pages that fit, and no page
// that is both writable and executable. Built and changed by the boot core before the others run, and afterwards under
// a lock. Only stacks are ever unmapped (stacks.cpp), and all cores are told (tlb.hpp). Page-table frames are never
// given back: an address that was mapped once can be mapped again without one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "arch/x86_64/memory/layout.hpp"
#include "arch/x86_64/memory/physical_place.hpp"
#include "base/physical_reader.hpp"
#include "base/range_set.hpp"
#include "base/result.hpp"

namespace mxk::arch {

enum class Access : std::uint8_t { ReadOnly, ReadWrite, ReadExecute, Device };

// The kernel's page tables: its own image by sections, `ram` in the direct map. Page-table frames come out of `free`.
// Switches to them; from here on nothing else is mapped, and further frames come from memory_source.hpp.
void build_address_space(RangeSet const& ram, RangeSet& free);

// Adds a mapping, by the largest pages that fit and are no larger than `max_page_bytes`; pages that are mapped already
// stay as they are. Errors: no memory for a page table; what was mapped until then stays so. Any core, tasks and
// threads; blocks for a lock.
Result<void> map(std::uint64_t virtual_address, PhysicalAddress physical, std::uint64_t bytes, Access access,
                 std::uint64_t max_page_bytes = GiB);

// Takes away what map() has mapped in these addresses; parts that are not mapped are passed over. A large page that
// lies in them in part goes as a whole. Afterwards cores may still have the translations: forget_translations()
// (tlb.hpp) ends that. As map().
void unmap(std::uint64_t virtual_address, std::uint64_t bytes);

// The top table of another address space: it gets all of the kernel's upper half, and what is added to that later,
// until it is taken away. Up to max_roots of them. Any core; blocks for a lock.
constexpr std::size_t max_roots = 64;
void add_root(std::uint64_t* top);
void remove_root(std::uint64_t* top);

// What is memory and so no device, from here on; it must stay. The boot core.
void set_memory_map(RangeSet const& memory);

// Why a device cannot be there (physical_place.hpp), or nothing. As map_device().
Objection objection_to_device(MemoryRange range, std::uint64_t alignment = 1);

// Device registers at their place in the direct map, uncached; null where no device can be there, with a WARN that
// begins with `field`: the table and its field, or who else says so. Panics if there is no memory for a page table: it
// is called while the kernel starts, when memory is free, or again for what is mapped.
std::byte* map_device(std::string_view field, MemoryRange range, std::uint64_t alignment = 1);

struct Translation {
    PhysicalAddress physical;
    std::uint64_t page_bytes;
    bool writable;
    bool executable;
    bool cached;
};
std::optional<Translation> translate(std::uint64_t virtual_address);

// How much of the address space is writable and executable at once: 0, or the kernel is wrong (for tests). `top`: of
// other page tables, all of which the direct map has.
std::uint64_t writable_and_executable_bytes(std::optional<PhysicalAddress> top = {});

// Reads anything that can be RAM or firmware data (physical_place.hpp); maps it read-only into the direct map when it
// is not there yet.
class DirectMapReader final : public PhysicalReader {
  public:
    std::span<std::byte const> view(PhysicalAddress address, std::size_t bytes) override;
};

} // namespace mxk::arch
