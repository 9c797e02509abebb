// The watchdog of Intel's chip sets, in made-up chip sets.
#include "arch/x86_64/board/tco.hpp"

#include <gtest/gtest.h>

#include <map>
#include <tuple>

namespace mxk::arch::tco {
namespace {

struct ChipSet {
    std::map<std::pair<unsigned, unsigned>, std::uint32_t> config; // by function of device 31, and offset
    std::map<std::uint16_t, std::uint16_t> ports;
    std::map<std::uint64_t, std::uint32_t> memory;
    bool locked = false;      // the control register
    bool keeps_reset = false; // NO_REBOOT cannot be set

    std::uint32_t read_config(pci::Function where, std::uint8_t offset) {
        auto const found = config.find({where.function, offset});
        return where.bus != 0 || where.device != 31 || found == config.end() ? pci::nothing : found->second;
    }
    [[nodiscard]] Access access() {
        return {this,
                [](void* it, pci::Function where, std::uint8_t offset) {
                    return static_cast<ChipSet*>(it)->read_config(where, offset);
                },
                [](void* it, std::uint16_t port) {
                    auto const& known = static_cast<ChipSet*>(it)->ports;
                    auto const found = known.find(port);
                    return found == known.end() ? std::uint16_t{0xffff} : found->second;
                },
                [](void* it, std::uint16_t port, std::uint16_t value) {
                    auto& set = *static_cast<ChipSet*>(it);
                    if (!set.locked) set.ports[port] = value;
                },
                [](void* it, std::uint64_t address) { return static_cast<ChipSet*>(it)->memory[address]; },
                [](void* it, std::uint64_t address, std::uint32_t value) {
                    auto& set = *static_cast<ChipSet*>(it);
                    if (!set.keeps_reset) set.memory[address] = value;
                }};
    }
    std::pair<End, std::uint16_t> stopped() {
        std::uint16_t port = 0;
        End const end = stop(access(), port);
        return {end, port};
    }
};

constexpr std::uint64_t general_control = 0xfed1'f410;

ChipSet ich9(std::uint16_t control) {
    return {.config = {{{0, 0x00}, 0x2918'8086},
                       {{0, 0x08}, 0x0601'0002},
                       {{0, 0x40}, 0x601},
                       {{0, 0x44}, 0x80},
                       {{0, 0xf0}, 0xfed1'c001}},
            .ports = {{0x668, control}},
            .memory = {{general_control, 0}}};
}
ChipSet newer(std::uint16_t control) { // from the 100 series on
    return {.config = {{{0, 0x00}, 0xa144'8086},
                       {{0, 0x08}, 0x0601'0031},
                       {{4, 0x00}, 0xa123'8086},
                       {{4, 0x08}, 0x0c05'0031},
                       {{4, 0x50}, 0x401},
                       {{4, 0x54}, 0x100}},
            .ports = {{0x408, control}},
            .memory = {}};
}

using Expected = std::pair<End, std::uint16_t>;

TEST(Tco, one_that_runs_is_halted) {
    ChipSet old = ich9(0x0200);
    EXPECT_EQ(old.stopped(), Expected(End::Halted, 0x660));
    EXPECT_EQ(old.ports[0x668], 0x0a00) << "the other bits stay";
    EXPECT_EQ(old.memory[general_control], 0U);
    ChipSet late = newer(0x0100);
    EXPECT_EQ(late.stopped(), Expected(End::Halted, 0x400));
    EXPECT_EQ(late.ports[0x408], 0x0800) << "a pending NMI is not sent again";
}

TEST(Tco, one_that_is_halted_or_harmless_is_nothing) {
    EXPECT_EQ(ich9(0x0800).stopped().first, End::None);
    ChipSet harmless = ich9(0);
    harmless.memory[general_control] = 1U << 5;
    EXPECT_EQ(harmless.stopped().first, End::None);
}

TEST(Tco, one_that_is_locked_may_not_reset_the_machine) {
    ChipSet locked = ich9(0);
    locked.locked = true;
    EXPECT_EQ(locked.stopped(), Expected(End::NoReboot, 0x660));
    EXPECT_EQ(locked.memory[general_control], 1U << 5);
    locked = ich9(0);
    locked.locked = locked.keeps_reset = true;
    EXPECT_EQ(locked.stopped().first, End::Runs);
    locked = newer(0);
    locked.locked = true;
    EXPECT_EQ(locked.stopped(), Expected(End::Runs, 0x400)) << "its NO_REBOOT is out of reach";
}

TEST(Tco, where_there_is_none_nothing_is_touched) {
    EXPECT_EQ(ChipSet().stopped().first, End::None);
    for (auto const& [offset, value] : {std::pair(0x00U, 0x2918'1022U), std::pair(0x08U, 0x0680'0000U),
                                        std::pair(0x40U, 0x1U), std::pair(0x44U, 0U)}) {
        ChipSet other = ich9(0);
        other.config[{0, offset}] = value;
        EXPECT_EQ(other.stopped().first, End::None) << offset;
        EXPECT_EQ(other.ports[0x668], 0);
    }
    EXPECT_EQ(ich9(0xffff).stopped().first, End::None) << "nobody answers at the port";
}

} // namespace
} // namespace mxk::arch::tco
