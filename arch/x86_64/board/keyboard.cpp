#include "arch/x86_64/board/keyboard.hpp"

#include <cstdint>
#include <string_view>

#include "arch/x86_64/board/keyboard_ports.hpp"
#include "arch/x86_64/board/scan_codes.hpp"
#include "arch/x86_64/board/serial_ring.hpp"
#include "arch/x86_64/cpu/registers.hpp"

namespace mxk::arch::keyboard {
namespace {

constexpr int max_wait_turns = 20'000; // a port read takes about 1 us; the controller answers within milliseconds
constexpr int max_stale_bytes = 32;

constinit bool present = false;
constinit ScanCodes scan_codes;
constinit std::string_view pending; // made of the last scan code

bool wait_for(std::uint8_t bit, bool is_set) {
    for (int i = 0; i < max_wait_turns; ++i)
        if (((in8(status_port) & bit) != 0) == is_set) return true;
    return false;
}

bool command(std::uint8_t code) {
    if (!wait_for(input_full, false)) return false;
    out8(command_port, code);
    return true;
}

bool send(std::uint8_t byte) {
    if (!wait_for(input_full, false)) return false;
    out8(data_port, byte);
    return true;
}

std::optional<std::uint8_t> answer() {
    if (!wait_for(output_full, true)) return std::nullopt;
    return in8(data_port);
}

void drop_stale_bytes() {
    for (int i = 0; i < max_stale_bytes && (in8(status_port) & output_full) != 0; ++i) in8(data_port);
}

std::optional<char> next_of(std::optional<std::uint8_t> (*next_code)()) {
    while (pending.empty()) {
        auto const code = next_code();
        if (!code) return std::nullopt;
        pending = scan_codes.feed(*code);
    }
    char const byte = pending.front();
    pending.remove_prefix(1);
    return byte;
}

} // namespace

bool open() {
    constexpr std::uint8_t read_configuration = 0x20;
    constexpr std::uint8_t write_configuration = 0x60;
    constexpr std::uint8_t enable_keyboard = 0xae;
    constexpr std::uint8_t nothing_there = 0xff;
    // Of the configuration byte.
    constexpr unsigned keyboard_interrupt = 1U << 0;
    constexpr unsigned mouse_interrupt = 1U << 1;
    constexpr unsigned keyboard_clock_off = 1U << 4;
    constexpr unsigned translated = 1U << 6; // to set 1

    if (in8(status_port) == nothing_there) return false;
    drop_stale_bytes();
    if (!command(read_configuration)) return false;
    auto const before = answer();
    if (!before) return false;
    unsigned const wanted = (*before | keyboard_interrupt | translated) & ~(mouse_interrupt | keyboard_clock_off);
    present = command(enable_keyboard) && command(write_configuration) && send(static_cast<std::uint8_t>(wanted));
    drop_stale_bytes(); // a key that was pressed meanwhile would keep the interrupt from coming
    return present;
}

bool is_present() {
    return present;
}

std::optional<char> take() {
    return next_of([]() -> std::optional<std::uint8_t> {
        auto const code = received.take();
        return code ? std::optional(static_cast<std::uint8_t>(*code)) : std::nullopt;
    });
}

std::optional<char> poll() {
    if (!present) return std::nullopt;
    return next_of(&scan_code);
}

} // namespace mxk::arch::keyboard
