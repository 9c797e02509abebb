#include "kernel/acpi/dmar.hpp"

#include <cstdint>

#include "base/bytes.hpp"

namespace mxk::acpi {
namespace {

struct [[gnu::packed]] Dmar {
    std::uint8_t address_width; // 36
    std::uint8_t flags;         // 37
};
static_assert(sizeof(Dmar) == 2);

} // namespace

bool opts_out_of_x2apic(Tables const& tables) {
    constexpr std::uint8_t remaps_interrupts = 1 << 0;
    constexpr std::uint8_t opt_out = 1 << 1; // valid with the bit before only
    auto const found = read<Dmar>(tables.find("DMAR"), table_header_bytes).value_or(Dmar{}).flags;
    return (found & (remaps_interrupts | opt_out)) == (remaps_interrupts | opt_out);
}

} // namespace mxk::acpi
