#include "tasks/threads/semaphore_kind.hpp"

namespace mxk {

Result<std::uint32_t> check_semaphore_units(std::int64_t units) {
    if (units < 0 || units > std::int64_t{max_semaphore_units})
        return Error::of("semaphore: expected 0 to {} units, got {}", max_semaphore_units, units);
    return static_cast<std::uint32_t>(units);
}

Result<void> check_waiting_time(Nanoseconds time) {
    if (raw(time) < std::uint64_t{1} << 63) return {};
    return Error::of("expected a time of 0 ns or more, got {}", static_cast<std::int64_t>(raw(time)));
}

} // namespace mxk
