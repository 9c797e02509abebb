// Numbers on the command line of the examples.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

// A whole number between `min` and `max`, or nothing.
inline std::optional<std::uint64_t> parse_number(std::string_view text, std::uint64_t min, std::uint64_t max) {
    std::uint64_t value = 0;
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    bool const is_number = error == std::errc() && end == text.data() + text.size();
    if (!is_number || value < min || value > max) return std::nullopt;
    return value;
}
