// Interrupts from devices: the I/O APIC (Intel 82093AA data sheet) and the two 8259s, which are only silenced.
#include "arch/x86_64/apic/apic.hpp"
#include "arch/x86_64/apic/apic_registers.hpp"
#include "arch/x86_64/cpu/registers.hpp"
#include "arch/x86_64/exceptions/interrupts.hpp"
#include "arch/x86_64/memory/paging.hpp"

namespace mxk::arch::apic {
namespace {

constexpr std::uint16_t controller1 = 0x20;
constexpr std::uint16_t controller2 = 0xa0;

constexpr std::uint32_t first_entry = 0x10; // two registers for each pin

std::uint32_t read_io_apic(std::byte* registers, std::uint32_t index) {
    *reinterpret_cast<std::uint32_t volatile*>(registers) = index;
    return *reinterpret_cast<std::uint32_t volatile*>(registers + 0x10);
}
void write_io_apic(std::byte* registers, std::uint32_t index, std::uint32_t value) {
    *reinterpret_cast<std::uint32_t volatile*>(registers) = index;
    *reinterpret_cast<std::uint32_t volatile*>(registers + 0x10) = value;
}

// Of one that pin_count() has found.
std::byte* registers_of(PhysicalAddress io_apic) {
    constexpr std::uint64_t bytes = 0x20;
    constexpr std::uint64_t alignment = 0x10;
    return map_device("ACPI: MADT, address of an I/O APIC", {io_apic, bytes}, alignment);
}

void write_entry(InterruptLine const& line, std::uint32_t low, ApicId target) {
    std::byte* const registers = registers_of(line.io_apic);
    std::uint32_t const entry = low | (line.active_low ? active_low : 0);
    write_io_apic(registers, first_entry + 2 * line.pin + 1, static_cast<std::uint32_t>(target) << 24);
    write_io_apic(registers, first_entry + 2 * line.pin, entry);
}

} // namespace

void route(InterruptLine const& line, unsigned vector, ApicId target) {
    constexpr std::uint32_t level = 1 << 15;
    write_entry(line, vector | (line.level_triggered ? level : 0), target);
}

void route_non_maskable(InterruptLine const& line, ApicId target) {
    write_entry(line, non_maskable, target);
}

std::uint32_t pin_count(PhysicalAddress io_apic) {
    constexpr std::uint32_t version = 1;
    constexpr std::uint32_t nobody = UINT32_MAX;
    std::byte* const registers = registers_of(io_apic);
    if (registers == nullptr) return 0;
    std::uint32_t const identity = read_io_apic(registers, version);
    return identity == nobody ? 0 : (identity >> 16 & 0xff) + 1;
}

std::optional<unsigned> mask_open_pins(PhysicalAddress io_apic) {
    constexpr std::uint32_t delivery_mode = 7 << 8;
    constexpr std::uint32_t system_management = 2 << 8;
    std::byte* const registers = registers_of(io_apic);
    if (registers == nullptr) return std::nullopt;
    unsigned count = 0;
    std::uint32_t const pins = pin_count(io_apic);
    for (std::uint32_t pin = 0; pin < pins; ++pin) {
        std::uint32_t const entry = read_io_apic(registers, first_entry + 2 * pin);
        if ((entry & masked) != 0 || (entry & delivery_mode) == system_management) continue;
        write_io_apic(registers, first_entry + 2 * pin, entry | masked);
        ++count;
    }
    return count;
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
