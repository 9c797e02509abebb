// Firmware's bytes, read with bounds checked and without a claim on alignment: tables stand where the firmware liked,
// and their fields where the specification put them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>

namespace mxk {

// The T at `offset`, or nothing if it does not lie in `bytes` as a whole.
template <typename T>
requires std::is_trivially_copyable_v<T> std::optional<T> read(std::span<std::byte const> bytes,
                                                               std::size_t offset = 0) {
    if (offset > bytes.size() || sizeof(T) > bytes.size() - offset) return std::nullopt;
    T value;
    __builtin_memcpy(&value, bytes.data() + offset, sizeof(T));
    return value;
}

// The sum of all bytes modulo 256, which is 0 for every valid structure (ACPI 6.5 section 5.2.6).
inline std::uint8_t byte_sum(std::span<std::byte const> bytes) {
    unsigned sum = 0;
    for (std::byte const byte : bytes) sum += std::to_integer<unsigned>(byte);
    return static_cast<std::uint8_t>(sum);
}

} // namespace mxk
