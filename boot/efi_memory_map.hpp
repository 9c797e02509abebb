// The memory map of UEFI, as multiboot2's tag 17 brings it (multiboot2 3.6.16, UEFI 2.10 section 7.2). The loader's own
// map is made from it, and says less: not that memory is set aside for a specific purpose (CXL, HBM), or keeps its
// content without power. RAM is what both call so.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/range_set.hpp"
#include "base/result.hpp"

namespace mxk::boot {

class EfiMemoryMap {
  public:
    struct Region {
        MemoryRange range;
        std::uint32_t type;
        std::uint64_t attributes;
    };

    // EFI_MEMORY_TYPE.
    enum : std::uint32_t {
        LoaderCode = 1,
        LoaderData = 2,
        BootServicesCode = 3,
        BootServicesData = 4,
        RuntimeServicesCode = 5,
        RuntimeServicesData = 6,
        Conventional = 7,
        AcpiReclaim = 9,
        Persistent = 14
    };
    static constexpr std::uint64_t non_volatile = 0x8000;            // EFI_MEMORY_NV
    static constexpr std::uint64_t specific_purpose = 0x40000;       // EFI_MEMORY_SP
    static constexpr std::uint64_t runtime = std::uint64_t{1} << 63; // EFI_MEMORY_RUNTIME

    // The tag behind its type and size: bytes of a descriptor (4), their version (4), descriptors. Errors: what cannot
    // be of the descriptors' size, of a region, of the whole; nothing of the map is to be believed then.
    static Result<EfiMemoryMap> parse(std::span<std::byte const> payload);

    [[nodiscard]] std::size_t size() const { return descriptors_.size() / stride_; }
    [[nodiscard]] Region operator[](std::size_t index) const;

  private:
    EfiMemoryMap(std::span<std::byte const> descriptors, std::size_t stride)
        : descriptors_(descriptors)
        , stride_(stride) {}

    std::span<std::byte const> descriptors_;
    std::size_t stride_;
};

// How EFI's map and the loader's differ, in bytes.
struct EfiDifference {
    std::uint64_t specific_purpose = 0; // RAM to the loader; set aside by EFI
    std::uint64_t non_volatile = 0;     // RAM to the loader
    std::uint64_t only_loader = 0;      // other RAM of the loader's that EFI does not call so
    PhysicalAddress first_only_loader{};
    std::uint64_t only_efi = 0; // RAM to EFI, not to the loader
};

// Takes out of `ram`, the loader's, what EFI's map does not call RAM. RAM are the types LoaderCode, LoaderData,
// BootServicesCode, BootServicesData (boot services have ended) and Conventional, without the attributes for a specific
// purpose, non-volatile, and for use at run time. ACPIReclaim is not: the tables are read where they lie.
EfiDifference keep_what_efi_calls_ram(EfiMemoryMap const& map, RangeSet& ram);

} // namespace mxk::boot
