// What the loader said, whichever loader it was: command line, memory map, where the ACPI tables begin. Parsed from
// multiboot2 (specification 2.0, section 3.6) or PVH (Xen's hvm_start_info), both bounded by what they say of
// themselves: nothing outside the given bytes is read. The result points into the loader's memory; `blobs` lists that
// memory, which must not be handed out.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/physical_reader.hpp"
#include "base/range_set.hpp"
#include "base/result.hpp"

namespace mxk::boot {

constexpr std::uint32_t multiboot2_magic = 0x36d76289;
constexpr std::uint32_t pvh_magic = 0x336ec578;

// An entry of the memory map; both protocols use the E820 types.
struct MemoryRegion {
    MemoryRange range;
    std::uint32_t type;
    static constexpr std::uint32_t usable = 1;
};

// Entries of base (8 bytes), length (8), type (4), at a stride that the loader names.
class MemoryMap {
  public:
    static constexpr std::size_t entry_bytes = 20;

    MemoryMap() = default;
    MemoryMap(std::span<std::byte const> entries, std::size_t stride)
        : entries_(entries)
        , stride_(stride) {}

    [[nodiscard]] std::size_t size() const { return entries_.size() / stride_; }
    [[nodiscard]] MemoryRegion operator[](std::size_t index) const;

  private:
    std::span<std::byte const> entries_;
    std::size_t stride_ = entry_bytes;
};

struct BootInfo {
    std::string_view loader = "unknown loader";
    std::string_view command_line;
    MemoryMap memory_map;
    std::span<std::byte const> rsdp;  // a copy of the RSDP (multiboot2) ...
    PhysicalAddress rsdp_address{};   // ... or where it is (PVH); neither: empty and 0
    std::array<MemoryRange, 6> blobs; // the loader's own memory; unused ones have 0 bytes
};

// `magic` is what the entry code found, `information` what the loader left in ebx.
Result<BootInfo> parse(std::uint32_t magic, PhysicalAddress information, PhysicalReader& memory);

Result<BootInfo> parse_multiboot2(PhysicalAddress information, PhysicalReader& memory);
Result<BootInfo> parse_pvh(PhysicalAddress information, PhysicalReader& memory);

// RAM that may be used: every usable region less every region said to be anything else, and whole frames only.
void usable_memory(MemoryMap const& map, RangeSet& out);

// The value of `name=value` on the command line, or an empty view. Values with blanks stand in double or single quotes.
std::string_view option(std::string_view command_line, std::string_view name);

} // namespace mxk::boot
