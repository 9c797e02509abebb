// The CRC-32 of base/crc32.hpp for columns of many megabytes: eight bytes at a time ("slicing by eight", Kounavis and
// Berry 2005), from tables of 8 KiB. Any core, never blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace mxk::query {

std::uint32_t values_check_sum(std::span<std::byte const> values);

} // namespace mxk::query
