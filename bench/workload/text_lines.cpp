#include "bench/workload/text_lines.hpp"

#include <algorithm>

namespace mxk::bench {
namespace {

constexpr std::string_view blanks = " \t";

// 16 and more: none.
unsigned digit_of(char c) {
    if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
    auto const letter = static_cast<unsigned char>(c | 0x20);
    return letter >= 'a' && letter <= 'z' ? letter - 'a' + 10U : 16U;
}

} // namespace

std::string_view next_line(std::string_view& rest) {
    std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
}

std::string_view next_word(std::string_view& rest) {
    rest.remove_prefix(std::min(rest.find_first_not_of(blanks), rest.size()));
    std::string_view const word = rest.substr(0, rest.find_first_of(blanks));
    rest.remove_prefix(word.size());
    return word;
}

std::optional<std::uint64_t> parse_number(std::string_view text) {
    unsigned const base = text.starts_with("0x") || text.starts_with("0X") ? 16 : 10;
    if (base == 16) text.remove_prefix(2);
    if (text.empty()) return {};
    std::uint64_t number = 0;
    for (char const c : text) {
        unsigned const digit = digit_of(c);
        if (digit >= base || number > (~std::uint64_t{0} - digit) / base) return {};
        number = number * base + digit;
    }
    return number;
}

FixedText<24> shown(std::string_view text) {
    FixedText<24> result;
    for (char const c : text.substr(0, 24)) result.append(c >= ' ' && c <= '~' ? std::string_view(&c, 1) : "?");
    return result;
}

} // namespace mxk::bench
