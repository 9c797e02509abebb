// Register offsets and bits of the local APIC: SDM vol. 3A table 11-1 and figure 11-12.
#pragma once

#include <cstddef>
#include <cstdint>

namespace mxk::arch::apic {

namespace offset {
constexpr std::uint32_t id = 0x20;
constexpr std::uint32_t task_priority = 0x80;
constexpr std::uint32_t end_of_interrupt = 0xb0;
constexpr std::uint32_t spurious_vector = 0xf0;
constexpr std::uint32_t in_service = 0x100; // a bit for each vector, 32 in each of eight registers
constexpr std::uint32_t error_status = 0x280;
constexpr std::uint32_t command_low = 0x300;
constexpr std::uint32_t command_high = 0x310;
constexpr std::uint32_t timer_vector = 0x320;
constexpr std::uint32_t line0_vector = 0x350;
constexpr std::uint32_t line1_vector = 0x360;
constexpr std::uint32_t initial_count = 0x380;
constexpr std::uint32_t current_count = 0x390;
constexpr std::uint32_t divide = 0x3e0;
} // namespace offset

// The interrupt command register.
constexpr std::uint32_t non_maskable = 4 << 8;
constexpr std::uint32_t init = 5 << 8;
constexpr std::uint32_t startup = 6 << 8;
constexpr std::uint32_t delivery_pending = 1 << 12;
constexpr std::uint32_t assert_level = 1 << 14;

constexpr std::uint32_t active_low = 1 << 13;
constexpr std::uint32_t masked = 1 << 16;
constexpr std::uint32_t tsc_deadline = 2 << 17; // the timer's mode; 0: one shot
constexpr std::uint32_t divide_by_16 = 3;

struct Mode {
    bool x2apic = false;
    std::byte* registers = nullptr; // xAPIC
};
extern constinit Mode mode;

// What the timer counts in a cycle of the time-stamp counter, times 2^32; 0: it is set by time stamps.
extern constinit std::uint64_t timer_ticks_per_cycle;

std::uint32_t read_register(std::uint32_t offset);
void write_register(std::uint32_t offset, std::uint32_t value);
void write_command(std::uint32_t target, std::uint32_t command);

} // namespace mxk::arch::apic
