#include "arch/core_counters.hpp"

namespace mxk::arch {

bool has_core_counters() {
    return false;
}
CoreCounters read_core_counters() {
    return {};
}
void forget_throttling() {}

std::optional<Nanoseconds> max_gap(Nanoseconds /*duration*/) {
    return std::nullopt;
}

} // namespace mxk::arch
