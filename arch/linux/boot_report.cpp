#include "arch/boot_report.hpp"

#include <fstream>
#include <string>

#include "base/panic.hpp"

namespace mxk::arch {
namespace {

// The program's arguments, with a blank between them.
std::string own_command_line() {
    std::ifstream file("/proc/self/cmdline", std::ios::binary);
    std::string line;
    for (std::string word; std::getline(file, word, '\0');) line += (line.empty() ? "" : " ") + word;
    return line;
}

} // namespace

BootReport boot_report() {
    static std::string const line = own_command_line();
    return {.loader = {}, .command_line = line};
}

std::size_t firmware_range_count() {
    return 0;
}

FirmwareRange firmware_range(std::size_t /*i*/) {
    panic("a program has no map of the firmware's");
}

} // namespace mxk::arch
