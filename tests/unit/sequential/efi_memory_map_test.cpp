// EFI's memory map beside the loader's: what is RAM to both, and tags that cannot be believed.
#include "boot/efi_memory_map.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <string>
#include <vector>

namespace mxk::boot {
namespace {

struct Descriptor {
    std::uint32_t type = EfiMemoryMap::Conventional, padding = 0;
    std::uint64_t start = 0, virtual_start = 0, pages = 0, attributes = 0xf;
};

// Each descriptor is filled up to `stride` bytes.
std::vector<std::byte> tag(std::vector<Descriptor> const& descriptors, std::uint32_t stride = 48) {
    std::vector<std::byte> payload(8 + descriptors.size() * stride);
    std::uint32_t const head[2] = {stride, 1};
    std::memcpy(payload.data(), head, 8);
    for (std::size_t i = 0; i < descriptors.size(); ++i)
        std::memcpy(payload.data() + 8 + i * stride, &descriptors[i], sizeof(Descriptor));
    return payload;
}

MemoryRange frames(std::uint64_t first, std::uint64_t count) {
    return {PhysicalAddress{first * 4096}, count * 4096};
}

// Frames `first` to `first` + `count` are RAM to the loader.
EfiDifference keep(std::vector<Descriptor> const& descriptors, RangeSet& ram) {
    auto const payload = tag(descriptors);
    auto const map = EfiMemoryMap::parse(payload);
    EXPECT_TRUE(map.ok());
    return keep_what_efi_calls_ram(map.value(), ram);
}

TEST(EfiMemoryMap, ram_is_what_boot_services_and_the_loader_had_too) {
    RangeSet ram;
    ram.add(frames(0, 100));
    std::vector<Descriptor> descriptors;
    for (std::uint32_t type = 0; type < 16; ++type)
        descriptors.push_back({.type = type, .start = type * 4096, .pages = 1});
    auto const found = keep(descriptors, ram);
    ASSERT_EQ(ram.ranges().size(), 2U);
    EXPECT_EQ(ram.ranges()[0], frames(1, 4)); // the loader's and boot services'
    EXPECT_EQ(ram.ranges()[1], frames(7, 1)); // conventional
    EXPECT_EQ(found.non_volatile, 4096U);     // type 14
    EXPECT_EQ(found.only_loader, 94U * 4096); // all others, and what the map does not name
    EXPECT_EQ(raw(found.first_only_loader), 0U);
    EXPECT_EQ(found.only_efi, 0U);
    EXPECT_EQ(found.specific_purpose, 0U);
}

TEST(EfiMemoryMap, memory_for_a_specific_purpose_is_no_ordinary_ram) {
    RangeSet ram;
    ram.add(frames(0, 100));
    auto const found = keep({{.pages = 10},
                             {.start = 10 * 4096, .pages = 50, .attributes = EfiMemoryMap::specific_purpose | 0xf},
                             {.start = 60 * 4096, .pages = 20, .attributes = EfiMemoryMap::non_volatile | 0xf},
                             {.start = 80 * 4096, .pages = 20}},
                            ram);
    EXPECT_EQ(found.specific_purpose, 50U * 4096);
    EXPECT_EQ(found.non_volatile, 20U * 4096);
    EXPECT_EQ(found.only_loader, 0U);
    ASSERT_EQ(ram.ranges().size(), 2U);
    EXPECT_EQ(ram.ranges()[0], frames(0, 10));
    EXPECT_EQ(ram.ranges()[1], frames(80, 20));
}

TEST(EfiMemoryMap, differences_go_both_ways) {
    RangeSet ram;
    ram.add(frames(0, 10));
    ram.add(frames(20, 10));
    auto const found = keep({{.pages = 5}, {.start = 20 * 4096, .pages = 15}}, ram);
    EXPECT_EQ(found.only_loader, 5U * 4096);
    EXPECT_EQ(found.first_only_loader, PhysicalAddress{5 * 4096});
    EXPECT_EQ(found.only_efi, 5U * 4096);
    EXPECT_EQ(ram.bytes(), 15U * 4096);
}

TEST(EfiMemoryMap, where_descriptors_overlap_it_is_no_ram) {
    RangeSet ram;
    ram.add(frames(0, 10));
    auto const found =
        keep({{.type = EfiMemoryMap::RuntimeServicesData, .start = 4096, .pages = 2}, {.pages = 10}}, ram);
    EXPECT_EQ(found.only_loader, 2U * 4096);
    EXPECT_EQ(ram.bytes(), 8U * 4096);
}

TEST(EfiMemoryMap, what_is_needed_at_run_time_is_no_ram_whatever_its_type) {
    RangeSet ram;
    ram.add(frames(0, 10));
    auto const found = keep({{.pages = 9}, {.start = 9 * 4096, .pages = 1, .attributes = EfiMemoryMap::runtime}}, ram);
    EXPECT_EQ(found.only_loader, 4096U);
}

TEST(EfiMemoryMap, tags_that_cannot_be_are_refused) {
    std::vector<Descriptor> const good = {{.pages = 10}};
    EXPECT_TRUE(EfiMemoryMap::parse(tag(good)).ok());
    EXPECT_TRUE(EfiMemoryMap::parse(tag(good, 40)).ok());
    auto const complaint = [](std::vector<std::byte> const& payload) {
        auto const map = EfiMemoryMap::parse(payload);
        return map ? std::string() : std::string(map.error().message());
    };
    auto const with_stride = [&](std::uint32_t stride) {
        auto payload = tag(good);
        std::memcpy(payload.data(), &stride, 4);
        return payload;
    };
    EXPECT_EQ(complaint({}), "expected 8 bytes or more, got 0");
    EXPECT_EQ(complaint(with_stride(0)), "expected descriptors of 40 to 1024 bytes, got 0");
    EXPECT_EQ(complaint(with_stride(39)), "expected descriptors of 40 to 1024 bytes, got 39");
    EXPECT_EQ(complaint(with_stride(0xffff'ffff)), "expected descriptors of 40 to 1024 bytes, got 4294967295");
    EXPECT_EQ(complaint(with_stride(47)), "48 bytes are not whole descriptors of 47 bytes");
    EXPECT_EQ(complaint(tag({})), "none of 0 descriptors is RAM");
    EXPECT_EQ(complaint(tag({{.type = EfiMemoryMap::AcpiReclaim, .pages = 1}})), "none of 1 descriptors is RAM");
    EXPECT_EQ(complaint(tag({{.pages = 1}, {.start = 4096, .pages = ~std::uint64_t{0}}})),
              "descriptor 1: 18446744073709551615 pages at 0x1000 are no memory");
    EXPECT_EQ(complaint(tag({{.start = 4097, .pages = 1}})), "descriptor 0: 1 pages at 0x1001 are no memory");
    EXPECT_EQ(complaint(tag({{.start = ~std::uint64_t{0xfff}, .pages = 1}})),
              "descriptor 0: 1 pages at 0xfffffffffffff000 are no memory");
}

TEST(EfiMemoryMap, broken_ones_add_no_memory) {
    std::mt19937 random(3);
    for (int i = 0; i < 5000; ++i) {
        auto payload =
            tag({{.pages = 10}, {.type = 4, .start = 10 * 4096, .pages = 20}, {.start = 1 << 20, .pages = 50}});
        for (unsigned n = random() % 4 + 1; n > 0; --n)
            payload[random() % payload.size()] = static_cast<std::byte>(random());
        if (random() % 4 == 0) payload.resize(random() % payload.size());
        auto const map = EfiMemoryMap::parse(payload);
        if (!map) continue;
        RangeSet ram;
        ram.add(frames(0, 40));
        auto const found = keep_what_efi_calls_ram(map.value(), ram);
        EXPECT_EQ(ram.bytes() + found.only_loader + found.specific_purpose + found.non_volatile, 40U * 4096);
    }
}

} // namespace
} // namespace mxk::boot
