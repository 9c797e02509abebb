#include "kernel/acpi/dmar.hpp"

#include <cstdint>

#include "base/bytes.hpp"

namespace mxk::acpi {

bool opts_out_of_x2apic(Tables const& tables) {
    constexpr std::size_t flags = 37; // 1 byte, behind the header and the host address width
    constexpr std::uint8_t remaps_interrupts = 1 << 0;
    constexpr std::uint8_t opt_out = 1 << 1; // valid with the bit before only
    auto const found = read<std::uint8_t>(tables.find("DMAR"), flags).value_or(0);
    return (found & (remaps_interrupts | opt_out)) == (remaps_interrupts | opt_out);
}

} // namespace mxk::acpi
