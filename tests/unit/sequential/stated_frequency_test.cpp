// The frequency of the time-stamp counter as made-up processors and hypervisors say it.
#include "arch/x86_64/clock/stated_frequency.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace mxk::arch {
namespace {

std::map<std::uint32_t, CpuidResult> leaves;
std::map<std::uint32_t, std::uint64_t> registers; // those that are not in it fault
std::vector<std::pair<std::uint32_t, std::uint64_t>> written;
KvmClock clock_page{};
KvmClock host_writes{};
constexpr std::uint64_t page_address = 0x12'3440;

CpuidResult answer_of(std::uint32_t leaf, std::uint32_t /*subleaf*/) {
    return leaves.contains(leaf) ? leaves[leaf] : CpuidResult{};
}
std::optional<std::uint64_t> content_of(std::uint32_t number) {
    return registers.contains(number) ? std::optional(registers[number]) : std::nullopt;
}
bool write_register(std::uint32_t number, std::uint64_t value) {
    if (!registers.contains(number)) return false;
    written.emplace_back(number, value);
    if (value == (page_address | 1)) clock_page = host_writes;
    return true;
}

std::string stated() {
    auto const found = stated_tsc_frequency({&answer_of, &content_of, &write_register, &clock_page, page_address});
    return found ? std::string(found->source) + " " + std::to_string(found->hertz) : "";
}

constexpr CpuidResult is_guest{0, 0, 1U << 31, 0};
constexpr CpuidResult hyper_v{0x4000'000a, 0x7263'694d, 0x666f'736f, 0x7648'2074};
CpuidResult kvm(std::uint32_t last) {
    return {last, 0x4b4d'564b, 0x564b'4d56, 0x4d};
}

struct StatedFrequencyTest : testing::Test {
    StatedFrequencyTest() {
        leaves = {{0, {0xd, 0, 0, 0}}, {1, is_guest}};
        registers.clear();
        written.clear();
        clock_page = {};
        host_writes = {};
    }
};

TEST_F(StatedFrequencyTest, NobodySays) {
    EXPECT_EQ(stated(), "");
    leaves[0].eax = 0x16;
    leaves[0x16].eax = 2100;
    EXPECT_EQ(stated(), "") << "a nominal frequency says nothing of a counter that is not invariant";
}

TEST_F(StatedFrequencyTest, OfTheProcessor) {
    leaves[0].eax = 0x16;
    leaves[0x16].eax = 2100;
    leaves[0x8000'0000].eax = 0x8000'0008;
    leaves[0x8000'0007].edx = 1U << 8;
    EXPECT_EQ(stated(), "CPUID 16h 2100000000");
    leaves[0x15] = {2, 168, 25'000'000, 0};
    EXPECT_EQ(stated(), "CPUID 15h 2100000000");
    leaves[0x15].ecx = 0;
    EXPECT_EQ(stated(), "CPUID 16h 2100000000");
}

TEST_F(StatedFrequencyTest, OfAHypervisorsLeaf) {
    leaves[0x4000'0000] = kvm(0x4000'0010);
    leaves[0x4000'0010].eax = 2'894'561;
    EXPECT_EQ(stated(), "hypervisor 2894561000");
    leaves[1].ecx = 0;
    EXPECT_EQ(stated(), "") << "no hypervisor, whatever its leaves say";
}

TEST_F(StatedFrequencyTest, OfHyperV) {
    leaves[0x4000'0000] = hyper_v;
    leaves[0x4000'0001].eax = 0x3123'7648;
    leaves[0x4000'0003] = {1U << 11, 0, 0, 1U << 8};
    registers[0x4000'0022] = 2'593'905'000;
    EXPECT_EQ(stated(), "Hyper-V 2593905000");
    registers.clear();
    EXPECT_EQ(stated(), "") << "the register faults";
    registers[0x4000'0022] = 2'593'905'000;
    leaves[0x4000'0003].edx = 0;
    EXPECT_EQ(stated(), "");
    leaves[0x4000'0003] = {0, 0, 0, 1U << 8};
    EXPECT_EQ(stated(), "") << "no right to read it";
}

TEST_F(StatedFrequencyTest, OfKvmsClock) {
    leaves[0x4000'0000] = kvm(0x4000'0001);
    leaves[0x4000'0001].eax = 1U << 3 | 1U << 0;
    registers[0x4b56'4d01] = 0;
    host_writes = {.version = 2, .multiplier = 0xf3cf'3cf4, .shift = -1}; // what Linux' KVM has of 2.1 GHz
    EXPECT_EQ(stated(), "kvm-clock 2099999998");
    EXPECT_EQ(written, (decltype(written){{0x4b56'4d01, page_address | 1}, {0x4b56'4d01, 0}})) << "and ended";
    host_writes = {.version = 2, .multiplier = 0x8000'0000, .shift = 1};
    EXPECT_EQ(stated(), "kvm-clock 1000000000");
}

TEST_F(StatedFrequencyTest, OfKvmsClockBehindHyperVsName) {
    leaves[0x4000'0000] = hyper_v;
    leaves[0x4000'0100] = kvm(0x4000'0101);
    leaves[0x4000'0101].eax = 1U << 0;
    registers[0x12] = 0;
    host_writes = {.version = 6, .multiplier = 0x8000'0000, .shift = 1};
    EXPECT_EQ(stated(), "kvm-clock 1000000000");
    EXPECT_EQ(written.front().first, 0x12U) << "the register of old";
}

TEST_F(StatedFrequencyTest, AClockThatCannotBeReadIsNone) {
    leaves[0x4000'0000] = kvm(0x4000'0001);
    leaves[0x4000'0001].eax = 1U << 3;
    EXPECT_EQ(stated(), "") << "the register faults";
    registers[0x4b56'4d01] = 0;
    EXPECT_EQ(stated(), "") << "nothing was written";
    for (KvmClock const& wrong :
         {KvmClock{.version = 3, .multiplier = 0x8000'0000, .shift = 1},
          KvmClock{.version = 2, .multiplier = 0, .shift = 1}, KvmClock{.version = 2, .multiplier = 1, .shift = 100}}) {
        host_writes = wrong;
        EXPECT_EQ(stated(), "");
    }
    leaves[0x4000'0001].eax = 0;
    host_writes = {.version = 2, .multiplier = 0x8000'0000, .shift = 1};
    EXPECT_EQ(stated(), "") << "it has no clock";
}

} // namespace
} // namespace mxk::arch
