#include "main/metal/serial_choice.hpp"

#include <cstdint>

#include "arch/x86_64/serial.hpp"
#include "base/log.hpp"
#include "base/units.hpp"
#include "kernel/acpi/serial_console.hpp"

namespace mxk::metal {
namespace serial = arch::serial;
namespace {

// As addresses are shown.
PhysicalAddress in_hexadecimal(std::uint16_t port) {
    return PhysicalAddress{port};
}

} // namespace

void follow_firmware_console(acpi::Tables const& tables) {
    auto const found = acpi::serial_console(tables);
    if (!found) return;
    if (!found->port) {
        log::warn(
            "console: the firmware's serial line (SPCR) has its registers in memory, at {}, expected a port; it is "
            "not used",
            found->memory);
        return;
    }
    serial::Line const before = serial::line();
    serial::Line wanted = serial::line_at(*found->port);
    if (found->irq) wanted.irq = *found->irq;
    wanted.baud = found->baud.value_or(before.baud);
    if (wanted.port == before.port && wanted.baud == before.baud) return;

    auto const say = [&] {
        log::info("console: the serial line at port {}, {} baud, which the firmware names (SPCR)",
                  in_hexadecimal(wanted.port), wanted.baud);
    };
    bool const was_present = serial::is_present();
    say();
    serial::open(wanted);
    if (serial::is_present()) {
        if (was_present) say(); // on the other line, for those who look at that one
        return;
    }
    serial::open(before);
    log::warn("console: the firmware's serial line (SPCR) at port {} does not answer; staying at port {}",
              in_hexadecimal(wanted.port), in_hexadecimal(before.port));
}

} // namespace mxk::metal
