#include "kernel/inspect/number.hpp"

#include <optional>

#include "arch/inspect.hpp"
#include "kernel/inspect/symbol_lookup.hpp"

namespace mxk::inspect {
namespace {

// Below 16; 16: no digit at all.
constexpr std::uint64_t digit_of(char c) {
    if (c >= '0' && c <= '9') return static_cast<std::uint64_t>(c - '0');
    if (c >= 'a' && c <= 'f') return static_cast<std::uint64_t>(c - 'a') + 10;
    if (c >= 'A' && c <= 'F') return static_cast<std::uint64_t>(c - 'A') + 10;
    return 16;
}

// Nothing where there is no digit, a wrong one, or too many of them.
std::optional<std::uint64_t> parse_digits_of(std::string_view digits, std::uint64_t base) {
    if (digits.empty()) return std::nullopt;
    std::uint64_t value = 0;
    for (char const c : digits) {
        std::uint64_t const digit = digit_of(c);
        if (digit >= base || value > (UINT64_MAX - digit) / base) return std::nullopt;
        value = value * base + digit;
    }
    return value;
}

std::optional<std::uint64_t> parse_literal(std::string_view text) {
    if (text.starts_with("0x") || text.starts_with("0X")) return parse_digits_of(text.substr(2), 16);
    if (text.size() > 1 && text.starts_with('0')) return parse_digits_of(text.substr(1), 8);
    return parse_digits_of(text, 10);
}

} // namespace

Result<std::uint64_t> parse_number(std::string_view text) {
    // From the last star, which is nearest to the number, to the first.
    std::size_t const stars = text.find_first_not_of('*') == text.npos ? text.size() : text.find_first_not_of('*');
    std::string_view const inner = text.substr(stars);
    std::uint64_t value = 0;
    if (inner.starts_with('&')) {
        value = MXK_TRY(address_of_function(inner.substr(1)));
    } else if (auto const literal = parse_literal(inner)) {
        value = *literal;
    } else {
        return Error::of("expected a number of up to 64 bits such as 18, 0x12 or 022, &FUNCTION or *ADDRESS, got '{}'",
                         text);
    }
    for (std::size_t i = 0; i < stars; ++i) value = MXK_TRY(arch::read_memory(value));
    return value;
}

} // namespace mxk::inspect
