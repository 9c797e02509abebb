// Interrupts from devices: the I/O APIC (Intel 82093AA data sheet) and the two 8259s, which are only silenced.
#include "arch/x86_64/apic.hpp"
#include "arch/x86_64/interrupts.hpp"
#include "arch/x86_64/paging.hpp"
#include "arch/x86_64/registers.hpp"

namespace mxk::arch::apic {
namespace {

constexpr std::uint16_t controller1 = 0x20;
constexpr std::uint16_t controller2 = 0xa0;

void write_io_apic(std::byte* registers, std::uint32_t index, std::uint32_t value) {
    *reinterpret_cast<std::uint32_t volatile*>(registers) = index;
    *reinterpret_cast<std::uint32_t volatile*>(registers + 0x10) = value;
}

} // namespace

void route(InterruptLine const& line, unsigned vector, ApicId target) {
    constexpr std::uint32_t first_entry = 0x10; // two registers for each pin
    constexpr std::uint32_t low_active = 1 << 13;
    constexpr std::uint32_t level = 1 << 15;
    std::byte* const registers = map_device(line.io_apic, 0x20);
    std::uint32_t const entry = vector | (line.active_low ? low_active : 0) | (line.level_triggered ? level : 0);
    write_io_apic(registers, first_entry + 2 * line.pin + 1, static_cast<std::uint32_t>(target) << 24);
    write_io_apic(registers, first_entry + 2 * line.pin, entry);
}

void silence_legacy_controllers() {
    // Initialisation words: start, vector base, wiring, 8086 mode; then everything masked.
    out8(controller1, 0x11);
    out8(controller2, 0x11);
    out8(controller1 + 1, vector::legacy_first);
    out8(controller2 + 1, vector::legacy_first + 8);
    out8(controller1 + 1, 4);
    out8(controller2 + 1, 2);
    out8(controller1 + 1, 1);
    out8(controller2 + 1, 1);
    out8(controller1 + 1, 0xff);
    out8(controller2 + 1, 0xff);
}

} // namespace mxk::arch::apic
