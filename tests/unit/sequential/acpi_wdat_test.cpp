// WDAT: instructions on made-up registers.
#include "kernel/acpi/wdat.hpp"

#include <gtest/gtest.h>

#include <map>

#include "tests/unit/acpi_image.hpp"

namespace mxk::acpi_test {
namespace {

using acpi::WatchdogEnd;

struct Instruction {
    std::uint8_t action = 8;
    std::uint8_t what = 0;
    std::uint8_t space = 1;
    std::uint8_t access_size = 2;
    std::uint8_t bit_offset = 11;
    std::uint64_t address = 0x668;
    std::uint32_t value = 0;
    std::uint32_t mask = 1;
};
// The timer's control register as on ICH9: it runs while bit 11 is 0; all other bits stay.
constexpr Instruction query{};
constexpr Instruction halt{.action = 11, .what = 0x82, .value = 1};

Bytes wdat(std::vector<Instruction> const& instructions, std::uint8_t flags = 1) {
    Bytes body(32);
    put(body, 0, std::uint32_t{32});
    put(body, 24, flags);
    put(body, 28, static_cast<std::uint32_t>(instructions.size()));
    for (Instruction const& each : instructions) {
        Bytes entry(24);
        put(entry, 0, each.action);
        put(entry, 1, each.what);
        put(entry, 4, each.space);
        put(entry, 5, std::uint8_t{16});
        put(entry, 6, each.bit_offset);
        put(entry, 7, each.access_size);
        put(entry, 8, each.address);
        put(entry, 16, each.value);
        put(entry, 20, each.mask);
        body.insert(body.end(), entry.begin(), entry.end());
    }
    return table("WDAT", 1, {}, body);
}

struct MadeUpRegisters final : acpi::RegisterAccess {
    std::map<std::uint64_t, std::uint32_t> values{{0x668, 0x0203}};
    bool obeys = true;
    int writes = 0;

    FixedText<64> objection(acpi::GenericAddress const& place) override {
        FixedText<64> why;
        if (!values.contains(std::uint64_t{place.address})) format(why, "where nothing is");
        return why;
    }
    std::uint32_t read(acpi::GenericAddress const& place) override { return values[std::uint64_t{place.address}]; }
    void write(acpi::GenericAddress const& place, std::uint32_t value) override {
        ++writes;
        if (obeys) values[std::uint64_t{place.address}] = value;
    }
};

WatchdogEnd end_of(Bytes const& table, MadeUpRegisters& registers) {
    Firmware firmware({table});
    return acpi::stop_watchdog(firmware.tables(), registers);
}

TEST(AcpiWdat, a_watchdog_that_runs_is_stopped) {
    LogCapture const log;
    MadeUpRegisters registers;
    EXPECT_EQ(end_of(wdat({query, {.action = 9, .what = 0x82}, halt}), registers), WatchdogEnd::Stopped);
    EXPECT_EQ(registers.values[0x668], 0x0a03U) << "the other bits stay";
    EXPECT_EQ(registers.writes, 1) << "it is not started before";
    EXPECT_EQ(log.warnings(), no_warnings);
}

TEST(AcpiWdat, one_that_does_not_run_is_left_alone) {
    MadeUpRegisters registers;
    registers.values[0x668] = 0x0800;
    EXPECT_EQ(end_of(wdat({query, halt}), registers), WatchdogEnd::None);
    EXPECT_EQ(end_of(wdat({halt}, 0), registers), WatchdogEnd::None) << "it cannot be asked: the flag says it";
    EXPECT_EQ(registers.writes, 0);
    EXPECT_EQ(acpi::stop_watchdog(acpi::Tables(), registers), WatchdogEnd::None);
}

TEST(AcpiWdat, one_that_goes_on_is_told) {
    MadeUpRegisters registers;
    registers.obeys = false;
    EXPECT_EQ(end_of(wdat({query, halt}), registers), WatchdogEnd::Runs);
    registers.obeys = true;
    EXPECT_EQ(end_of(wdat({query}), registers), WatchdogEnd::Runs) << "no way to stop it";
    EXPECT_EQ(end_of(wdat({halt}), registers), WatchdogEnd::Runs) << "no way to ask it afterwards";
}

TEST(AcpiWdat, without_preserving_the_register_is_written_as_a_whole) {
    MadeUpRegisters registers;
    EXPECT_EQ(end_of(wdat({query, {.action = 11, .what = 2, .value = 1}}), registers), WatchdogEnd::Stopped);
    EXPECT_EQ(registers.values[0x668], 0x0800U);
}

TEST(AcpiWdat, instructions_that_cannot_be_are_told_and_none_is_carried_out) {
    Instruction elsewhere = halt;
    elsewhere.address = 0x700;
    Instruction wide = halt;
    wide.access_size = 4;
    Instruction far_bit = halt;
    far_bit.bit_offset = 32;
    Instruction countdown = halt;
    countdown.what = 3;
    for (Instruction const& wrong : {elsewhere, wide, far_bit, countdown}) {
        LogCapture const log;
        MadeUpRegisters registers;
        EXPECT_EQ(end_of(wdat({query, wrong, halt}), registers), WatchdogEnd::None);
        EXPECT_EQ(registers.writes, 0);
        std::string const why = wrong.address != halt.address ? ", its register is at 0x700, where nothing is" : "";
        EXPECT_EQ(log.warnings(), std::vector<std::string>{"ACPI: WDAT of 140 bytes with 3 entries: entry 1 cannot be "
                                                           "carried out" +
                                                           why + "; none is"});
    }
    LogCapture const log;
    MadeUpRegisters registers;
    Bytes many = wdat({query, halt});
    put(many, 64, std::uint32_t{0xffff'ffff});
    fix_checksum(many);
    EXPECT_EQ(end_of(many, registers), WatchdogEnd::None);
    EXPECT_EQ(end_of(table("WDAT", 1, {}, Bytes(31)), registers), WatchdogEnd::None);
    EXPECT_EQ(log.warnings(),
              (std::vector<std::string>{
                  "ACPI: WDAT of 116 bytes with 4294967295 entries: entry 2 cannot be carried out; none is",
                  "ACPI: WDAT of 67 bytes; it is not read"}));
}

} // namespace
} // namespace mxk::acpi_test
