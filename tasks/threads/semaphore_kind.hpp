// What all semaphores have in common (semaphore.hpp).
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "base/result.hpp"
#include "base/units.hpp"

namespace mxk {

enum class SemaphoreKind : std::uint8_t { Fast, Syscall };

constexpr std::uint32_t max_semaphore_units = (std::uint32_t{1} << 30) - 1;

// Errors: negative, or more than max_semaphore_units.
Result<std::uint32_t> check_semaphore_units(std::int64_t units);

// Errors: 2^63 ns or more, which is what negative numbers become.
Result<void> check_waiting_time(Nanoseconds time);

} // namespace mxk
