#include "query/values_check_sum.hpp"

#include <array>

namespace mxk::query {
namespace {

constexpr std::size_t slices = 8;
using SliceTable = std::array<std::uint32_t, 256>;

// tables[k][b]: what byte b comes to when k more bytes follow it.
constexpr std::array<SliceTable, slices> tables = [] {
    std::array<SliceTable, slices> made{};
    for (std::uint32_t byte = 0; byte < 256; ++byte) {
        std::uint32_t value = byte;
        for (int bit = 0; bit < 8; ++bit) value = (value & 1) != 0 ? (value >> 1) ^ 0xEDB8'8320 : value >> 1;
        made[0][byte] = value;
    }
    for (std::size_t slice = 1; slice < slices; ++slice)
        for (std::size_t byte = 0; byte < 256; ++byte) {
            std::uint32_t const before = made[slice - 1][byte];
            made[slice][byte] = (before >> 8) ^ made[0][before & 0xFF];
        }
    return made;
}();

} // namespace

std::uint32_t values_check_sum(std::span<std::byte const> values) {
    std::uint32_t sum = ~std::uint32_t{0};
    while (values.size() >= slices) {
        std::uint64_t eight = 0;
        __builtin_memcpy(&eight, values.data(), slices);
        eight ^= sum;
        sum = 0;
        for (std::size_t i = 0; i < slices; ++i) sum ^= tables[slices - 1 - i][eight >> 8 * i & 0xFF];
        values = values.subspan(slices);
    }
    for (std::byte const byte : values)
        sum = tables[0][(sum ^ std::to_integer<std::uint32_t>(byte)) & 0xFF] ^ (sum >> 8);
    return ~sum;
}

} // namespace mxk::query
