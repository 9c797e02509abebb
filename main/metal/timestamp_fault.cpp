#include "main/metal/timestamp_fault.hpp"

#include <algorithm>

#include "arch/x86_64/clock/timestamp_start.hpp"
#include "base/log.hpp"
#include "kernel/console/values.hpp"

namespace mxk::metal {

void inject_timestamp_fault(std::string_view word) {
    if (word.empty()) return;
    using Fault = arch::TimestampFault;
    constexpr std::uint64_t max_cycles = 1'000'000'000'000;
    std::string_view const name = word.substr(0, word.find(':'));
    Fault const fault = name == "adjust" ? Fault::Adjusted : name == "skew" ? Fault::Skewed : Fault::None;
    auto const cycles = console::parse_count(word.substr(std::min(name.size() + 1, word.size())), 1, max_cycles);
    if (fault == Fault::None || !cycles)
        return log::warn("tsc-fault: expected adjust:CYCLES or skew:CYCLES, got '{}'", word);
    arch::inject_timestamp_fault(fault, cycles.value());
}

} // namespace mxk::metal
