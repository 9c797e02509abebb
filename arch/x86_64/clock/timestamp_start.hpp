// The time-stamp counters when the cores start. They begin together at reset; firmware that writes to one leaves the
// difference in IA32_TSC_ADJUST (SDM vol. 3B section 17.17.3). Sockets that are not reset together differ without a
// trace: that is measured later (main/clock_skew).
#pragma once

#include <cstddef>
#include <cstdint>

namespace mxk::arch {

// What a test makes of a core's counter in place of the firmware: `tsc-fault=` on the command line (docs/boot.md).
enum class TimestampFault : std::uint8_t {
    None,
    Adjusted, // IA32_TSC_ADJUST is not the boot core's
    Skewed,   // the counter is ahead, and no register says so
};
// Of all cores but the boot core, by so many cycles. Before they start. The boot core.
void inject_timestamp_fault(TimestampFault wanted, std::uint64_t cycles);

// What became of IA32_TSC_ADJUST on a core.
struct TimestampStart {
    std::int64_t found = 0; // other than the boot core's
    bool differed = false;
    bool corrected = false;
};

// Keeps the boot core's value, which the others get. The boot core, before the others start.
void keep_timestamp_adjustment();
// Sets the calling core's to it.
TimestampStart align_timestamp();

// Of the cores that have started; one warning where there is something to warn of. The boot core.
class TimestampReport {
  public:
    void count(TimestampStart const& core, std::uint32_t apic_id);
    void warn() const;

  private:
    std::size_t corrected_ = 0;
    std::size_t refused_ = 0;
    std::int64_t first_found_ = 0;
    std::uint32_t first_apic_id_ = 0;
};

} // namespace mxk::arch
