// What the loader said, whichever loader it was: command line, memory map, modules, where the ACPI tables begin. Parsed
// from multiboot2 (specification 2.0, section 3.6) or PVH (Xen's hvm_start_info), both bounded by what they say of
// themselves: nothing outside the given bytes is read. The result points into the loader's memory; `blobs` lists that
// memory, which must not be handed out, nor must that of the modules.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/physical_reader.hpp"
#include "base/range_set.hpp"
#include "base/result.hpp"
#include "boot/efi_memory_map.hpp"

namespace mxk::boot {

constexpr std::uint32_t multiboot2_magic = 0x36d76289;
constexpr std::uint32_t pvh_magic = 0x336ec578;

// An entry of the memory map; both protocols use the E820 types.
struct MemoryRegion {
    MemoryRange range;
    std::uint32_t type;
    static constexpr std::uint32_t usable = 1;
    // And not perhaps a device, as what is reserved may be: usable, ACPI's two kinds, broken (ACPI 6.5 table 15.374).
    [[nodiscard]] bool is_memory() const { return type == usable || (type >= 3 && type <= 5); }
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

// A file that the loader read besides the kernel. It lies in memory that the map may call usable.
struct Module {
    MemoryRange range{};   // 1 byte or more
    std::string_view name; // what stands behind the file in GRUB's module2; PVH: `module-name=` of the command line
};

class Modules {
  public:
    static constexpr std::size_t max = 8;

    // What is more than `max`, or has no bytes, is only counted.
    void add(Module const& module) {
        if (module.range.bytes == 0 || size_ == max)
            ++dropped_;
        else
            modules_[size_++] = module;
    }
    [[nodiscard]] std::span<Module const> list() const { return {modules_.data(), size_}; }
    [[nodiscard]] std::size_t dropped() const { return dropped_; }

  private:
    std::array<Module, max> modules_{};
    std::size_t size_ = 0;
    std::size_t dropped_ = 0;
};

// Which bits of a pixel have the part of a colour.
struct ColorField {
    std::uint8_t position = 0; // of the lowest bit
    std::uint8_t bits = 0;
};

// A screen that the loader has set up: rows of pixels, or of characters with their colours.
struct Framebuffer {
    enum class Kind : std::uint8_t { Pixels, Text };

    Kind kind = Kind::Pixels;
    PhysicalAddress address{};
    std::uint32_t pitch = 0; // bytes from a row to the next
    std::uint32_t width = 0; // pixels, or characters
    std::uint32_t height = 0;
    std::uint8_t bits_per_pixel = 0;    // 15 to 32; text: 16 for a character
    std::array<ColorField, 3> colors{}; // red, green, blue; of pixels

    [[nodiscard]] MemoryRange range() const { return {address, std::uint64_t{pitch} * height}; }
};

struct BootInfo {
    std::string_view loader = "unknown loader";
    std::string_view command_line;
    MemoryMap memory_map;
    std::span<std::byte const> rsdp;                 // a copy of the RSDP (multiboot2) ...
    PhysicalAddress rsdp_address{};                  // ... or where it is (PVH); neither: empty and 0
    PhysicalAddress efi_system_table{};              // of a 64-bit UEFI machine (multiboot2); 0: it is none
    std::array<MemoryRange, 4 + Modules::max> blobs; // the loader's own memory; unused ones have 0 bytes
    Modules modules;
    // Multiboot2 on UEFI, where the loader has ended boot services; an error where the tag cannot be believed.
    std::optional<Result<EfiMemoryMap>> efi_memory_map;
    std::optional<Framebuffer> framebuffer; // multiboot2; nothing where it is of a kind that cannot be used
};

// `magic` is what the entry code found, `information` what the loader left in ebx.
Result<BootInfo> parse(std::uint32_t magic, PhysicalAddress information, PhysicalReader& memory);

// Whole frames that hold these bytes.
MemoryRange frames_around(MemoryRange range);

Result<BootInfo> parse_multiboot2(PhysicalAddress information, PhysicalReader& memory);
Result<BootInfo> parse_pvh(PhysicalAddress information, PhysicalReader& memory);

// RAM that may be used: every usable region less every region said to be anything else, and whole frames only.
void usable_memory(MemoryMap const& map, RangeSet& out);

// Takes all that lies at or above the limit out of the set, and says how many bytes that were.
std::uint64_t remove_beyond(RangeSet& memory, PhysicalAddress limit);

// The words of a command line, without the quotes that stand around one as a whole. Values with blanks stand in double
// or single quotes.
class CommandWords {
  public:
    explicit CommandWords(std::string_view command_line)
        : rest_(command_line) {}

    // Nothing: there is no further one.
    std::optional<std::string_view> next();

  private:
    std::string_view rest_;
};

// The value of the first `name=value` on the command line, or an empty view.
std::string_view option(std::string_view command_line, std::string_view name);

} // namespace mxk::boot
