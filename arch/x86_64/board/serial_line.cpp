#include "arch/x86_64/board/serial_line.hpp"

#include <algorithm>

#include "base/format.hpp"

namespace mxk::arch::serial {
namespace {

// No more digits than that; none of another kind.
std::optional<std::uint64_t> number(std::string_view text, unsigned base, std::size_t max_digits) {
    if (text.empty() || text.size() > max_digits) return std::nullopt;
    std::uint64_t value = 0;
    for (char const c : text) {
        auto const digit = static_cast<unsigned>(c >= 'a' ? c - 'a' + 10 : c - '0');
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
    auto const baud = number(word, 10, 7);
    if (word == "force")
        line.force = true;
    else if (word == "poll")
        line.irq = std::nullopt;
    else if (baud && *baud != 0 && base_baud % *baud == 0)
        line.baud = static_cast<std::uint32_t>(*baud);
    else
        return Error::of("serial: expected a baud rate that divides 115200, 'force' or 'poll', got '{}'", word);
    return {};
}

// "0x..." of up to so many digits, and not 0.
std::optional<std::uint64_t> address(std::string_view text, std::size_t max_digits) {
    auto const value = text.starts_with("0x") ? number(text.substr(2), 16, max_digits) : std::nullopt;
    return value.value_or(0) == 0 ? std::nullopt : value;
}

std::optional<Line> line_in_memory(std::string_view kind, std::string_view where) {
    std::uint8_t const bytes = kind == "mmio" ? 1 : kind == "mmio16" ? 2 : kind == "mmio32" ? 4 : 0;
    auto const found = address(where, 13); // 52 bits
    if (bytes == 0 || !found || *found % bytes != 0) return std::nullopt;
    return Line{.place = {.memory = PhysicalAddress{*found}, .access_bytes = bytes, .stride_bytes = bytes},
                .irq = std::nullopt,
                .baud = 0};
}

std::optional<Line> named_line(std::string_view name) {
    if (std::size_t const colon = name.find(':'); colon != name.npos)
        return line_in_memory(name.substr(0, colon), name.substr(colon + 1));
    if (auto const com = name.starts_with("com") ? number(name.substr(3), 5, 1) : std::nullopt; com.value_or(0) > 0)
        return line_at(ports[*com - 1]);
    auto const port = address(name, 4);
    return port ? std::optional(line_at(static_cast<std::uint16_t>(*port))) : std::nullopt;
}

} // namespace

Line line_at(std::uint16_t port) {
    return {.place = {.port = port}, .irq = interrupt_of(port)};
}

Result<Line> parse_line(std::string_view text) {
    std::string_view const name = text.substr(0, text.find(','));
    auto const named = named_line(name);
    if (!named)
        return Error::of("serial: expected com1 to com4, a port such as 0x3f8, or registers in memory such as "
                         "mmio:0xfe034000, mmio16:..., mmio32:..., got '{}'",
                         name);
    Line line = *named;
    for (std::size_t at = name.size(); at < text.size();) {
        std::size_t const end = std::min(text.find(',', at + 1), text.size());
        MXK_TRY(parse_word(text.substr(at + 1, end - at - 1), line));
        at = end;
    }
    return line;
}

void print_place(TextSink& out, UartPlace const& place) {
    if (place.in_memory())
        format(out, "in memory at {}", place.memory);
    else
        format(out, "at port 0x{:x}", place.port);
}

} // namespace mxk::arch::serial
