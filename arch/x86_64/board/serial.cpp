#include "arch/x86_64/board/serial.hpp"

#include <atomic>
#include <utility>

#include "arch/cpu.hpp"
#include "arch/screen.hpp"
#include "arch/terminal.hpp"
#include "arch/x86_64/board/keyboard.hpp"
#include "arch/x86_64/board/screen.hpp"
#include "arch/x86_64/board/serial_ring.hpp"
#include "arch/x86_64/board/uart_probe.hpp"
#include "arch/x86_64/cpu/registers.hpp"
#include "arch/x86_64/exceptions/interrupts.hpp"
#include "arch/x86_64/memory/paging.hpp"
#include "base/format.hpp"
#include "base/spin_lock.hpp"
#include "base/text.hpp"

namespace mxk::arch {
namespace serial {
namespace {

using namespace uart;

// Bits of the PC16550D's registers.
constexpr std::uint8_t divisor_access = 0x80;
constexpr std::uint8_t eight_bits = 0x03;
constexpr std::uint8_t ready_with_interrupt = 0x0b; // DTR, RTS, OUT2 (gates the interrupt line)
constexpr std::uint8_t data_ready = 0x01;
constexpr std::uint8_t transmitter_empty = 0x20;

// How long the other end may take nothing before output is given up: some seconds on any processor, whose frequency is
// not known here. Sixteen characters take 1.4 ms at 115200 baud and 130 ms at 1200; a terminal may stop a line at will.
constexpr std::uint64_t patience = 8'000'000'000; // cycles
constexpr int fifo_bytes = 16;

constinit Line current{};
constinit std::byte* mapped = nullptr; // its registers, if they are in memory
constinit bool present = false;
constinit int send_buffer = 1; // characters that the UART takes at once when it is empty
constinit std::size_t columns = 80;
constinit int room = 0;         // how many of them it certainly takes now
constinit std::size_t lost = 0; // since the other end takes none: then nothing waits for it any more

void set(std::uint16_t offset, std::uint8_t value) {
    write_uart(current.place, mapped, offset, value);
}
std::uint8_t get(std::uint16_t offset) {
    return read_uart(current.place, mapped, offset);
}

bool wait_until_sent() {
    std::uint64_t const start = raw(timestamp());
    while ((get(line_status) & transmitter_empty) == 0) {
        if (lost > 0 || raw(timestamp()) - start > patience) return false;
    }
    return true;
}

void send(char character) {
    if (room == 0) {
        if (!wait_until_sent()) {
            ++lost;
            return;
        }
        room = send_buffer;
        if (lost > 0) {
            FixedText<64> note;
            format(note, "\n[{} characters are lost: this line took none]\n", std::exchange(lost, 0));
            write_unlocked(note.view());
        }
    }
    --room;
    set(data, static_cast<std::uint8_t>(character));
}

} // namespace

void set_columns(std::size_t count) {
    columns = count;
}
std::size_t columns_at_its_end() {
    return columns;
}

std::byte* map_registers(UartPlace const& place, std::string_view field) {
    return map_device(field, {place.memory, place.bytes()}, place.access_bytes);
}

void open(Line const& line) {
    if (line.place.in_memory()) mapped = map_registers(line.place, "serial line");
    current = line;
    set(line_control, eight_bits); // of what it is now, the divisor may be accessible
    set(interrupt_enable, 0);
    if (line.baud != 0) {
        auto const divisor = static_cast<std::uint16_t>(base_baud / line.baud);
        set(line_control, divisor_access);
        set(data, static_cast<std::uint8_t>(divisor));
        set(interrupt_enable, static_cast<std::uint8_t>(divisor >> 8));
        set(line_control, eight_bits);
    }
    set(fifo_control, 0x07); // on, both cleared; an interrupt for the first byte
    send_buffer =
        (get(fifo_control) & 0xc0) == 0xc0 ? fifo_bytes : 1; // read, the register tells whether there are FIFOs
    room = 0;
    constexpr UartRegisters registers{nullptr, [](void*, std::uint16_t offset) { return get(offset); },
                                      [](void*, std::uint16_t offset, std::uint8_t value) { set(offset, value); }};
    present = is_uart(registers) || line.force;
    set(modem_control, ready_with_interrupt);
}

Line const& line() {
    return current;
}
std::byte* registers() {
    return mapped;
}
bool is_present() {
    return present;
}

void enable_receive_interrupt() {
    if (present) set(interrupt_enable, 1);
}

std::optional<char> read_directly() {
    if (!present || (get(line_status) & data_ready) == 0) return std::nullopt;
    return static_cast<char>(get(data));
}

void poll() {
    if (!present) return;
    disable_interrupts();
    std::uint32_t const before = received.written.load(std::memory_order_relaxed);
    receive_serial();
    if (received.written.load(std::memory_order_relaxed) != before) announce(core_local(), Attention::Input);
    enable_interrupts();
}

void write_unlocked(std::string_view text) {
    if (!present) return;
    for (char const character : text) {
        if (character == '\n') send('\r');
        send(character);
    }
}

} // namespace serial

namespace {

constinit SpinLock output_lock{lock_bands::output.rank(8)};

} // namespace

void terminal_write(std::string_view text) {
    LockGuard const guard(output_lock);
    write_everywhere(text);
}

std::size_t terminal_columns() {
    return serial::columns_at_its_end();
}

Result<void> expect_room_for_code(std::size_t modules) {
    return screen::expect_room_for_code(modules);
}
void show_code(QrCode const& code, std::string_view caption) {
    LockGuard const guard(output_lock);
    screen::show_code(code, caption);
}
void take_code_away() {
    LockGuard const guard(output_lock);
    screen::take_code_away();
}

std::optional<char> terminal_read() {
    if (auto const byte = serial::received.take()) return byte;
    return keyboard::take();
}

std::size_t terminal_take_lost() {
    return serial::received.take_lost();
}

bool terminal_is_interactive() {
    return true;
}
bool terminal_is_screen() {
    return true;
}
bool terminal_closed() {
    return false;
}

bool take_interrupt_request() {
    // relaxed: a flag alone, nothing hangs on its order; only read while there is no request, for any core asks often
    auto& requested = serial::received.interrupt_requested;
    return requested.load(std::memory_order_relaxed) && requested.exchange(false, std::memory_order_relaxed);
}

} // namespace mxk::arch
