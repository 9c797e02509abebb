#include "kernel/acpi/serial_console.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include "base/bytes.hpp"
#include "kernel/acpi/generic_address.hpp"

namespace mxk::acpi {
namespace {

struct [[gnu::packed]] Spcr {
    std::uint8_t interface;               // 36
    std::array<std::uint8_t, 3> reserved; // 37
    GenericAddress address;               // 40
    std::uint8_t interrupt_type;          // 52: bit 0: the IRQ is that of two 8259
    std::uint8_t irq;                     // 53
    std::uint32_t global_interrupt;       // 54
    std::uint8_t baud;                    // 58
};
static_assert(sizeof(Spcr) == 23);

// What is register by register a 16550: "full 16550", "16550 subset" (16450), "16550 with generic address".
bool is_16550(std::uint8_t interface) {
    return interface == 0 || interface == 1 || interface == 0x12;
}

std::optional<std::uint32_t> baud_of(std::uint8_t code) {
    switch (code) {
    case 3: return 9600;
    case 4: return 19200;
    case 6: return 57600;
    case 7: return 115200;
    default: return std::nullopt;
    }
}

} // namespace

std::optional<SerialConsole> serial_console(Tables const& tables) {
    auto const table = tables.find_only("SPCR");
    auto const found = read<Spcr>(table, table_header_bytes);
    if (!found) {
        if (!table.empty()) tables.warnings().warn("ACPI: SPCR of {} bytes; it is not read", table.size());
        return std::nullopt;
    }
    GenericAddress const address = found->address;
    if (address.address == 0) return std::nullopt;
    bool const is_port = address.space == io_space && address.address <= 0xffff;
    if (!is_16550(found->interface) || (!is_port && address.space != memory_space)) {
        tables.warnings().warn(
            "ACPI: SPCR names a serial line of interface type {} in address space {}, expected a 16550 "
            "at a port or in memory; it is not used",
            found->interface, address.space);
        return std::nullopt;
    }
    SerialConsole result;
    if (is_port) {
        result.port = static_cast<std::uint16_t>(address.address);
    } else {
        result.memory = PhysicalAddress{address.address};
        result.access_bytes = static_cast<std::uint8_t>(access_bytes(address));
        if (result.access_bytes == 0 || address.bit_width > 32 || address.address % result.access_bytes != 0) {
            tables.warnings().warn("ACPI: SPCR names a serial line with registers of {} bits, access size {}, at {}, "
                                   "expected 8, 16 or 32 bits, aligned; it is not used",
                                   address.bit_width, address.access_size, result.memory);
            return std::nullopt;
        }
        result.stride_bytes = std::max(static_cast<std::uint8_t>(address.bit_width / 8), result.access_bytes);
    }
    if ((found->interrupt_type & 1) != 0) result.irq = found->irq;
    result.baud = baud_of(found->baud);
    return result;
}

} // namespace mxk::acpi
