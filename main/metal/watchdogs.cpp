#include "main/metal/watchdogs.hpp"

#include <span>
#include <string_view>

#include "arch/x86_64/board/bmc_watchdog.hpp"
#include "arch/x86_64/board/kcs_access.hpp"
#include "arch/x86_64/board/tco.hpp"
#include "arch/x86_64/cpu/registers.hpp"
#include "arch/x86_64/memory/paging.hpp"
#include "base/format.hpp"
#include "base/log.hpp"
#include "kernel/acpi/ipmi_interface.hpp"
#include "kernel/acpi/wdat.hpp"

namespace mxk::metal {
namespace {

// Registers at ports and in memory, where a device can be.
class Registers final : public acpi::RegisterAccess {
  public:
    FixedText<64> objection(acpi::GenericAddress const& place) override {
        if (place.space == acpi::memory_space)
            return arch::objection_to_device({PhysicalAddress{place.address}, acpi::access_bytes(place)},
                                             acpi::access_bytes(place));
        FixedText<64> why;
        if (place.space != acpi::io_space || place.address > 0xffff) format(why, "neither a port nor in memory");
        return why;
    }
    std::uint32_t read(acpi::GenericAddress const& place) override {
        unsigned const bytes = acpi::access_bytes(place);
        if (place.space == acpi::io_space) {
            auto const port = static_cast<std::uint16_t>(place.address);
            return bytes == 1 ? arch::in8(port) : bytes == 2 ? arch::in16(port) : arch::in32(port);
        }
        std::byte* const at = map(place);
        return bytes == 1   ? *reinterpret_cast<std::uint8_t volatile*>(at)
               : bytes == 2 ? *reinterpret_cast<std::uint16_t volatile*>(at)
                            : *reinterpret_cast<std::uint32_t volatile*>(at);
    }
    void write(acpi::GenericAddress const& place, std::uint32_t value) override {
        unsigned const bytes = acpi::access_bytes(place);
        if (place.space == acpi::io_space) return write_port(static_cast<std::uint16_t>(place.address), bytes, value);
        std::byte* const at = map(place);
        if (bytes == 1)
            *reinterpret_cast<std::uint8_t volatile*>(at) = static_cast<std::uint8_t>(value);
        else if (bytes == 2)
            *reinterpret_cast<std::uint16_t volatile*>(at) = static_cast<std::uint16_t>(value);
        else
            *reinterpret_cast<std::uint32_t volatile*>(at) = value;
    }

  private:
    static void write_port(std::uint16_t port, unsigned bytes, std::uint32_t value) {
        if (bytes == 1)
            arch::out8(port, static_cast<std::uint8_t>(value));
        else if (bytes == 2)
            arch::out16(port, static_cast<std::uint16_t>(value));
        else
            arch::out32(port, value);
    }
    // To which there was no objection.
    static std::byte* map(acpi::GenericAddress const& place) {
        unsigned const bytes = acpi::access_bytes(place);
        return arch::map_device("ACPI: WDAT, register", {PhysicalAddress{place.address}, bytes}, bytes);
    }
};

void stop_described(acpi::Tables const& tables) {
    Registers registers;
    switch (acpi::stop_watchdog(tables, registers)) {
    case acpi::WatchdogEnd::None: return;
    case acpi::WatchdogEnd::Stopped:
        return log::info("watchdogs: the one that firmware has started (WDAT) ran: it has been stopped");
    case acpi::WatchdogEnd::Runs:
        log::warn("watchdogs: the one that firmware has started (WDAT) runs and cannot be stopped: expect a reset; "
                  "switch it off in the firmware's settings");
    }
}

void stop_chip_sets() {
    std::uint16_t port = 0;
    switch (arch::tco::stop_this(port)) {
    case arch::tco::End::None: return;
    case arch::tco::End::Halted:
        return log::info("watchdogs: the chip set's (TCO, port 0x{:x}) ran: it has been halted", port);
    case arch::tco::End::NoReboot:
        return log::info(
            "watchdogs: the chip set's (TCO, port 0x{:x}) runs and is locked: it may not reset the machine "
            "any more",
            port);
    case arch::tco::End::Runs:
        log::warn(
            "watchdogs: the chip set's (TCO, port 0x{:x}) runs and firmware has locked it: expect a reset; switch "
            "it off in the firmware's settings",
            port);
    }
}

using acpi::IpmiInterface;

std::string_view name_of(IpmiInterface::Kind kind) {
    switch (kind) {
    case IpmiInterface::Kind::Kcs: return "KCS";
    case IpmiInterface::Kind::Smic: return "SMIC";
    case IpmiInterface::Kind::Bt: return "BT";
    case IpmiInterface::Kind::Ssif: break;
    }
    return "SSIF";
}

constexpr std::string_view advice = "'ipmitool mc watchdog off' stops it before the boot";

void report(arch::bmc::Watchdog const& watchdog, std::string_view place) {
    if (!watchdog.ran) return;
    if (watchdog.stopped)
        log::info("watchdogs: the management controller's (IPMI, KCS {}) ran, {:.1} s before {}: it has been stopped",
                  place, static_cast<double>(watchdog.tenths) / 10, arch::bmc::action_name(watchdog.action));
    else
        log::warn("watchdogs: the management controller's (IPMI, KCS {}) runs and does not stop, {:.1} s before {}; {}",
                  place, static_cast<double>(watchdog.tenths) / 10, arch::bmc::action_name(watchdog.action), advice);
}

MemoryRange registers_of(IpmiInterface const& found) {
    return {PhysicalAddress{found.address}, std::uint64_t{2} * found.spacing};
}

void stop_by_kcs(IpmiInterface const& found, std::string_view field) {
    FixedText<48> place;
    arch::kcs::Place registers{.spacing = found.spacing};
    if (found.in_memory) {
        registers.registers = arch::map_device(field, registers_of(found));
        if (registers.registers == nullptr) return;
        format(place, "in memory at {}", PhysicalAddress{found.address});
    } else {
        registers.port = static_cast<std::uint16_t>(found.address);
        format(place, "at port 0x{:x}", found.address);
    }
    auto const watchdog = arch::bmc::stop_watchdog(arch::kcs::access_to(registers));
    if (watchdog)
        report(watchdog.value(), place.view());
    else
        log::warn("watchdogs: whether the management controller's (IPMI, KCS {}) runs is not known: {}; {}",
                  place.view(), watchdog.error().message(), advice);
}

} // namespace

void stop_controllers_watchdog(acpi::Tables const& tables, std::span<std::byte const> smbios) {
    auto found = acpi::ipmi_interface(tables);
    bool const in_table = found.has_value();
    if (!found) found = acpi::ipmi_interface_in(smbios);
    if (!found) return;
    if (found->kind != IpmiInterface::Kind::Kcs)
        return log::info(
            "watchdogs: whether the management controller's runs is not known: it speaks {}, expected KCS; {}",
            name_of(found->kind), advice);
    stop_by_kcs(*found, in_table ? "ACPI: SPMI, base address" : "SMBIOS: type 38, base address");
}

void stop_watchdogs(acpi::Tables const& tables) {
    stop_described(tables);
    stop_chip_sets();
}

} // namespace mxk::metal
