#include "main/metal/command_line.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/log.hpp"
#include "boot/boot_info.hpp"

namespace mxk::metal {
namespace {

constexpr std::array<std::string_view, 9> options = {
    "run", "serial", "columns", "apic", "calibrate", "module-name", "acpi-image", "tsc-fault", "phantom-core"};

} // namespace

void check_command_line(std::string_view command_line) {
    std::array<bool, options.size()> seen{};
    boot::CommandWords words(command_line);
    while (auto const word = words.next()) {
        std::size_t const equals = word->find('=');
        auto const* const found = std::find(options.begin(), options.end(), word->substr(0, equals));
        if (found == options.end()) {
            log::warn(
                "command line: expected NAME=VALUE with one of run, serial, columns, apic, calibrate, module-name, "
                "acpi-image, tsc-fault, phantom-core, got '{:.60}': it is ignored",
                *word);
        } else if (equals >= word->size() - 1) {
            log::warn("command line: expected a value behind '{}=': it is ignored", *found);
        } else if (std::exchange(seen[static_cast<std::size_t>(found - options.begin())], true)) {
            log::warn("command line: expected '{}=' once, got it again: '{:.60}' is ignored", *found, *word);
        }
    }
}

} // namespace mxk::metal
