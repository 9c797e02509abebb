#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "boot/boot_info.hpp"

namespace mxk::boot {
namespace {

// Physical memory with something at one place only.
class Image final : public PhysicalReader {
  public:
    std::span<std::byte const> view(PhysicalAddress address, std::size_t bytes) override {
        std::uint64_t const offset = raw(address) - base;
        if (raw(address) < base || offset > bytes_.size() || bytes > bytes_.size() - offset) return {};
        return std::span<std::byte const>(bytes_).subspan(offset, bytes);
    }
    template <typename T> void put(T const& value) {
        auto const* const first = reinterpret_cast<std::byte const*>(&value);
        bytes_.insert(bytes_.end(), first, first + sizeof value);
    }
    void put_text(std::string const& text) {
        for (char const c : text) put(c);
        put('\0');
    }
    void align(std::size_t to) { bytes_.resize((bytes_.size() + to - 1) / to * to); }
    std::vector<std::byte>& bytes() { return bytes_; }
    [[nodiscard]] PhysicalAddress here() const { return static_cast<PhysicalAddress>(base + bytes_.size()); }

    static constexpr std::uint64_t base = 0x9000;

  private:
    std::vector<std::byte> bytes_;
};

struct Entry {
    std::uint64_t start, bytes;
    std::uint32_t type, reserved = 0;
};
std::vector<Entry> const pc_map = {
    {0, 0x9fc00, 1}, {0x9fc00, 0x400, 2}, {0x100000, 0x3ff00000, 1}, {0xfffc0000, 0x40000, 2}};

void put_tag(Image& image, std::uint32_t type, std::string const& payload) {
    image.align(8);
    image.put(type);
    image.put(static_cast<std::uint32_t>(8 + payload.size()));
    for (char const c : payload) image.put(c);
}

std::string map_payload(std::vector<Entry> const& entries) {
    std::string payload(8 + entries.size() * sizeof(Entry), '\0');
    std::uint32_t const head[2] = {sizeof(Entry), 0};
    std::memcpy(payload.data(), head, 8);
    if (!entries.empty()) std::memcpy(payload.data() + 8, entries.data(), entries.size() * sizeof(Entry));
    return payload;
}

std::string module_payload(std::uint32_t start, std::uint32_t end, std::string const& name) {
    std::string payload(8, '\0');
    std::memcpy(payload.data(), &start, 4);
    std::memcpy(payload.data() + 4, &end, 4);
    return payload + name + '\0';
}

// multiboot2 3.6.12: address, pitch, width, height, bits, type; position and bits of red, green, blue.
std::string framebuffer_payload(std::uint64_t address, std::uint32_t pitch, std::uint32_t width, std::uint32_t height,
                                std::uint8_t bits, std::uint8_t type) {
    Image image;
    image.put(address);
    for (std::uint32_t const number : {pitch, width, height}) image.put(number);
    for (unsigned const byte : {unsigned{bits}, unsigned{type}, 0U, 0U, 16U, 8U, 8U, 8U, 0U, 8U})
        image.put(static_cast<std::uint8_t>(byte));
    return {reinterpret_cast<char const*>(image.bytes().data()), image.bytes().size()};
}

Image multiboot2_image(std::vector<Entry> const& entries, std::vector<std::string> const& modules = {},
                       std::string const& framebuffer = {}) {
    Image image;
    image.put(std::uint64_t{0}); // size, filled in below
    put_tag(image, 1, std::string("run=\"topology; exit\"") + '\0');
    put_tag(image, 2, std::string("GRUB 2.06") + '\0');
    put_tag(image, 12, std::string("\0\x10\0\x7f\0\0\0\0", 8));
    put_tag(image, 14, std::string(20, 'o'));
    put_tag(image, 15, std::string(36, 'n'));
    for (std::string const& module : modules) put_tag(image, 3, module);
    if (!framebuffer.empty()) put_tag(image, 8, framebuffer);
    put_tag(image, 6, map_payload(entries));
    put_tag(image, 0, "");
    auto const size = static_cast<std::uint32_t>(image.bytes().size());
    std::memcpy(image.bytes().data(), &size, 4);
    return image;
}

TEST(BootInfo, multiboot2) {
    Image image = multiboot2_image(pc_map);
    auto const info = parse(multiboot2_magic, PhysicalAddress{Image::base}, image);
    ASSERT_TRUE(info.ok()) << info.error().message();
    EXPECT_EQ(info.value().command_line, "run=\"topology; exit\"");
    EXPECT_EQ(info.value().loader, "GRUB 2.06");
    EXPECT_EQ(info.value().rsdp.size(), 36U); // the new one
    EXPECT_EQ(raw(info.value().efi_system_table), 0x7f00'1000U);
    ASSERT_EQ(info.value().memory_map.size(), 4U);
    EXPECT_EQ(raw(info.value().memory_map[2].range.start), 0x100000U);
    EXPECT_EQ(raw(info.value().blobs[0].start), 0x9000U);
}

TEST(BootInfo, multiboot2_without_a_memory_map_is_an_error) {
    Image image = multiboot2_image({});
    EXPECT_EQ(parse_multiboot2(PhysicalAddress{Image::base}, image).error().message(),
              "multiboot2: expected a memory map, found none");
    EXPECT_FALSE(parse_multiboot2(PhysicalAddress{0x10}, image).ok());
}

TEST(BootInfo, framebuffer_of_multiboot2) {
    auto const of = [](std::string const& payload) {
        Image image = multiboot2_image(pc_map, {}, payload);
        return parse_multiboot2(PhysicalAddress{Image::base}, image).value().framebuffer;
    };
    EXPECT_FALSE(of({}).has_value());
    auto const pixels = of(framebuffer_payload(0xfd00'0000, 4096, 1000, 700, 32, 1));
    ASSERT_TRUE(pixels.has_value());
    EXPECT_EQ(pixels->kind, Framebuffer::Kind::Pixels);
    EXPECT_EQ(pixels->range(), (MemoryRange{PhysicalAddress{0xfd00'0000}, 4096ULL * 700}));
    EXPECT_EQ(pixels->colors[0].position, 16);
    EXPECT_EQ(pixels->colors[2].bits, 8);
    auto const text = of(framebuffer_payload(0xb'8000, 160, 80, 25, 0, 2));
    ASSERT_TRUE(text.has_value());
    EXPECT_EQ(text->kind, Framebuffer::Kind::Text);
    EXPECT_EQ(text->range().bytes, 160U * 25);
    for (std::string const& wrong : {
             framebuffer_payload(0xfd00'0000, 1024, 1024, 768, 8, 0),            // a palette's
             framebuffer_payload(0xfd00'0000, 4095, 1024, 768, 32, 1),           // rows overlap
             framebuffer_payload(0xfd00'0000, 4096, 0, 768, 32, 1),              // no pixel
             framebuffer_payload(0xfd00'0000, 4096, 1024, 0xffff'ffff, 32, 1),   // no screen is so large
             framebuffer_payload(0xfd00'0000, 4096, 1024, 768, 64, 1),           // no pixel is so large
             framebuffer_payload(0xfd00'0000, 4096, 1024, 768, 16, 1),           // red lies beyond the pixel
             framebuffer_payload(0, 4096, 1024, 768, 32, 1),                     // nowhere
             framebuffer_payload(0xffff'ffff'fff0'0000, 4096, 1024, 768, 32, 1), // beyond the end of memory
             framebuffer_payload(0xfd00'0000, 4096, 1024, 768, 32, 1).substr(0, 27),
         })
        EXPECT_FALSE(of(wrong).has_value());
}

TEST(BootInfo, modules_of_multiboot2) {
    Image image = multiboot2_image(pc_map, {module_payload(0x200800, 0x201801, "trace"),
                                            module_payload(0x300000, 0x300000, "empty"), std::string(7, 'x'),
                                            module_payload(0x400000, 0x400001, "")});
    auto const info = parse_multiboot2(PhysicalAddress{Image::base}, image);
    ASSERT_TRUE(info.ok()) << info.error().message();
    auto const modules = info.value().modules.list();
    ASSERT_EQ(modules.size(), 2U);
    EXPECT_EQ(modules[0].name, "trace");
    EXPECT_EQ(modules[0].range, (MemoryRange{PhysicalAddress{0x200800}, 0x1001}));
    EXPECT_EQ(frames_around(modules[0].range), (MemoryRange{PhysicalAddress{0x200000}, 0x2000}));
    EXPECT_EQ(modules[1].name, "");
    EXPECT_EQ(info.value().modules.dropped(), 2U);
}

TEST(BootInfo, modules_that_are_too_many_are_counted) {
    std::vector<std::string> const many(Modules::max + 3, module_payload(0x200000, 0x200001, "a"));
    Image image = multiboot2_image(pc_map, many);
    auto const info = parse_multiboot2(PhysicalAddress{Image::base}, image);
    ASSERT_TRUE(info.ok());
    EXPECT_EQ(info.value().modules.list().size(), Modules::max);
    EXPECT_EQ(info.value().modules.dropped(), 3U);
}

TEST(BootInfo, broken_multiboot2_is_never_read_beyond_its_end) {
    std::mt19937 random(2);
    for (int i = 0; i < 20000; ++i) {
        Image image = multiboot2_image(pc_map, {module_payload(0x200800, 0x201801, "trace")});
        for (unsigned n = random() % 4 + 1; n > 0; --n)
            image.bytes()[random() % image.bytes().size()] = static_cast<std::byte>(random());
        if (random() % 4 == 0) image.bytes().resize(random() % image.bytes().size());
        auto const info = parse_multiboot2(PhysicalAddress{Image::base}, image);
        if (!info) continue;
        RangeSet usable;
        usable_memory(info.value().memory_map, usable);
        (void)option(info.value().command_line, "run");
    }
}

struct StartInfo {
    std::uint32_t magic = pvh_magic, version = 1, flags = 0, modules = 0;
    std::uint64_t module_list = 0, command_line = 0, rsdp = 0, memory_map = 0;
    std::uint32_t entries = 0, reserved = 0;
};

Result<BootInfo> parse_pvh_image(Image& image, StartInfo start, std::string const& command_line = "serial=com2") {
    start.command_line = raw(image.here());
    image.put_text(command_line);
    image.align(8);
    start.memory_map = raw(image.here());
    for (Entry const& entry : pc_map) image.put(entry);
    PhysicalAddress const where = image.here();
    image.put(start);
    image.bytes().resize(3 * 4096); // the rest of the pages that a text may be looked for in
    return parse(pvh_magic, where, image);
}

TEST(BootInfo, pvh) {
    Image image;
    auto const info = parse_pvh_image(image, {.rsdp = 0xf5ad0, .entries = 4});
    ASSERT_TRUE(info.ok()) << info.error().message();
    EXPECT_EQ(info.value().command_line, "serial=com2");
    EXPECT_EQ(raw(info.value().rsdp_address), 0xf5ad0U);
    EXPECT_EQ(info.value().memory_map.size(), 4U);
}

TEST(BootInfo, modules_of_pvh) {
    Image image;
    std::uint64_t const text_at = raw(image.here());
    image.put_text("second");
    image.align(8);
    std::uint64_t const list_at = raw(image.here());
    for (std::uint64_t const word : {0x7ffd000ULL, 0x1001ULL, 0ULL, 0ULL}) image.put(word); // as QEMU's -initrd
    for (std::uint64_t const word : {0x200000ULL, 1ULL, static_cast<unsigned long long>(text_at), 0ULL})
        image.put(word);
    for (std::uint64_t const word : {~0ULL - 10, 100ULL, 0ULL, 0ULL}) image.put(word); // beyond the last address
    auto const info =
        parse_pvh_image(image, {.modules = 3, .module_list = list_at, .entries = 4}, "run=\"a\" module-name=trace");
    ASSERT_TRUE(info.ok()) << info.error().message();
    auto const modules = info.value().modules.list();
    ASSERT_EQ(modules.size(), 2U);
    EXPECT_EQ(modules[0].name, "trace");
    EXPECT_EQ(modules[0].range, (MemoryRange{PhysicalAddress{0x7ffd000}, 0x1001}));
    EXPECT_EQ(modules[1].name, "second");
    EXPECT_EQ(info.value().modules.dropped(), 1U);
    EXPECT_EQ(info.value().blobs[3], (MemoryRange{PhysicalAddress{0x9000}, 0x1000}));
    EXPECT_EQ(info.value().blobs[5], (MemoryRange{PhysicalAddress{0x9000}, 0x1000}));
}

TEST(BootInfo, pvh_modules_that_cannot_be_read) {
    Image image;
    auto const info = parse_pvh_image(image, {.modules = 0xffffffff, .module_list = Image::base, .entries = 4});
    ASSERT_TRUE(info.ok());
    EXPECT_TRUE(info.value().modules.list().empty());
    EXPECT_EQ(info.value().modules.dropped(), 1U);
}

TEST(BootInfo, pvh_that_is_wrong) {
    Image version0;
    EXPECT_FALSE(parse_pvh_image(version0, {.version = 0, .entries = 4}).ok());
    Image no_map;
    EXPECT_FALSE(parse_pvh_image(no_map, {.entries = 0}).ok());
    Image endless;
    EXPECT_FALSE(parse_pvh_image(endless, {.entries = 0xffffffff}).ok());
    Image magic;
    EXPECT_FALSE(parse_pvh_image(magic, {.magic = 1, .entries = 4}).ok());
    EXPECT_FALSE(parse(12345, PhysicalAddress{0}, magic).ok());
}

TEST(BootInfo, usable_memory_is_whole_frames_that_nobody_else_claims) {
    std::vector<Entry> const overlapping = {
        {0x100800, 0x10000, 1}, {0x105000, 0x10, 2}, {0x110000, 0x8000, 1}, {0xfffffffffffff000, 0xffffffff, 1}};
    Image image = multiboot2_image(overlapping);
    auto const info = parse_multiboot2(PhysicalAddress{Image::base}, image);
    ASSERT_TRUE(info.ok());
    RangeSet usable;
    usable_memory(info.value().memory_map, usable);
    std::vector<MemoryRange> const expected = {
        {PhysicalAddress{0x101000}, 0x4000}, {PhysicalAddress{0x106000}, 0xa000}, {PhysicalAddress{0x110000}, 0x8000}};
    // 0x106000 + 0xa000 touches 0x110000, so they are one.
    ASSERT_EQ(usable.ranges().size(), 2U);
    EXPECT_EQ(usable.ranges()[0], expected[0]);
    EXPECT_EQ(usable.ranges()[1], (MemoryRange{PhysicalAddress{0x106000}, 0x12000}));
}

TEST(BootInfo, memory_beyond_a_limit_is_taken_out_and_counted) {
    constexpr PhysicalAddress limit{0x40000};
    RangeSet memory;
    memory.add({PhysicalAddress{0x10000}, 0x10000});
    EXPECT_EQ(remove_beyond(memory, limit), 0U);
    memory.add({PhysicalAddress{0x30000}, 0x20000});
    memory.add({PhysicalAddress{0x100000}, 0x5000});
    EXPECT_EQ(remove_beyond(memory, limit), 0x15000U);
    ASSERT_EQ(memory.ranges().size(), 2U);
    EXPECT_EQ(memory.ranges()[1], (MemoryRange{PhysicalAddress{0x30000}, 0x10000}));
}

TEST(BootInfo, options_of_the_command_line) {
    EXPECT_EQ(option("run=\"a; b\" serial=com1", "run"), "a; b");
    EXPECT_EQ(option("run=\"a; b\" serial=com1", "serial"), "com1");
    EXPECT_EQ(option("serial=com1 \"run=a; b\"", "run"), "a; b"); // GRUB quotes the whole word
    EXPECT_EQ(option("run='it is \"quoted\"'", "run"), "it is \"quoted\"");
    EXPECT_EQ(option("rerun=x", "run"), "");
    EXPECT_EQ(option("run", "run"), "");
    EXPECT_EQ(option("", "run"), "");
    EXPECT_EQ(option("run=\"never closed", "run"), "\"never closed");
}

} // namespace
} // namespace mxk::boot
