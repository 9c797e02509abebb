// Which processors count which events, by which registers, and what their values mean: made-up processors.
#include "arch/x86_64/cpu/event_registers.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "arch/cpuid/event_codes.hpp"
#include "tests/unit/made_up_processor.hpp"

namespace mxk::arch {
namespace {

using namespace test;

// Leaf 0Ah: version, general counters, their width, what is absent, fixed counters.
void make_intel(std::uint32_t signature, unsigned version = 4, unsigned counters = 4, unsigned width = 48,
                std::uint32_t absent = 0, unsigned fixed = 3) {
    made_up_leaves = {{0, {0x16, genuine_intel, 0, 0}},
                      {1, {signature, 0, 0, 0}},
                      {0xa, {version | counters << 8 | width << 16 | 7U << 24, absent, 0, fixed}}};
}
void make_amd(std::uint32_t signature, std::uint32_t extended_ecx = 1U << 23) {
    made_up_leaves = {{0, {0x10, authentic_amd, 0, 0}},
                      {1, {signature, 0, 0, 0}},
                      {6, {0, 0, 1, 0}},
                      {0x8000'0000, {0x8000'0020, 0, 0, 0}},
                      {0x8000'0001, {0, 0, extended_ecx, 0}}};
}

// By Event: "cycles instructions L2 L3 remote branch", each "-" where it has no register.
std::string counters_of(EventRegisters const& registers) {
    std::string text;
    for (std::uint32_t const number : registers.counters) {
        char hex[16];
        std::snprintf(hex, sizeof hex, "%x ", number);
        text += number == 0 ? "- " : hex;
    }
    return text;
}
std::string settings_of(EventRegisters const& registers) {
    std::string text;
    for (std::size_t i = 0; i < registers.setting_count; ++i) {
        char hex[48];
        std::snprintf(hex, sizeof hex, "%x=%llx ", registers.settings[i].number,
                      static_cast<unsigned long long>(registers.settings[i].value));
        text += hex;
    }
    return text;
}

TEST(EventRegisters, a_server_of_intel_counts_six_events_by_four_general_counters_and_two_fixed_ones) {
    make_intel(0xc06f2); // Emerald Rapids
    EventRegisters const found = event_registers(&ask_made_up);
    EXPECT_EQ(counters_of(found), "30a 309 c1 c2 c3 c4 ");
    EXPECT_EQ(settings_of(found), "186=433f24 187=43412e 188=430ed3 189=4300c5 38d=33 38f=30000000f ");
}

TEST(EventRegisters, another_intel_counts_the_architectural_ones) {
    make_intel(0x306c3); // Haswell
    EXPECT_EQ(counters_of(event_registers(&ask_made_up)), "30a 309 - c1 - c2 ");
    make_intel(0x306c3, 4, 4, 48, 1U << 4 | 1U << 6);
    EXPECT_EQ(counters_of(event_registers(&ask_made_up)), "30a 309 - - - - ") << "leaf 0Ah says that they are absent";
    make_intel(0x306c3, 2, 2, 40, 0, 0);
    EXPECT_EQ(counters_of(event_registers(&ask_made_up)), "c1 c2 - - - - ") << "no more events than counters";
    EXPECT_EQ(settings_of(event_registers(&ask_made_up)), "186=43003c 187=4300c0 38f=3 ");
}

TEST(EventRegisters, where_nothing_is_known_nothing_is_written) {
    make_intel(0x6f2, 1);
    EXPECT_EQ(event_registers(&ask_made_up).setting_count, 0U) << "version 1 has no global control";
    make_intel(0x50654, 0);
    EXPECT_EQ(event_registers(&ask_made_up).setting_count, 0U) << "as under a hypervisor without counters";
    make_intel(0x50654, 4, 4, 255);
    EXPECT_EQ(event_registers(&ask_made_up).setting_count, 0U) << "a width that cannot be";
    made_up_leaves[0].eax = 9;
    EXPECT_EQ(event_registers(&ask_made_up).setting_count, 0U) << "leaf 0Ah is above the highest one";
    make_amd(0x600f20); // Piledriver
    EXPECT_EQ(event_registers(&ask_made_up).setting_count, 0U);
    make_amd(0xa20f10, 0);
    EXPECT_EQ(event_registers(&ask_made_up).setting_count, 0U) << "Zen 3 without the six counters, as in QEMU";
    made_up_leaves = {};
    EXPECT_EQ(event_registers(&ask_made_up).setting_count, 0U);
}

TEST(EventRegisters, amd_counts_from_zen_on_and_leaves_the_counter_of_smis_alone) {
    make_amd(0xa20f10); // Zen 3
    EventRegisters const zen3 = event_registers(&ask_made_up);
    EXPECT_EQ(counters_of(zen3), "e8 c0010201 c0010203 c0010205 c0010207 c0010209 ");
    EXPECT_EQ(settings_of(zen3), "c0010200=4300c0 c0010202=430964 c0010204=435c44 c0010206=435044 c0010208=4300c3 ");
    for (std::size_t i = 0; i < zen3.setting_count; ++i) EXPECT_NE(zen3.settings[i].number, msr::amd_event_select);
    make_amd(0x830f10); // Zen 2
    EXPECT_EQ(settings_of(event_registers(&ask_made_up)),
              "c0010200=4300c0 c0010202=430964 c0010204=435843 c0010206=435043 c0010208=4300c3 ");
    made_up_leaves.erase(6);
    EXPECT_EQ(event_registers(&ask_made_up).counters[0], 0U) << "no IA32_APERF";
}

TEST(EventRegisters, counts_are_differences_in_the_width_of_a_counter) {
    make_intel(0x306c3, 3, 4, 40);
    EventRegisters const found = event_registers(&ask_made_up);
    made_up_registers = {{0x186, 0}, {0x187, 0}, {0x38d, 0}, {0x38f, 0}};
    EXPECT_TRUE(start_counting(found, &write_made_up));
    EXPECT_EQ(made_up_registers[0x38f], 0x3'0000'0003U);
    made_up_registers = {{0x30a, 100}, {0x309, 0xff'ffff'fff0}, {0xc1, 5}, {0xc2, 6}};
    EventReading const before = read_registers(found, &read_made_up);
    made_up_registers = {{0x30a, 350}, {0x309, 0x10}, {0xc1, 5}, {0xc2, 16}};
    EventCounts const counts = counted_between(found, before, read_registers(found, &read_made_up));
    EXPECT_EQ(counts[static_cast<std::size_t>(Event::Cycles)], 250U);
    EXPECT_EQ(counts[static_cast<std::size_t>(Event::Instructions)], 0x20U) << "it has gone round";
    EXPECT_EQ(counts[static_cast<std::size_t>(Event::L3Misses)], 0U);
    EXPECT_EQ(counts[static_cast<std::size_t>(Event::BranchMisses)], 10U);
    EXPECT_FALSE(counts[static_cast<std::size_t>(Event::L2Misses)].has_value());
    EXPECT_FALSE(counts[static_cast<std::size_t>(Event::PageFaults)].has_value());
}

TEST(EventCounters, events_that_took_turns_are_scaled_and_those_that_were_never_counted_are_none) {
    EventReading first;
    EventReading last;
    first.counts.fill(50);
    first.wanted.fill(1000);
    first.counted.fill(1000);
    last.counts.fill(250);
    last.wanted.fill(5000);
    last.counted = {5000, 2000, 1000, 5000, 5000, 5000, 5000, 5000, 5000};
    EventCounts const counts = counted_between(first, last);
    EXPECT_EQ(counts[0], 200U) << "all of the time";
    EXPECT_EQ(counts[1], 800U) << "a quarter of the time";
    EXPECT_FALSE(counts[2].has_value()) << "never";
}

TEST(EventRegisters, a_processor_that_refuses_a_setting_counts_nothing) {
    make_intel(0x306c3);
    made_up_registers = {{0x186, 0}};
    EXPECT_FALSE(start_counting(event_registers(&ask_made_up), &write_made_up));
}

} // namespace
} // namespace mxk::arch
