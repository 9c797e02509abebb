#include "arch/x86_64/clock/timestamp_start.hpp"

#include "arch/cpu.hpp"
#include "arch/timestamp_adjustment.hpp"
#include "arch/x86_64/cpu/cpu_features.hpp"
#include "arch/x86_64/exceptions/fixup.hpp"
#include "base/log.hpp"

namespace mxk::arch {
namespace {

constexpr std::uint32_t tsc = 0x10; // IA32_TIME_STAMP_COUNTER
constexpr std::uint32_t tsc_adjust = 0x3b;

constinit std::uint64_t boot_core_adjustment = 0;
constinit TimestampFault fault = TimestampFault::None;
constinit std::uint64_t fault_cycles = 0;

} // namespace

bool can_adjust_timestamp() {
    return features().tsc_adjust;
}

bool adjust_timestamp(std::int64_t cycles) {
    auto const before = can_adjust_timestamp() ? try_read_msr(tsc_adjust) : std::nullopt;
    return before && try_write_msr(tsc_adjust, *before + static_cast<std::uint64_t>(cycles));
}

void inject_timestamp_fault(TimestampFault wanted, std::uint64_t cycles) {
    fault = wanted;
    fault_cycles = cycles;
}

void keep_timestamp_adjustment() {
    if (can_adjust_timestamp()) boot_core_adjustment = try_read_msr(tsc_adjust).value_or(0);
    if (boot_core_adjustment != 0)
        log::info("clock: the firmware has set the TSC of the boot core (IA32_TSC_ADJUST is {})",
                  static_cast<std::int64_t>(boot_core_adjustment));
}

TimestampStart align_timestamp() {
    TimestampStart result;
    if (fault == TimestampFault::Adjusted) adjust_timestamp(static_cast<std::int64_t>(fault_cycles));
    auto const found = can_adjust_timestamp() ? try_read_msr(tsc_adjust) : std::nullopt;
    if (found && *found != boot_core_adjustment) {
        result.differed = true;
        result.found = static_cast<std::int64_t>(*found);
        result.corrected =
            try_write_msr(tsc_adjust, boot_core_adjustment) && try_read_msr(tsc_adjust) == boot_core_adjustment;
    }
    if (fault == TimestampFault::Skewed) try_write_msr(tsc, raw(timestamp()) + fault_cycles);
    return result;
}

void TimestampReport::count(TimestampStart const& core, std::uint32_t apic_id) {
    if (!core.differed) return;
    if (corrected_ + refused_ == 0) {
        first_found_ = core.found;
        first_apic_id_ = apic_id;
    }
    ++(core.corrected ? corrected_ : refused_);
}

void TimestampReport::warn() const {
    if (corrected_ + refused_ == 0) return;
    log::warn(
        "clock: the firmware has set the TSCs of cores differently: IA32_TSC_ADJUST of {} cores (APIC id {}: {}) was "
        "not the boot core's {}",
        corrected_ + refused_, first_apic_id_, first_found_, static_cast<std::int64_t>(boot_core_adjustment));
    if (refused_ == 0)
        log::info("clock: they have been given the boot core's");
    else
        log::warn("clock: {} of them did not take another value: spans across cores are off", refused_);
}

} // namespace mxk::arch
