// Files of text that list numbers, such as keys, line by line: cutting the next line off, reading a number, and showing
// in a message what stood there instead. Nothing outside the given text is read. Any core, never blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/text.hpp"
#include "bench/workload/keys.hpp"

namespace mxk::bench {

// Cuts the next line off `rest`; without its end, which is LF or CR LF.
std::string_view next_line(std::string_view& rest);

// Cuts the next word off `rest`, at blanks or tabs; empty where there is none.
std::string_view next_word(std::string_view& rest);

// Decimal, or with 0x in front hexadecimal; none if `text` is anything else, or does not fit in 64 bits.
std::optional<std::uint64_t> parse_number(std::string_view text);

// Whether a number that was read may be a key.
constexpr bool is_key(std::optional<std::uint64_t> number) {
    return number && *number != 0 && *number <= Keys::max;
}

// As part of a message: short, and nothing that a terminal would obey.
FixedText<24> shown(std::string_view text);

} // namespace mxk::bench
