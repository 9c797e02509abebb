#include "arch/x86_64/board/tco.hpp"

namespace mxk::arch::tco {
namespace {

constexpr pci::Function lpc_bridge{0, 31, 0};
constexpr pci::Function smbus_controller{0, 31, 4};

constexpr std::uint32_t class_lpc = 0x0601;
constexpr std::uint32_t class_smbus = 0x0c05;

struct Place {
    std::uint16_t port;
    std::optional<std::uint64_t> general_control; // the register with NO_REBOOT
};

bool is_intels(Access const& access, pci::Function where, std::uint32_t wanted_class) {
    constexpr std::uint32_t intel = 0x8086;
    return (access.config(access.context, where, 0x00) & 0xffff) == intel &&
           access.config(access.context, where, 0x08) >> 16 == wanted_class;
}

std::optional<Place> in_smbus_controller(Access const& access) {
    constexpr std::uint32_t enabled = 1 << 8; // of TCOCTL
    if (!is_intels(access, smbus_controller, class_smbus)) return std::nullopt;
    std::uint32_t const base = access.config(access.context, smbus_controller, 0x50) & 0xffe0;
    bool const is_on = (access.config(access.context, smbus_controller, 0x54) & enabled) != 0;
    if (!is_on || base == 0) return std::nullopt;
    return Place{static_cast<std::uint16_t>(base), std::nullopt};
}

std::optional<Place> in_lpc_bridge(Access const& access) {
    constexpr std::uint32_t acpi_enabled = 1 << 7; // of ACPI_CNTL
    constexpr std::uint16_t tco_offset = 0x60;
    constexpr std::uint64_t general_control_offset = 0x3410;
    if (!is_intels(access, lpc_bridge, class_lpc)) return std::nullopt;
    std::uint32_t const base = access.config(access.context, lpc_bridge, 0x40);
    bool const is_port = (base & 1) != 0 && (base & 0xff80) != 0;
    if (!is_port || (access.config(access.context, lpc_bridge, 0x44) & acpi_enabled) == 0) return std::nullopt;
    Place place{static_cast<std::uint16_t>((base & 0xff80) + tco_offset), std::nullopt};
    std::uint32_t const root_complex = access.config(access.context, lpc_bridge, 0xf0);
    if ((root_complex & 1) != 0) place.general_control = (root_complex & 0xffff'c000) + general_control_offset;
    return place;
}

} // namespace

End stop(Access const& access, std::uint16_t& port) {
    constexpr std::uint16_t control = 8; // TCO1_CNT
    constexpr std::uint16_t halted = 1 << 11;
    constexpr std::uint16_t nmi_now = 1 << 8; // cleared by writing 1
    constexpr std::uint32_t no_reboot = 1 << 5;
    auto place = in_smbus_controller(access);
    if (!place) place = in_lpc_bridge(access);
    if (!place) return End::None;
    port = place->port;
    auto const control_port = static_cast<std::uint16_t>(port + control);
    std::uint16_t const before = access.read16(access.context, control_port);
    if (before == UINT16_MAX || (before & halted) != 0) return End::None;
    auto const cannot_reset = [&] {
        return place->general_control && (access.read_memory(access.context, *place->general_control) & no_reboot) != 0;
    };
    bool const was_harmless = cannot_reset();
    access.write16(access.context, control_port, static_cast<std::uint16_t>((before & ~nmi_now) | halted));
    if (was_harmless) return End::None;
    if ((access.read16(access.context, control_port) & halted) != 0) return End::Halted;
    if (!place->general_control) return End::Runs;
    access.write_memory(access.context, *place->general_control,
                        access.read_memory(access.context, *place->general_control) | no_reboot);
    return cannot_reset() ? End::NoReboot : End::Runs;
}

} // namespace mxk::arch::tco
