// Firmware's memory as a file: what is in it is found at its addresses, and nothing else is.
#include <gtest/gtest.h>

#include "kernel/acpi/memory_image.hpp"
#include "tests/unit/acpi_image.hpp"

namespace mxk::acpi_test {
namespace {

constexpr std::uint64_t base = 0x7e00'0000;

Bytes image(std::uint64_t address, Bytes const& memory) {
    std::string_view const mark = acpi::memory_image_mark;
    Bytes result(mark.size() + sizeof address);
    for (std::size_t i = 0; i < mark.size(); ++i) put(result, i, mark[i]);
    put(result, mark.size(), address);
    result.insert(result.end(), memory.begin(), memory.end());
    return result;
}

std::string error_of(Bytes const& file) {
    auto const opened = acpi::MemoryImage::open(file);
    return opened.ok() ? "none" : std::string(opened.error().message());
}

TEST(AcpiMemoryImage, has_its_bytes_at_their_addresses_and_no_others) {
    Bytes const file = image(base, Bytes(64, std::byte{7}));
    auto opened = acpi::MemoryImage::open(file);
    ASSERT_TRUE(opened.ok());
    acpi::MemoryImage& memory = opened.value();
    EXPECT_EQ(memory.root_pointer().size(), 36U);
    EXPECT_EQ(memory.root_pointer().data(), file.data() + 16);
    EXPECT_EQ(memory.view(PhysicalAddress{base + 60}, 4).data(), file.data() + 16 + 60);
    EXPECT_TRUE(memory.view(PhysicalAddress{base + 60}, 5).empty());
    EXPECT_TRUE(memory.view(PhysicalAddress{base + 65}, 1).empty());
    EXPECT_TRUE(memory.view(PhysicalAddress{base - 1}, 1).empty());
    EXPECT_TRUE(memory.view(PhysicalAddress{base}, SIZE_MAX).empty());
    EXPECT_TRUE(memory.view(PhysicalAddress{UINT64_MAX}, 2).empty());
}

TEST(AcpiMemoryImage, may_be_smaller_than_a_root_pointer) {
    Bytes const file = image(base, Bytes(5));
    EXPECT_EQ(acpi::MemoryImage::open(file).value().root_pointer().size(), 5U);
}

TEST(AcpiMemoryImage, errors) {
    Bytes const good = image(base, Bytes(1));
    EXPECT_EQ(error_of(good), "none");
    for (std::size_t bytes = 0; bytes < good.size(); ++bytes) {
        Bytes const cut(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(bytes));
        EXPECT_NE(error_of(cut), "none") << bytes;
        EXPECT_EQ(acpi::MemoryImage::begins(cut), bytes >= 8);
    }
    EXPECT_EQ(error_of(Bytes(30)), "expected an image of firmware's memory, which begins with 'MXKACPI1'");
    EXPECT_EQ(error_of(image(base, {})), "expected an address and memory behind 'MXKACPI1', got 8 bytes");
    EXPECT_EQ(error_of(image(UINT64_MAX, Bytes(1))),
              "expected memory that ends within 64 bits, got 1 bytes from 0xffffffffffffffff on");
}

} // namespace
} // namespace mxk::acpi_test
