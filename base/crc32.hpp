// CRC-32 as in Ethernet, gzip and PNG (ISO 3309, reflected polynomial 0xEDB88320): what Python's zlib.crc32 gives. Four
// bits at a time, from a table of one cache line.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace mxk {

// `before`: the sum of what stands in front of it, where a text comes in pieces.
constexpr std::uint32_t crc32(std::string_view text, std::uint32_t before = 0) {
    constexpr auto table = [] {
        std::array<std::uint32_t, 16> made{};
        for (std::uint32_t i = 0; i < made.size(); ++i) {
            std::uint32_t value = i;
            for (int bit = 0; bit < 4; ++bit) value = (value & 1) != 0 ? (value >> 1) ^ 0xEDB8'8320 : value >> 1;
            made[i] = value;
        }
        return made;
    }();
    std::uint32_t sum = ~before;
    for (char const character : text) {
        sum ^= static_cast<std::uint8_t>(character);
        sum = table[sum & 15] ^ (sum >> 4);
        sum = table[sum & 15] ^ (sum >> 4);
    }
    return ~sum;
}
static_assert(crc32("123456789") == 0xCBF4'3926);

} // namespace mxk
