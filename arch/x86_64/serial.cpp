#include "arch/x86_64/serial.hpp"

#include <algorithm>
#include <atomic>

#include "arch/terminal.hpp"
#include "arch/x86_64/interrupts.hpp"
#include "arch/x86_64/keyboard.hpp"
#include "arch/x86_64/registers.hpp"
#include "arch/x86_64/screen.hpp"
#include "arch/x86_64/serial_ring.hpp"
#include "arch/x86_64/uart_probe.hpp"
#include "base/spin_lock.hpp"

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
constexpr std::uint32_t base_baud = 115200;

// Sixteen characters take 1.4 ms at 115200 baud and 130 ms at 1200; a port read about 1 us.
constexpr int max_wait_turns = 200'000;
constexpr int fifo_bytes = 16;

constinit Line current{};
constinit bool present = false;
constinit int send_buffer = 1; // characters that the UART takes at once when it is empty
constinit int room = 0;        // how many of them it certainly takes now

void set(std::uint16_t offset, std::uint8_t value) {
    out8(static_cast<std::uint16_t>(current.port + offset), value);
}
std::uint8_t get(std::uint16_t offset) {
    return in8(static_cast<std::uint16_t>(current.port + offset));
}

void send(char character) {
    if (room == 0) {
        for (int i = 0; i < max_wait_turns && (get(line_status) & transmitter_empty) == 0; ++i) {
        }
        room = send_buffer;
    }
    --room;
    set(data, static_cast<std::uint8_t>(character));
}

// Up to 7 digits, which is room for every baud rate; ports have up to four.
std::optional<std::uint32_t> number(std::string_view text, std::uint32_t base) {
    if (text.empty() || text.size() > (base == 10 ? 7 : base == 16 ? 4 : 1)) return std::nullopt;
    std::uint32_t value = 0;
    for (char const c : text) {
        auto const digit = static_cast<std::uint32_t>(c >= 'a' ? c - 'a' + 10 : c - '0');
        if (digit >= base) return std::nullopt;
        value = value * base + digit;
    }
    return value;
}

constexpr std::uint16_t ports[] = {0x3f8, 0x2f8, 0x3e8, 0x2e8};

// Of those that the ISA bus has always had elsewhere; of any other, who knows.
std::optional<unsigned> interrupt_of(std::uint16_t port) {
    if (port == ports[0] || port == ports[2]) return 4;
    if (port == ports[1] || port == ports[3]) return 3;
    return std::nullopt;
}

Result<void> parse_word(std::string_view word, Line& line) {
    auto const baud = number(word, 10);
    if (word == "force")
        line.force = true;
    else if (word == "poll")
        line.irq = std::nullopt;
    else if (baud && *baud != 0 && base_baud % *baud == 0)
        line.baud = *baud;
    else
        return Error::of("serial: expected a baud rate that divides 115200, 'force' or 'poll', got '{}'", word);
    return {};
}

} // namespace

Line line_at(std::uint16_t port) {
    return {.port = port, .irq = interrupt_of(port)};
}

Result<Line> parse_line(std::string_view text) {
    std::string_view const name = text.substr(0, text.find(','));
    std::uint16_t port = 0;
    if (name.starts_with("com") && number(name.substr(3), 5).value_or(0) > 0)
        port = ports[*number(name.substr(3), 5) - 1];
    else if (name.starts_with("0x") && number(name.substr(2), 16).value_or(0) > 0)
        port = static_cast<std::uint16_t>(*number(name.substr(2), 16));
    else
        return Error::of("serial: expected com1 to com4 or a port such as 0x3f8, got '{}'", name);
    Line line = line_at(port);
    for (std::size_t at = name.size(); at < text.size();) {
        std::size_t const end = std::min(text.find(',', at + 1), text.size());
        MXK_TRY(parse_word(text.substr(at + 1, end - at - 1), line));
        at = end;
    }
    return line;
}

void open(Line const& line) {
    current = line;
    auto const divisor = static_cast<std::uint16_t>(base_baud / line.baud);
    set(interrupt_enable, 0);
    set(line_control, divisor_access);
    set(data, static_cast<std::uint8_t>(divisor));
    set(interrupt_enable, static_cast<std::uint8_t>(divisor >> 8));
    set(line_control, eight_bits);
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

void terminal_write(std::string_view text) {
    static constinit SpinLock lock{lock_bands::output.rank(8)};
    LockGuard const guard(lock);
    write_everywhere(text);
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
