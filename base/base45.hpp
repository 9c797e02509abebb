// Bytes as text (RFC 9285), of the characters that a QR code holds best: two bytes are three characters, which
// take 16.5 bits there; a last one alone is two.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/qr_code.hpp"
#include "base/text.hpp"

namespace mxk {

// Blocks as the sink does.
inline void write_base45(TextSink& out, std::span<std::uint8_t const> bytes) {
    for (std::size_t at = 0; at < bytes.size(); at += 2) {
        bool const is_pair = at + 1 < bytes.size();
        unsigned value = is_pair ? bytes[at] * 256U + bytes[at + 1] : bytes[at];
        std::array<char, 3> characters{};
        for (char& character : characters) {
            character = QrCode::alphabet[value % 45];
            value /= 45;
        }
        out.write({characters.data(), is_pair ? 3U : 2U});
    }
}

} // namespace mxk
