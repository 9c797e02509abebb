// Which processors count SMIs, their frequency and their throttling, and what their registers say: made-up processors.
#include "arch/x86_64/cpu/counter_registers.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "tests/unit/made_up_processor.hpp"

namespace mxk::arch {
namespace {

using namespace test;

constexpr std::uint32_t thermal = bit_of(Throttling::Thermal);

CounterRegisters of_intel(std::uint32_t signature, std::uint32_t power_eax = 0, std::uint32_t power_ecx = 0) {
    made_up_leaves = {
        {0, {0x16, genuine_intel, 0, 0}}, {1, {signature, 0, 0, 1U << 22}}, {6, {power_eax, 0, power_ecx, 0}}};
    return counter_registers(&ask_made_up);
}
CounterRegisters of_amd(std::uint32_t signature, std::uint32_t extended_ecx) {
    made_up_leaves = {{0, {0x10, authentic_amd, 0, 0}},
                      {1, {signature, 0, 0, 1U << 22}},
                      {6, {0, 0, 1, 0}},
                      {0x8000'0000, {0x8000'0020, 0, 0, 0}},
                      {0x8000'0001, {0, 0, extended_ecx, 0}}};
    return counter_registers(&ask_made_up);
}

TEST(CounterRegisters, intel_counts_smis_from_nehalem_and_silvermont_on) {
    EXPECT_TRUE(of_intel(0x106a5).smi_count) << "Nehalem";
    EXPECT_TRUE(of_intel(0x50654).smi_count) << "Skylake-X";
    EXPECT_TRUE(of_intel(0x30678).smi_count) << "Silvermont";
    EXPECT_FALSE(of_intel(0x106c2).smi_count) << "the first Atom";
    EXPECT_FALSE(of_intel(0x1067a).smi_count) << "Core 2";
    EXPECT_FALSE(of_intel(0x00f41).smi_count) << "Pentium 4";
    EXPECT_FALSE(of_amd(0x800f12, 1U << 23).smi_count) << "not Intel's";
}

TEST(CounterRegisters, amd_counts_smis_as_an_event_from_zen_on) {
    constexpr std::uint32_t extended_counters = 1U << 23;
    EXPECT_TRUE(of_amd(0x800f12, extended_counters).amd_events) << "Zen";
    EXPECT_TRUE(of_amd(0xa20f10, extended_counters).amd_events) << "Zen 3";
    EXPECT_FALSE(of_amd(0x800f12, 0).amd_events);
    EXPECT_FALSE(of_amd(0x600f20, extended_counters).amd_events) << "Piledriver";
    EXPECT_FALSE(of_amd(0x800f12, extended_counters).thermal_status) << "Intel's register";
    EXPECT_FALSE(of_intel(0x50654).amd_events);

    CounterRegisters const zen = of_amd(0x800f12, extended_counters);
    made_up_registers = {{msr::amd_event_select, amd_smi_event}, {msr::amd_event_count, 7}};
    EXPECT_EQ(read_counters(zen, &read_made_up).smis, 7U);
    made_up_registers[msr::amd_event_select] = amd_smi_event + 1; // it counts something else
    EXPECT_FALSE(read_counters(zen, &read_made_up).smis.has_value());
}

TEST(CounterRegisters, what_the_processor_lacks_is_not_read) {
    CounterRegisters const all = of_intel(0x50654, 0xff, 1);
    EXPECT_TRUE(all.any() && all.frequency && all.thermal_status && all.package_status);
    made_up_registers = {};
    CoreCounters const none = read_counters(all, &read_made_up);
    EXPECT_FALSE(none.smis || none.actual || none.throttled) << "all of them fault";

    made_up_leaves = {{0, {5, genuine_intel, 0, 0}}, {1, {0xf41, 0, 0, 1U << 22}}, {6, {0xff, 0, 1, 0}}};
    CounterRegisters const old = counter_registers(&ask_made_up);
    EXPECT_FALSE(old.any()) << "leaf 6 is above the highest one";
    made_up_registers = {{msr::smi_count, 1}, {msr::aperf, 2}, {msr::mperf, 3}, {msr::thermal_status, 2}};
    CoreCounters const nothing = read_counters(old, &read_made_up);
    EXPECT_FALSE(nothing.smis || nothing.actual || nothing.throttled);
}

TEST(CounterRegisters, values_are_those_of_the_registers) {
    CounterRegisters const all = of_intel(0x50654, 0xff, 1);
    made_up_registers = {{msr::smi_count, 12}, {msr::aperf, 300}, {msr::mperf, 200}, {msr::thermal_status, 0}};
    CoreCounters const read = read_counters(all, &read_made_up);
    EXPECT_EQ(read.smis, 12U);
    EXPECT_EQ(read.actual, 300U);
    EXPECT_EQ(read.reference, 200U);
    EXPECT_EQ(read.throttled, 0U);
    made_up_registers.erase(msr::mperf);
    EXPECT_FALSE(read_counters(all, &read_made_up).actual.has_value()) << "the one is nothing without the other";
}

std::uint32_t throttled_of(CounterRegisters const& registers, std::uint64_t core, std::uint64_t package) {
    made_up_registers = {{msr::thermal_status, core}, {msr::package_thermal_status, package}};
    return read_counters(registers, &read_made_up).throttled.value_or(UINT32_MAX);
}

TEST(CounterRegisters, throttling_is_now_or_since_it_was_cleared) {
    CounterRegisters const all = of_intel(0x50654, 1U << 4 | 1U << 6 | 1U << 7);
    EXPECT_EQ(throttled_of(all, 0, 0), 0U);
    EXPECT_EQ(throttled_of(all, 1U << 0, 0), thermal) << "now";
    EXPECT_EQ(throttled_of(all, 1U << 1, 0), thermal) << "before";
    EXPECT_EQ(throttled_of(all, 0, 1U << 1), thermal) << "another core of the package";
    EXPECT_EQ(throttled_of(all, 1U << 3, 0), bit_of(Throttling::External));
    EXPECT_EQ(throttled_of(all, 1U << 5, 0), bit_of(Throttling::Critical));
    EXPECT_EQ(throttled_of(all, 1U << 11, 0), bit_of(Throttling::PowerLimit));
    EXPECT_EQ(throttled_of(all, 0, 1U << 11), bit_of(Throttling::PowerLimit));
    EXPECT_EQ(throttled_of(all, 1U << 13, 0), bit_of(Throttling::CurrentLimit));
    EXPECT_EQ(throttled_of(all, 1U << 15, 0), bit_of(Throttling::OtherDomain));
    EXPECT_EQ(throttled_of(all, 0, 0xf << 12), 0U) << "reserved in the package's register";
    EXPECT_EQ(throttled_of(all, 0x803f'03c0, 0), 0U) << "thresholds, the reading, its validity";
    EXPECT_EQ(throttled_of(all, 1U << 1, 1U << 11), thermal | bit_of(Throttling::PowerLimit));
}

TEST(CounterRegisters, bits_that_cpuid_does_not_promise_mean_nothing) {
    CounterRegisters const plain = of_intel(0x1067a);
    EXPECT_EQ(throttled_of(plain, 0xfc00, UINT32_MAX), 0U);
    EXPECT_EQ(throttled_of(plain, 2, 0), thermal);
}

TEST(MaxGap, is_the_largest_between_two_readings) {
    std::vector<std::uint64_t> const readings{100, 110, 125, 900, 905, 1099, 1110, 5000};
    std::size_t at = 0;
    EXPECT_EQ(max_gap_of([&] { return readings[at++]; }, 1000), 775U);
    EXPECT_EQ(at, 7U) << "it ends as soon as the time is over";
}

} // namespace
} // namespace mxk::arch
