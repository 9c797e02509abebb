#include "boot/boot_info.hpp"

#include <algorithm>

#include "base/bytes.hpp"

namespace mxk::boot {
namespace {

// Up to the terminating zero, or all of it if there is none.
std::string_view text(std::span<std::byte const> bytes) {
    auto const* const characters = reinterpret_cast<char const*>(bytes.data());
    return {characters, static_cast<std::size_t>(std::find(bytes.begin(), bytes.end(), std::byte{0}) - bytes.begin())};
}

// Nothing where they would wrap around the end of the address space.
MemoryRange range_of(std::uint64_t start, std::uint64_t bytes) {
    constexpr std::uint64_t last_frame = UINT64_MAX - 4 * KiB;
    if (start > last_frame || bytes > last_frame - start) return {};
    return {static_cast<PhysicalAddress>(start), bytes};
}

struct Multiboot2Tag { // multiboot2 3.6.2: tags begin at multiples of 8
    std::uint32_t type;
    std::uint32_t size;
};

enum : std::uint32_t {
    EndTag = 0,
    CommandLine = 1,
    LoaderName = 2,
    ModuleTag = 3,
    MemoryMapTag = 6,
    FramebufferTag = 8,
    EfiSystemTable = 12,
    OldRsdp = 14,
    NewRsdp = 15,
    EfiMemoryMapTag = 17
};

// multiboot2 3.6.6: first address (4 bytes), the one behind the last (4), text.
void take_module(BootInfo& info, std::span<std::byte const> payload) {
    auto const start = read<std::uint32_t>(payload, 0);
    auto const end = read<std::uint32_t>(payload, 4);
    bool const is_there = start && end && *start < *end;
    if (is_there)
        info.modules.add({range_of(*start, *end - *start), text(payload.subspan(8))});
    else
        info.modules.add({});
}

struct [[gnu::packed]] FramebufferPayload { // multiboot2 3.6.12
    std::uint64_t address;                  // 0
    std::uint32_t pitch;                    // 8
    std::uint32_t width;                    // 12
    std::uint32_t height;                   // 16
    std::uint8_t bits_per_pixel;            // 20
    std::uint8_t type;                      // 21: 0 palette, 1 direct colour, 2 text
    std::uint16_t reserved;                 // 22
};
static_assert(sizeof(FramebufferPayload) == 24);

// Nothing where it is a palette's, or says what cannot be.
std::optional<Framebuffer> framebuffer(std::span<std::byte const> payload) {
    constexpr std::uint8_t direct_color = 1;
    constexpr std::uint8_t text_type = 2;
    constexpr std::uint32_t max_pixels = 32768; // in a row, or in a column
    auto const found = read<FramebufferPayload>(payload);
    if (!found || (found->type != direct_color && found->type != text_type)) return std::nullopt;
    Framebuffer result{found->type == text_type ? Framebuffer::Kind::Text : Framebuffer::Kind::Pixels,
                       static_cast<PhysicalAddress>(found->address),
                       found->pitch,
                       found->width,
                       found->height,
                       found->type == text_type ? std::uint8_t{16} : found->bits_per_pixel,
                       {}};
    if (result.bits_per_pixel < 15 || result.bits_per_pixel > 32) return std::nullopt;
    if (result.width == 0 || result.width > max_pixels || result.height == 0 || result.height > max_pixels)
        return std::nullopt;
    if (result.pitch / ((result.bits_per_pixel + 7U) / 8) < result.width) return std::nullopt;
    if (range_of(found->address, result.range().bytes).bytes == 0 || found->address == 0) return std::nullopt;
    if (result.kind == Framebuffer::Kind::Text) return result;
    for (std::size_t i = 0; i < result.colors.size(); ++i) {
        auto const position = read<std::uint8_t>(payload, sizeof(FramebufferPayload) + 2 * i);
        auto const bits = read<std::uint8_t>(payload, sizeof(FramebufferPayload) + 2 * i + 1);
        if (!position || !bits || *position + *bits > result.bits_per_pixel) return std::nullopt;
        result.colors[i] = {*position, *bits};
    }
    return result;
}

void take_tag(BootInfo& info, std::uint32_t type, std::span<std::byte const> payload) {
    switch (type) {
    case CommandLine: info.command_line = text(payload); break;
    case LoaderName: info.loader = text(payload); break;
    case ModuleTag: take_module(info, payload); break;
    case MemoryMapTag: {
        auto const stride = read<std::uint32_t>(payload, 0);
        if (stride && *stride >= MemoryMap::entry_bytes && payload.size() >= 8)
            info.memory_map = MemoryMap(payload.subspan(8), *stride);
        break;
    }
    case FramebufferTag: info.framebuffer = framebuffer(payload); break;
    case EfiSystemTable: info.efi_system_table = PhysicalAddress{read<std::uint64_t>(payload).value_or(0)}; break;
    case OldRsdp:
        if (info.rsdp.empty()) info.rsdp = payload; // the new one, which has the XSDT, wins in any order
        break;
    case NewRsdp: info.rsdp = payload; break;
    case EfiMemoryMapTag: info.efi_memory_map = EfiMemoryMap::parse(payload); break;
    default: break;
    }
}

struct PvhStartInfo { // Xen public/arch-x86/hvm/start_info.h, version 1
    std::uint32_t magic;
    std::uint32_t version;
    std::uint32_t flags;
    std::uint32_t module_count;
    std::uint64_t modules;
    std::uint64_t command_line;
    std::uint64_t rsdp;
    std::uint64_t memory_map; // from version 1 on
    std::uint32_t memory_map_entries;
    std::uint32_t reserved;
};
static_assert(sizeof(PvhStartInfo) == 56);

struct PvhModule { // hvm_modlist_entry
    std::uint64_t address;
    std::uint64_t bytes;
    std::uint64_t text; // 0: none, as of QEMU's -initrd
    std::uint64_t reserved;
};
static_assert(sizeof(PvhModule) == 32);

constexpr std::size_t pvh_memory_map_stride = 24;
constexpr std::size_t max_command_line = 4096;

// A zero-terminated text of unknown length: as much of it as can be read, in steps that stay within a page.
std::string_view read_text(PhysicalReader& memory, PhysicalAddress address) {
    std::size_t known = 0;
    while (known < max_command_line) {
        std::size_t const step = 4 * KiB - (raw(address) + known) % (4 * KiB);
        auto const bytes = memory.view(address, known + step);
        if (bytes.empty()) break;
        std::string_view const found = text(bytes);
        if (found.size() < bytes.size()) return found;
        known += step;
    }
    return {};
}

// The command line must be known.
void take_pvh_modules(BootInfo& info, PvhStartInfo const& start, PhysicalReader& memory) {
    auto const address = static_cast<PhysicalAddress>(start.modules);
    std::size_t const bytes = start.module_count * sizeof(PvhModule);
    if (bytes == 0) return;
    auto const list = memory.view(address, bytes);
    if (list.empty()) return info.modules.add({}); // the list cannot be read
    info.blobs[3] = frames_around({address, bytes});
    for (std::size_t i = 0; i < std::min<std::size_t>(start.module_count, Modules::max + 1); ++i) {
        auto const module = read<PvhModule>(list, i * sizeof(PvhModule)).value_or(PvhModule{});
        std::string_view name = option(info.command_line, "module-name");
        if (module.text != 0 && i < Modules::max) {
            auto const text_at = static_cast<PhysicalAddress>(module.text);
            name = read_text(memory, text_at);
            info.blobs[4 + i] = frames_around({text_at, name.size() + 1});
        }
        info.modules.add({range_of(module.address, module.bytes), name});
    }
}

} // namespace

MemoryRange frames_around(MemoryRange range) {
    auto const first = static_cast<PhysicalAddress>(align_down(raw(range.start), 4 * KiB));
    return {first, align_up(raw(range.start) + range.bytes, 4 * KiB) - raw(first)};
}

MemoryRegion MemoryMap::operator[](std::size_t index) const {
    std::size_t const offset = index * stride_;
    return {{static_cast<PhysicalAddress>(read<std::uint64_t>(entries_, offset).value_or(0)),
             read<std::uint64_t>(entries_, offset + 8).value_or(0)},
            read<std::uint32_t>(entries_, offset + 16).value_or(0)};
}

Result<BootInfo> parse_multiboot2(PhysicalAddress information, PhysicalReader& memory) {
    auto const head = memory.view(information, 8);
    auto const total = read<std::uint32_t>(head, 0);
    if (!total || *total < 8) return Error::of("multiboot2: information at {} cannot be read", information);
    auto const bytes = memory.view(information, *total);
    if (bytes.empty())
        return Error::of("multiboot2: {} bytes of information at {} cannot be read", *total, information);

    BootInfo info;
    info.blobs[0] = frames_around({information, *total});
    for (std::size_t offset = 8;;) {
        auto const tag = read<Multiboot2Tag>(bytes, offset);
        if (!tag || tag->type == EndTag || tag->size < sizeof(Multiboot2Tag) || tag->size > bytes.size() - offset)
            break;
        take_tag(info, tag->type, bytes.subspan(offset + sizeof(Multiboot2Tag), tag->size - sizeof(Multiboot2Tag)));
        offset += align_up(tag->size, 8);
        if (offset > bytes.size()) break;
    }
    if (info.memory_map.size() == 0) return Error("multiboot2: expected a memory map, found none");
    return info;
}

Result<BootInfo> parse_pvh(PhysicalAddress information, PhysicalReader& memory) {
    auto const start = read<PvhStartInfo>(memory.view(information, sizeof(PvhStartInfo)), 0);
    if (!start || start->magic != pvh_magic) return Error::of("PVH: no start information at {}", information);
    if (start->version < 1) return Error("PVH: expected version 1 or later, which has the memory map; got version 0");

    BootInfo info;
    info.loader = "PVH";
    auto const map_address = static_cast<PhysicalAddress>(start->memory_map);
    std::size_t const map_bytes = start->memory_map_entries * pvh_memory_map_stride;
    info.memory_map = MemoryMap(memory.view(map_address, map_bytes), pvh_memory_map_stride);
    if (info.memory_map.size() == 0) return Error::of("PVH: no memory map at {}", map_address);
    info.blobs[0] = frames_around({information, sizeof(PvhStartInfo)});
    info.blobs[1] = frames_around({map_address, map_bytes});
    if (start->command_line != 0) {
        auto const address = static_cast<PhysicalAddress>(start->command_line);
        info.command_line = read_text(memory, address);
        info.blobs[2] = frames_around({address, info.command_line.size() + 1});
    }
    take_pvh_modules(info, *start, memory);
    info.rsdp_address = static_cast<PhysicalAddress>(start->rsdp);
    return info;
}

Result<BootInfo> parse(std::uint32_t magic, PhysicalAddress information, PhysicalReader& memory) {
    if (magic == multiboot2_magic) return parse_multiboot2(information, memory);
    if (magic == pvh_magic) return parse_pvh(information, memory);
    return Error::of("expected a multiboot2 or PVH loader, got magic 0x{:x}", magic);
}

std::uint64_t remove_beyond(RangeSet& memory, PhysicalAddress limit) {
    std::uint64_t const before = memory.bytes();
    memory.remove({limit, UINT64_MAX - raw(limit)});
    return before - memory.bytes();
}

void usable_memory(MemoryMap const& map, RangeSet& out) {
    for (std::size_t i = 0; i < map.size(); ++i) {
        if (map[i].type != MemoryRegion::usable) continue;
        MemoryRange const range = clamped(map[i].range);
        std::uint64_t const start =
            raw(range.start) > UINT64_MAX - 4 * KiB ? raw(range.start) : align_up(raw(range.start), 4 * KiB);
        std::uint64_t const end = align_down(raw(range.end()), 4 * KiB);
        if (start < end) out.add({static_cast<PhysicalAddress>(start), end - start});
    }
    for (std::size_t i = 0; i < map.size(); ++i) {
        if (map[i].type == MemoryRegion::usable || map[i].range.bytes == 0) continue;
        MemoryRange const range = clamped(map[i].range);
        std::uint64_t const start = align_down(raw(range.start), 4 * KiB);
        std::uint64_t const end =
            raw(range.end()) > UINT64_MAX - 4 * KiB ? raw(range.end()) : align_up(raw(range.end()), 4 * KiB);
        out.remove({static_cast<PhysicalAddress>(start), end - start});
    }
}

namespace {

std::string_view without_quotes(std::string_view text) {
    bool const quoted = text.size() >= 2 && (text[0] == '"' || text[0] == '\'') && text.back() == text[0];
    return quoted ? text.substr(1, text.size() - 2) : text;
}

} // namespace

std::optional<std::string_view> CommandWords::next() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(' '), rest_.size()));
    if (rest_.empty()) return std::nullopt;
    // Up to a blank outside quotes.
    std::size_t end = 0;
    char quote = 0;
    for (; end < rest_.size() && (quote != 0 || rest_[end] != ' '); ++end) {
        if (quote != 0 && rest_[end] == quote)
            quote = 0;
        else if (quote == 0 && (rest_[end] == '"' || rest_[end] == '\''))
            quote = rest_[end];
    }
    std::string_view const word = rest_.substr(0, end);
    rest_.remove_prefix(end);
    return without_quotes(word); // GRUB may put them around the whole word: "run=a; b" for run="a; b"
}

std::string_view option(std::string_view line, std::string_view name) {
    CommandWords words(line);
    while (auto const word = words.next())
        if (word->size() > name.size() && word->starts_with(name) && (*word)[name.size()] == '=')
            return without_quotes(word->substr(name.size() + 1));
    return {};
}

} // namespace mxk::boot
