// Physical addresses as firmware names them, on a made-up machine.
#include "arch/x86_64/memory/physical_place.hpp"

#include <gtest/gtest.h>

namespace mxk::arch {
namespace {

struct PhysicalPlaceTest : testing::Test {
    PhysicalPlaceTest() { memory.add({PhysicalAddress{0}, 2 * GiB}); }

    std::string device(std::uint64_t start, std::uint64_t bytes = 0x1000, std::uint64_t alignment = 1) const {
        return std::string(objection_to(map, PlaceUse::Device, {PhysicalAddress{start}, bytes}, alignment).view());
    }
    std::string reading(std::uint64_t start, std::uint64_t bytes = 0x1000) const {
        return std::string(objection_to(map, PlaceUse::Read, {PhysicalAddress{start}, bytes}).view());
    }

    RangeSet memory;
    PhysicalMap map{.address_bits = 40, .kernel = {PhysicalAddress{MiB}, MiB}, .memory = &memory};
};

TEST_F(PhysicalPlaceTest, ADeviceIsWhereNoMemoryIs) {
    EXPECT_EQ(device(0xfed0'0000), "");
    EXPECT_EQ(device((std::uint64_t{1} << 40) - 0x1000), "");
    EXPECT_EQ(device(2 * GiB - 1), "where memory is");
    EXPECT_EQ(device(2 * GiB), "");
    EXPECT_EQ(device(2 * GiB - 0x1000), "where memory is");
    EXPECT_EQ(device(2 * MiB - 1), "where the kernel is");
    map.memory = nullptr;
    EXPECT_EQ(device(2 * GiB - 1), "");
}

TEST_F(PhysicalPlaceTest, WhatIsReadIsAnythingButTheKernel) {
    EXPECT_EQ(reading(0x5000'0000), "");
    EXPECT_EQ(reading(0xf'0000), "");
    EXPECT_EQ(reading(2 * MiB - 1), "where the kernel is");
    EXPECT_EQ(reading(MiB - 0x1000, 0x1001), "where the kernel is");
}

TEST_F(PhysicalPlaceTest, TheProcessorAndTheDirectMapReachNoFurther) {
    constexpr auto beyond_processor = "beyond the 40 address bits of the processor";
    for (auto const* const use : {"device", "read"}) {
        auto const ask = [&](std::uint64_t start, std::uint64_t bytes) {
            return use[0] == 'd' ? device(start, bytes) : reading(start, bytes);
        };
        EXPECT_EQ(ask(0xfed0'0000'0000'0000, 1024), beyond_processor); // seen in a BIOS, of an HPET
        EXPECT_EQ(ask(UINT64_MAX, 1), beyond_processor);
        EXPECT_EQ(ask(std::uint64_t{1} << 40, 1), beyond_processor);
        EXPECT_EQ(ask((std::uint64_t{1} << 40) - 1, 2), beyond_processor);
        EXPECT_EQ(ask(0xfed0'0000, UINT64_MAX), beyond_processor) << "wraps around";
    }
    map.address_bits = 52;
    EXPECT_EQ(device(std::uint64_t{1} << 46, 1), "beyond the 64 TiB that can be mapped");
    EXPECT_EQ(device((std::uint64_t{1} << 46) - 1, 1), "");
    EXPECT_EQ(device((std::uint64_t{1} << 46) - 1, 2), "beyond the 64 TiB that can be mapped");
}

TEST_F(PhysicalPlaceTest, RegistersAreAligned) {
    EXPECT_EQ(device(0xfed0'0004, 4, 4), "");
    EXPECT_EQ(device(0xfed0'0002, 4, 4), "not a multiple of 4");
    EXPECT_EQ(device(0xfed0'0000, 0), "of no length");
}

} // namespace
} // namespace mxk::arch
