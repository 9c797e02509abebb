#include "base/format.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

namespace mxk {
namespace {

struct Specification {
    char alignment = 0; // '<', '>' or 0: by kind
    bool zero_fill = false;
    std::uint32_t base = 10;
    std::size_t width = 0;
    std::optional<std::size_t> digits;
};

constexpr std::uint32_t base_of(char letter) {
    switch (letter) {
    case 'x': return 16;
    case 'o': return 8;
    case 'b': return 2;
    default: return 10;
    }
}

constexpr bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

std::size_t parse_number(std::string_view text, std::size_t& at) {
    std::size_t value = 0;
    for (; at < text.size() && is_digit(text[at]); ++at) value = value * 10 + static_cast<std::size_t>(text[at] - '0');
    return value;
}

// `text` is what stands between the braces, without the colon.
Specification parse_specification(std::string_view text) {
    Specification result;
    std::size_t at = 0;
    if (at < text.size() && (text[at] == '<' || text[at] == '>')) result.alignment = text[at++];
    if (at < text.size() && text[at] == '0') {
        result.zero_fill = true;
        ++at;
    }
    result.width = parse_number(text, at);
    if (at < text.size() && text[at] == '.') {
        ++at;
        result.digits = parse_number(text, at);
    }
    if (at < text.size()) result.base = base_of(text[at]);
    return result;
}

using NumberText = FixedText<96>;

void append_unsigned(NumberText& out, std::uint64_t value, std::uint32_t base) {
    std::array<char, 64> digits{};
    std::size_t at = digits.size();
    do {
        digits[--at] = "0123456789abcdef"[value % base];
        value /= base;
    } while (value != 0);
    out.append({digits.data() + at, digits.size() - at});
}

void append_real(NumberText& out, double value, std::size_t digits) {
    if (value != value) return out.append("nan");
    if (value < 0) {
        out.append("-");
        value = -value;
    }
    if (value >= 1e18) return out.append("inf"); // larger than any figure MXK prints; the integer part would not fit
    digits = std::min<std::size_t>(digits, 9);
    std::uint64_t scale = 1;
    for (std::size_t i = 0; i < digits; ++i) scale *= 10;
    auto whole = static_cast<std::uint64_t>(value);
    auto fraction = static_cast<std::uint64_t>((value - static_cast<double>(whole)) * static_cast<double>(scale) + 0.5);
    if (fraction >= scale) {
        ++whole;
        fraction -= scale;
    }
    append_unsigned(out, whole, 10);
    if (digits == 0) return;
    out.append(".");
    for (std::uint64_t place = scale / 10; place > fraction && place > 1; place /= 10) out.append("0");
    append_unsigned(out, fraction, 10);
}

void pad(TextSink& sink, char fill, std::size_t count) {
    for (; count > 0; --count) sink.write({&fill, 1});
}

// All but the first byte of a character in UTF-8 (RFC 3629, section 3).
constexpr bool continues_character(char byte) {
    return (static_cast<unsigned char>(byte) & 0xc0) == 0x80;
}

std::size_t characters(std::string_view text) {
    return static_cast<std::size_t>(
        std::count_if(text.begin(), text.end(), [](char byte) { return !continues_character(byte); }));
}

// No more than so many characters from its beginning.
std::string_view cut(std::string_view text, std::size_t max_characters) {
    std::size_t end = 0;
    for (; end < text.size(); ++end) {
        if (continues_character(text[end])) continue;
        if (max_characters-- == 0) break;
    }
    return text.substr(0, end);
}

void write_padded(TextSink& sink, std::string_view text, Specification const& specification, bool is_number) {
    std::size_t const missing = specification.width - std::min(specification.width, characters(text));
    char const fallback = is_number ? '>' : '<';
    char const alignment = specification.alignment != 0 ? specification.alignment : fallback;
    if (is_number && specification.zero_fill) {
        if (text.starts_with('-')) {
            sink.write("-");
            text.remove_prefix(1);
        }
        pad(sink, '0', missing);
    } else if (alignment == '>') {
        pad(sink, ' ', missing);
    }
    sink.write(text);
    if (alignment == '<') pad(sink, ' ', missing);
}

void format_one(TextSink& sink, FormatArgument const& argument, Specification const& specification) {
    using Kind = FormatArgument::Kind;
    NumberText number;
    switch (argument.kind) {
    case Kind::Text:
        return write_padded(
            sink, specification.digits ? cut(argument.text_value, *specification.digits) : argument.text_value,
            specification, false);
    case Kind::Character: return write_padded(sink, {&argument.character_value, 1}, specification, false);
    case Kind::Boolean: return write_padded(sink, argument.boolean_value ? "true" : "false", specification, false);
    case Kind::Unsigned: append_unsigned(number, argument.unsigned_value, specification.base); break;
    case Kind::Signed:
        if (argument.signed_value < 0) number.append("-");
        append_unsigned(number,
                        argument.signed_value < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(argument.signed_value)
                                                  : static_cast<std::uint64_t>(argument.signed_value),
                        specification.base);
        break;
    case Kind::Real: append_real(number, argument.real_value, specification.digits.value_or(2)); break;
    case Kind::Address:
        number.append("0x");
        append_unsigned(number, argument.unsigned_value, 16);
        break;
    }
    write_padded(sink, number.view(), specification, true);
}

} // namespace

void format_erased(TextSink& sink, std::string_view pattern, std::span<FormatArgument const> arguments) {
    std::size_t next = 0;
    while (!pattern.empty()) {
        std::size_t const brace = std::min(pattern.find_first_of("{}"), pattern.size());
        if (brace > 0) sink.write(pattern.substr(0, brace));
        pattern.remove_prefix(brace);
        if (pattern.size() < 2) break;
        if (pattern[0] == pattern[1]) { // {{ or }}
            sink.write(pattern.substr(0, 1));
            pattern.remove_prefix(2);
            continue;
        }
        std::size_t const end = std::min(pattern.find('}'), pattern.size());
        std::string_view inside = pattern.substr(1, end - 1);
        if (inside.starts_with(':')) inside.remove_prefix(1);
        if (next < arguments.size()) format_one(sink, arguments[next++], parse_specification(inside));
        pattern.remove_prefix(std::min(end + 1, pattern.size()));
    }
}

} // namespace mxk
