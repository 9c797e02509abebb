// What machine checks mean, by the SDM's tables of codes.
#include "arch/x86_64/cpu/machine_check.hpp"

#include <gtest/gtest.h>

#include <string>

#include "base/format.hpp"

namespace mxk::arch {
namespace {

std::string text_of(MachineCheckBank const& bank) {
    FixedText<400> text;
    print_machine_check(text, bank);
    return std::string(text.view());
}

std::string text_of_code(std::uint64_t code) {
    std::string const all = text_of({.number = 0, .status = std::uint64_t{1} << 63 | code});
    std::size_t const start = all.find("; ") + 2;
    return all.substr(start, all.find(" (status") - start);
}

TEST(MachineCheck, says_how_bad_it_is_and_where) {
    EXPECT_EQ(text_of({5, 0xbe00'0000'0000'009f, 0x12345000, 0x8c}),
              "bank 5: not corrected, the core's state is corrupt; memory controller, read, channel not known, at "
              "0x12345000 (status 0xbe0000000000009f, misc 0x8c)");
    EXPECT_EQ(text_of({1, 0xd000'0000'0001'0151, 7, 9}),
              "bank 1: corrected, others were lost before it; instruction cache, level 1, instruction fetch (status "
              "0xd000000000010151)");
}

TEST(MachineCheck, names_every_kind_of_code) {
    EXPECT_EQ(text_of_code(0x0000), "no error");
    EXPECT_EQ(text_of_code(0x0005), "internal parity");
    EXPECT_EQ(text_of_code(0x000e), "cache hierarchy, level 2");
    EXPECT_EQ(text_of_code(0x0015), "data TLB, level 1");
    EXPECT_EQ(text_of_code(0x00c2), "memory controller, scrub, channel 2");
    EXPECT_EQ(text_of_code(0x1135), "data cache, level 1, data read") << "bit 12: filtered";
    EXPECT_EQ(text_of_code(0x0400), "internal timer");
    EXPECT_EQ(text_of_code(0x0412), "internal, unclassified");
    EXPECT_EQ(text_of_code(0x0b13), "bus or interconnect, memory read, any level, responded here, timed out");
    EXPECT_EQ(text_of_code(0x0e0b), "bus or interconnect, I/O error, any level, generic");
    EXPECT_EQ(text_of_code(0x8000), "a code of no known kind");
}

} // namespace
} // namespace mxk::arch
