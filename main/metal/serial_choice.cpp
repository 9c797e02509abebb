#include "main/metal/serial_choice.hpp"

#include "arch/x86_64/board/serial.hpp"
#include "base/format.hpp"
#include "base/log.hpp"
#include "kernel/acpi/serial_console.hpp"

namespace mxk::metal {
namespace serial = arch::serial;
namespace {

serial::Line line_of(acpi::SerialConsole const& found, serial::Line const& before) {
    if (!found.port) // its clock is not known, but firmware uses it as it is set
        return {
            .place = {.memory = found.memory, .access_bytes = found.access_bytes, .stride_bytes = found.stride_bytes},
            .irq = found.irq ? std::optional<unsigned>(*found.irq) : std::nullopt,
            .baud = 0};
    serial::Line wanted = serial::line_at(*found.port);
    if (found.irq) wanted.irq = *found.irq;
    wanted.baud = found.baud.value_or(before.baud);
    return wanted;
}

FixedText<48> place_of(serial::Line const& line) {
    FixedText<48> text;
    serial::print_place(text, line.place);
    return text;
}

void say(serial::Line const& line) {
    if (line.baud == 0)
        log::info("console: the serial line {}, at the rate that it has, which the firmware names (SPCR)",
                  place_of(line).view());
    else
        log::info("console: the serial line {}, {} baud, which the firmware names (SPCR)", place_of(line).view(),
                  line.baud);
}

} // namespace

void follow_firmware_console(acpi::Tables const& tables) {
    auto const found = acpi::serial_console(tables);
    if (!found) return;
    serial::Line const before = serial::line();
    serial::Line const wanted = line_of(*found, before);
    if (wanted.place == before.place && wanted.baud == before.baud) return;
    if (wanted.place.in_memory() && serial::map_registers(wanted.place, "ACPI: SPCR, base address") == nullptr) return;

    bool const was_present = serial::is_present();
    say(wanted);
    serial::open(wanted);
    if (serial::is_present()) {
        if (was_present) say(wanted); // on the other line, for those who look at that one
        return;
    }
    serial::open(before);
    log::warn("console: the firmware's serial line (SPCR) {} does not answer; staying {}", place_of(wanted).view(),
              place_of(before).view());
}

} // namespace mxk::metal
