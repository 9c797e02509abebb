#include "main/metal/watchdogs.hpp"

#include "arch/x86_64/paging.hpp"
#include "arch/x86_64/registers.hpp"
#include "arch/x86_64/tco.hpp"
#include "base/log.hpp"
#include "base/range_overlap.hpp"
#include "kernel/acpi/wdat.hpp"

namespace mxk::metal {
namespace {

// Registers at ports and in memory, where no RAM is.
class Registers final : public acpi::RegisterAccess {
  public:
    explicit Registers(RangeSet const& ram)
        : ram_(ram) {}

    bool allows(acpi::GenericAddress const& place) override {
        if (place.space == acpi::io_space) return place.address <= 0xffff;
        return place.space == acpi::memory_space && place.address % acpi::access_bytes(place) == 0 &&
               !overlaps(ram_, {PhysicalAddress{place.address}, acpi::access_bytes(place)});
    }
    std::uint32_t read(acpi::GenericAddress const& place) override {
        unsigned const bytes = acpi::access_bytes(place);
        if (place.space == acpi::io_space) {
            auto const port = static_cast<std::uint16_t>(place.address);
            return bytes == 1 ? arch::in8(port) : bytes == 2 ? arch::in16(port) : arch::in32(port);
        }
        std::byte* const at = arch::map_device(PhysicalAddress{place.address}, bytes);
        return bytes == 1   ? *reinterpret_cast<std::uint8_t volatile*>(at)
               : bytes == 2 ? *reinterpret_cast<std::uint16_t volatile*>(at)
                            : *reinterpret_cast<std::uint32_t volatile*>(at);
    }
    void write(acpi::GenericAddress const& place, std::uint32_t value) override {
        unsigned const bytes = acpi::access_bytes(place);
        if (place.space == acpi::io_space) return write_port(static_cast<std::uint16_t>(place.address), bytes, value);
        std::byte* const at = arch::map_device(PhysicalAddress{place.address}, bytes);
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

    RangeSet const& ram_;
};

void stop_described(acpi::Tables const& tables, RangeSet const& ram) {
    Registers registers(ram);
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

} // namespace

void stop_watchdogs(acpi::Tables const& tables, RangeSet const& ram) {
    stop_described(tables, ram);
    stop_chip_sets();
}

} // namespace mxk::metal
