// Bytes as text (RFC 4648 section 4): three bytes are four characters, with = where the last three are not whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/text.hpp"

namespace mxk {

constexpr std::size_t base64_characters(std::size_t bytes) {
    return (bytes + 2) / 3 * 4;
}

// Blocks as the sink does.
inline void write_base64(TextSink& out, std::span<std::byte const> bytes) {
    constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (std::size_t at = 0; at < bytes.size(); at += 3) {
        std::size_t const count = bytes.size() - at < 3 ? bytes.size() - at : 3;
        std::uint32_t bits = 0;
        for (std::size_t i = 0; i < 3; ++i)
            bits = bits << 8 | (i < count ? std::to_integer<std::uint32_t>(bytes[at + i]) : 0);
        char characters[4];
        for (std::size_t i = 0; i < 4; ++i) characters[i] = i <= count ? alphabet[bits >> (18 - 6 * i) & 63] : '=';
        out.write({characters, 4});
    }
}

} // namespace mxk
