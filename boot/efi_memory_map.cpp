#include "boot/efi_memory_map.hpp"

#include "base/bytes.hpp"

namespace mxk::boot {
namespace {

constexpr std::uint64_t page_bytes = 4 * KiB; // EFI's on every machine

struct Descriptor { // EFI_MEMORY_DESCRIPTOR; later versions may be longer
    std::uint32_t type;
    std::uint32_t padding;         //  4
    std::uint64_t start;           //  8
    std::uint64_t virtual_start;   // 16
    std::uint64_t number_of_pages; // 24
    std::uint64_t attributes;      // 32
};
static_assert(sizeof(Descriptor) == 40);

// 40 and what later versions add; the tag says how many.
constexpr std::size_t max_descriptor_bytes = 1024;

bool is_ram_type(std::uint32_t type) {
    switch (type) {
    case EfiMemoryMap::LoaderCode:
    case EfiMemoryMap::LoaderData:
    case EfiMemoryMap::BootServicesCode:
    case EfiMemoryMap::BootServicesData:
    case EfiMemoryMap::Conventional: return true;
    default: return false;
    }
}

bool is_set_aside(EfiMemoryMap::Region const& region) {
    return is_ram_type(region.type) && (region.attributes & EfiMemoryMap::specific_purpose) != 0;
}
bool is_non_volatile(EfiMemoryMap::Region const& region) {
    return region.type == EfiMemoryMap::Persistent ||
           (is_ram_type(region.type) && (region.attributes & EfiMemoryMap::non_volatile) != 0);
}
bool is_ram(EfiMemoryMap::Region const& region) {
    constexpr std::uint64_t other = EfiMemoryMap::specific_purpose | EfiMemoryMap::non_volatile | EfiMemoryMap::runtime;
    return is_ram_type(region.type) && (region.attributes & other) == 0;
}

// How much was taken out.
std::uint64_t take_out(RangeSet& memory, MemoryRange range) {
    std::uint64_t const before = memory.bytes();
    memory.remove(range);
    return before - memory.bytes();
}

} // namespace

EfiMemoryMap::Region EfiMemoryMap::operator[](std::size_t index) const {
    auto const found = read<Descriptor>(descriptors_, index * stride_).value_or(Descriptor{});
    return {
        {static_cast<PhysicalAddress>(found.start), found.number_of_pages * page_bytes}, found.type, found.attributes};
}

Result<EfiMemoryMap> EfiMemoryMap::parse(std::span<std::byte const> payload) {
    auto const stride = read<std::uint32_t>(payload, 0);
    if (!stride || payload.size() < 8) return Error::of("expected 8 bytes or more, got {}", payload.size());
    auto const descriptors = payload.subspan(8);
    if (*stride < sizeof(Descriptor) || *stride > max_descriptor_bytes)
        return Error::of("expected descriptors of {} to {} bytes, got {}", sizeof(Descriptor), max_descriptor_bytes,
                         *stride);
    if (descriptors.size() % *stride != 0)
        return Error::of("{} bytes are not whole descriptors of {} bytes", descriptors.size(), *stride);
    EfiMemoryMap const map(descriptors, *stride);
    bool has_ram = false;
    for (std::size_t i = 0; i < map.size(); ++i) {
        auto const found = *read<Descriptor>(descriptors, i * *stride);
        bool const is_whole = is_aligned(found.start, page_bytes) && found.start <= UINT64_MAX - page_bytes;
        if (!is_whole || found.number_of_pages > (UINT64_MAX - page_bytes - found.start) / page_bytes)
            return Error::of("descriptor {}: {} pages at 0x{:x} are no memory", i, found.number_of_pages, found.start);
        has_ram = has_ram || (is_ram(map[i]) && map[i].range.bytes != 0);
    }
    if (!has_ram) return Error::of("none of {} descriptors is RAM", map.size());
    return map;
}

EfiDifference keep_what_efi_calls_ram(EfiMemoryMap const& map, RangeSet& ram) {
    EfiDifference result;
    RangeSet efi_ram;
    for (std::size_t i = 0; i < map.size(); ++i)
        if (is_ram(map[i])) efi_ram.add(map[i].range);
    // Where descriptors overlap, what is no RAM to one of them is none.
    for (std::size_t i = 0; i < map.size(); ++i) {
        EfiMemoryMap::Region const region = map[i];
        if (is_ram(region)) continue;
        efi_ram.remove(region.range);
        if (is_set_aside(region)) result.specific_purpose += take_out(ram, region.range);
        if (is_non_volatile(region)) result.non_volatile += take_out(ram, region.range);
    }
    RangeSet only_loader = ram;
    for (MemoryRange const& range : efi_ram.ranges()) only_loader.remove(range);
    result.only_loader = only_loader.bytes();
    if (result.only_loader > 0) result.first_only_loader = only_loader.ranges().front().start;
    RangeSet only_efi = efi_ram;
    for (MemoryRange const& range : ram.ranges()) only_efi.remove(range);
    result.only_efi = only_efi.bytes();
    for (MemoryRange const& range : only_loader.ranges()) ram.remove(range);
    return result;
}

} // namespace mxk::boot
