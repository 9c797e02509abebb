// An input is: u8 flags (bits 0-1: multiboot2, PVH, or the next u32 is the magic; bit 2: the memory is the last of the
// address space, not that from 0x9000 on; bit 3: size or magic of the information are made right; bit 4: the memory is
// filled up to whole pages with x, not with zeros), then what lies in that memory, the information first.
#include "boot/boot_info.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "kernel/acpi/root_pointer.hpp"
#include "tests/fuzz/targets/input.hpp"
#include "tests/unit/acpi_image.hpp"

namespace mxk::fuzz {
namespace {

constexpr std::uint8_t flag_at_the_end = 4;
constexpr std::uint8_t flag_made_right = 8;
constexpr std::uint8_t flag_never_closed = 16;
constexpr std::uint64_t low_start = 0x9000;
constexpr std::uint64_t page_bytes = 4 * KiB;

std::uint32_t take_magic(Input& input, std::uint8_t flags) {
    switch (flags & 3) {
    case 0: return boot::multiboot2_magic;
    case 1: return boot::pvh_magic;
    default: return input.take<std::uint32_t>();
    }
}

void make_right(acpi_test::Bytes& memory, std::size_t information_bytes, std::uint32_t magic) {
    if (memory.size() < sizeof magic) return;
    bool const is_pvh = magic == boot::pvh_magic; // begins with its magic, multiboot2's with its size
    acpi_test::put(memory, 0, is_pvh ? magic : static_cast<std::uint32_t>(information_bytes));
}

// AddressSanitizer sees whether they are there: each view of the memory is a block of its own.
unsigned sum_of(std::string_view text) {
    unsigned sum = 0;
    for (char const c : text) sum += static_cast<unsigned char>(c);
    return sum;
}

// Also where `outer` goes to the end of the address space.
bool is_within(MemoryRange inner, MemoryRange outer) {
    std::uint64_t const skipped = inner.start - outer.start;
    return skipped <= outer.bytes && inner.bytes <= outer.bytes - skipped;
}

// `range` is whole frames, all of them in usable regions, none of them in any other.
void expect_usable(MemoryRange range, boot::MemoryMap const& map) {
    EXPECT_GT(range.bytes, 0U);
    EXPECT_TRUE(is_aligned(raw(range.start), page_bytes) && is_aligned(range.bytes, page_bytes));
    RangeSet uncovered;
    uncovered.add(range);
    for (std::size_t i = 0; i < map.size(); ++i) {
        MemoryRange const region = clamped(map[i].range);
        if (map[i].type == boot::MemoryRegion::usable) {
            uncovered.remove(region);
        } else {
            EXPECT_EQ(intersection(range, region).bytes, 0U) << "region " << i << " is not usable";
        }
    }
    EXPECT_EQ(uncovered.bytes(), 0U) << "memory that no region offers";
}

void expect_sound_memory(boot::MemoryMap const& map) {
    EXPECT_GT(map.size(), 0U);
    RangeSet usable;
    boot::usable_memory(map, usable);
    auto const ranges = usable.ranges();
    for (std::size_t i = 0; i < ranges.size(); ++i) {
        expect_usable(ranges[i], map);
        if (i > 0) {
            EXPECT_LT(ranges[i - 1].end(), ranges[i].start) << "ascending, neighbours merged";
        }
    }
}

// Nothing is added, and nothing kept that EFI does not call RAM.
void expect_sound_efi_map(boot::BootInfo const& info) {
    if (!info.efi_memory_map) return;
    if (!*info.efi_memory_map) {
        EXPECT_FALSE(info.efi_memory_map->error().message().empty());
        return;
    }
    boot::EfiMemoryMap const& map = info.efi_memory_map->value();
    RangeSet ram;
    boot::usable_memory(info.memory_map, ram);
    std::uint64_t const before = ram.bytes();
    std::size_t const dropped = ram.dropped();
    boot::EfiDifference const found = boot::keep_what_efi_calls_ram(map, ram);
    if (ram.dropped() == dropped) {
        EXPECT_EQ(before - ram.bytes(), found.specific_purpose + found.non_volatile + found.only_loader);
    }
    for (std::size_t i = 0; i < map.size(); ++i) {
        boot::EfiMemoryMap::Region const region = map[i];
        EXPECT_GE(raw(region.range.start) + region.range.bytes, raw(region.range.start));
        bool const is_ram = region.type == 7 || (region.type >= 1 && region.type <= 4);
        constexpr std::uint64_t other =
            boot::EfiMemoryMap::specific_purpose | boot::EfiMemoryMap::non_volatile | boot::EfiMemoryMap::runtime;
        if (is_ram && (region.attributes & other) == 0) continue;
        for (MemoryRange const& range : ram.ranges()) EXPECT_EQ(intersection(range, region.range).bytes, 0U);
    }
}

void expect_sound_blobs(boot::BootInfo const& info, PhysicalAddress information) {
    EXPECT_TRUE(is_within({information, 8}, info.blobs[0]));
    for (MemoryRange const& blob : info.blobs) {
        EXPECT_TRUE(is_aligned(raw(blob.start), page_bytes) && is_aligned(blob.bytes, page_bytes));
    }
}

void expect_part_of_line(std::string_view value, std::string_view line) {
    if (value.empty()) return;
    EXPECT_GE(value.data(), line.data());
    EXPECT_LE(value.data() + value.size(), line.data() + line.size());
}

} // namespace

void boot_info(InputBytes bytes) {
    acpi_test::LogCapture const log;
    Input input(bytes);
    auto const flags = input.take<std::uint8_t>();
    std::uint32_t const magic = take_magic(input, flags);
    InputBytes const content = input.take_rest();
    acpi_test::Bytes image(content.begin(), content.end());
    if ((flags & flag_made_right) != 0) make_right(image, content.size(), magic);
    image.resize(align_up(image.size() + 1, page_bytes),
                 (flags & flag_never_closed) != 0 ? std::byte{'x'} : std::byte{0});

    PhysicalAddress const start{(flags & flag_at_the_end) != 0 ? 0 - image.size() : low_start};
    acpi_test::FakeMemory memory;
    memory.place(raw(start), std::move(image));
    auto const info = boot::parse(magic, start, memory);
    if (!info) {
        EXPECT_FALSE(info.error().message().empty());
        return;
    }
    sum_of(info.value().loader);
    sum_of(info.value().command_line);
    for (boot::Module const& module : info.value().modules.list()) {
        sum_of(module.name);
        EXPECT_GT(module.range.bytes, 0U);
        EXPECT_TRUE(is_aligned(raw(boot::frames_around(module.range).start), page_bytes));
        EXPECT_TRUE(is_within(module.range, boot::frames_around(module.range)));
    }
    if (auto const& screen = info.value().framebuffer) {
        EXPECT_GE(std::uint64_t{screen->pitch} * 8, std::uint64_t{screen->width} * screen->bits_per_pixel);
        EXPECT_GT(screen->range().end(), screen->address) << "it does not wrap around";
    }
    expect_sound_memory(info.value().memory_map);
    expect_sound_efi_map(info.value());
    expect_sound_blobs(info.value(), start);
    for (std::string_view const name : {"run", "serial", "a"}) {
        expect_part_of_line(boot::option(info.value().command_line, name), info.value().command_line);
    }
    (void)acpi::parse_root_pointer(info.value().rsdp);
}

} // namespace mxk::fuzz
