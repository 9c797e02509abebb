#include "arch/x86_64/clock/calibration.hpp"

#include <algorithm>
#include <array>

#include "arch/cpu.hpp"
#include "arch/x86_64/clock/stated_frequency.hpp"
#include "arch/x86_64/cpu/cpu_features.hpp"
#include "arch/x86_64/cpu/registers.hpp"
#include "arch/x86_64/exceptions/fixup.hpp"
#include "arch/x86_64/memory/layout.hpp"
#include "arch/x86_64/memory/paging.hpp"
#include "base/log.hpp"

namespace mxk::arch {
namespace {

// Faster than any: a wait whose length is not known is too long, not too short.
constinit std::uint64_t tsc_hertz = 5'000'000'000;
constinit bool is_known = false;

constinit KvmClock kvm_clock{};

std::uint64_t tsc() {
    return raw(timestamp());
}

// All of it is compared with what is measured.
std::optional<TscFrequency> stated_tsc_frequency() {
    return arch::stated_tsc_frequency({[](std::uint32_t leaf, std::uint32_t subleaf) { return cpuid(leaf, subleaf); },
                                       &try_read_msr, &try_write_msr, &kvm_clock,
                                       reinterpret_cast<std::uint64_t>(&kvm_clock) - kernel_base});
}

namespace i8254 { // Intel 8254 data sheet; port 61h: ICH data sheets, "NMI status and control"
constexpr std::uint16_t channel_2 = 0x42;
constexpr std::uint16_t command = 0x43;
constexpr std::uint16_t gate_port = 0x61;
constexpr std::uint8_t gate = 1 << 0;
constexpr std::uint8_t speaker = 1 << 1;
constexpr std::uint8_t count_down_again = 0xb4; // channel 2, both bytes, mode 2
constexpr std::uint8_t latch = 0x80;            // channel 2

std::uint32_t read_up() { // what it counts down
    out8(command, latch);
    std::uint32_t const low = in8(channel_2);
    return ~(low | static_cast<std::uint32_t>(in8(channel_2)) << 8);
}
} // namespace i8254

// A counter of known frequency and width.
class ReferenceCounter {
  public:
    static std::optional<ReferenceCounter> hpet(PhysicalAddress address);
    static ReferenceCounter pm_timer(std::uint16_t port, bool is_32_bit) {
        ReferenceCounter counter;
        counter.port_ = port;
        counter.frequency_ = 3'579'545; // ACPI 6.5 section 4.8.3.3
        counter.mask_ = is_32_bit ? 0xffff'ffff : 0xff'ffff;
        return counter;
    }

    static ReferenceCounter timer_chip() {
        using namespace i8254;
        out8(gate_port, static_cast<std::uint8_t>((in8(gate_port) & ~speaker & 0x0f) | gate));
        out8(command, count_down_again);
        out8(channel_2, 0);
        out8(channel_2, 0);
        ReferenceCounter counter;
        counter.is_timer_chip_ = true;
        counter.frequency_ = 1'193'182;
        counter.mask_ = 0xffff;
        return counter;
    }

    [[nodiscard]] std::uint32_t read() const {
        if (is_timer_chip_) return i8254::read_up() & mask_;
        if (registers_ == nullptr) return in32(port_) & mask_;
        return *reinterpret_cast<std::uint32_t volatile*>(registers_ + 0xf0); // the low half of the main counter
    }
    [[nodiscard]] std::uint32_t between(std::uint32_t start, std::uint32_t end) const { return (end - start) & mask_; }
    [[nodiscard]] std::uint64_t frequency() const { return frequency_; }

  private:
    std::byte* registers_ = nullptr;
    std::uint16_t port_ = 0;
    bool is_timer_chip_ = false;
    std::uint32_t mask_ = 0xffff'ffff;
    std::uint64_t frequency_ = 0;
};

std::optional<ReferenceCounter> ReferenceCounter::hpet(PhysicalAddress address) {
    ReferenceCounter counter;
    counter.registers_ = map_device("ACPI: HPET, base address", {address, 1024}, 8);
    if (counter.registers_ == nullptr) return std::nullopt;
    // IA-PC HPET 1.0a: upper half of the capabilities: femtoseconds per tick, up to 100 ns.
    std::uint32_t const period = *reinterpret_cast<std::uint32_t volatile*>(counter.registers_ + 4);
    if (period == 0 || period > 100'000'000) return std::nullopt;
    counter.frequency_ = std::uint64_t{1'000'000'000'000'000} / period;
    auto* const configuration = reinterpret_cast<std::uint32_t volatile*>(counter.registers_ + 0x10);
    *configuration = *configuration | 1; // let it count
    return counter;
}

// The counter and the time stamp of one moment: of some readings the one that took the shortest time.
struct Moment {
    std::uint32_t count = 0;
    std::uint64_t stamp = 0;
};
Moment read_both(ReferenceCounter const& counter) {
    constexpr int readings = 8;
    Moment best;
    std::uint64_t shortest = UINT64_MAX;
    for (int i = 0; i < readings; ++i) {
        std::uint64_t const before = tsc();
        std::uint32_t const count = counter.read();
        std::uint64_t const taken = tsc() - before;
        if (taken >= shortest) continue;
        shortest = taken;
        best = {count, before + taken / 2};
    }
    return best;
}

// One window of about 20 ms. The counter must move, or there is no answer: a dead clock must not hang the boot.
std::optional<std::uint64_t> measure_once(ReferenceCounter const& counter) {
    auto const window = static_cast<std::uint32_t>(counter.frequency() / 50);
    constexpr int max_standstill = 100'000;
    Moment const start = read_both(counter);
    std::uint32_t last = 0;
    for (int still = 0; last < window;) {
        std::uint32_t const now = counter.between(start.count, counter.read());
        still = now == last ? still + 1 : 0;
        if (still > max_standstill) return std::nullopt;
        last = now;
        pause();
    }
    Moment const end = read_both(counter);
    return (end.stamp - start.stamp) * counter.frequency() / counter.between(start.count, end.count);
}

// The median of three: a window stretched by the host or by an SMI is left out.
std::optional<std::uint64_t> measure(ReferenceCounter const& counter) {
    std::array<std::uint64_t, 3> results{};
    for (std::uint64_t& result : results) {
        auto const once = measure_once(counter);
        if (!once) return std::nullopt;
        result = *once;
    }
    std::sort(results.begin(), results.end());
    return results[1];
}

namespace cmos { // Motorola MC146818 data sheet
constexpr std::uint16_t index_port = 0x70;
constexpr std::uint16_t data_port = 0x71;
constexpr std::uint8_t seconds = 0;
constexpr std::uint8_t control_a = 0x0a;
constexpr std::uint8_t runs_mask = 0x70;
constexpr std::uint8_t runs = 0x20; // the divider, with a crystal of 32768 Hz

std::uint8_t read(std::uint8_t number) {
    out8(index_port, number);
    return in8(data_port);
}
} // namespace cmos

// When the next second begins; nothing where none does. A read takes a microsecond or two of a machine, and a tenth of
// that in an emulator, so both reads and cycles of the fastest processor say how long is long enough.
std::optional<std::uint64_t> next_second() {
    constexpr std::uint64_t min_reads = 5'000'000;
    constexpr std::uint64_t min_cycles = 10'000'000'000;
    constexpr std::uint64_t max_reads = 8 * min_reads; // where the counter stands still
    std::uint8_t const before = cmos::read(cmos::seconds);
    std::uint64_t const start = tsc();
    for (std::uint64_t reads = 0; reads < min_reads || (tsc() - start < min_cycles && reads < max_reads); ++reads)
        if (cmos::read(cmos::seconds) != before) return tsc();
    return std::nullopt;
}

std::optional<std::uint64_t> measure_by_cmos_clock() {
    if ((cmos::read(cmos::control_a) & cmos::runs_mask) != cmos::runs) return std::nullopt;
    auto const start = next_second();
    auto const end = start ? next_second() : std::nullopt;
    return end ? std::optional(*end - *start) : std::nullopt;
}

std::optional<TscFrequency> measured_tsc_frequency(ReferenceClocks const& clocks) {
    if (clocks.hpet) {
        auto const counter = ReferenceCounter::hpet(*clocks.hpet);
        auto const hertz = counter ? measure(*counter) : std::nullopt;
        if (hertz) return TscFrequency{*hertz, "HPET"};
    }
    if (clocks.pm_timer_port) {
        auto const hertz = measure(ReferenceCounter::pm_timer(*clocks.pm_timer_port, clocks.pm_timer_is_32_bit));
        if (hertz) return TscFrequency{*hertz, "PM timer"};
    }
    if (auto const hertz = measure(ReferenceCounter::timer_chip())) return TscFrequency{*hertz, "i8254"};
    return std::nullopt;
}

double megahertz(TscFrequency const& frequency) {
    return static_cast<double>(frequency.hertz) / 1e6;
}

// Further apart than 0.05 %: crystals are some 50 millionths off, and so is what is measured against them.
bool differ(TscFrequency const& a, TscFrequency const& b) {
    std::uint64_t const difference = a.hertz > b.hertz ? a.hertz - b.hertz : b.hertz - a.hertz;
    return difference > a.hertz / 2000;
}

} // namespace

void calibrate_tsc(ReferenceClocks const& clocks) {
    auto const stated = stated_tsc_frequency();
    auto measured = measured_tsc_frequency(clocks);
    if (!measured && !stated && clocks.cmos_clock) // it takes up to two seconds
        if (auto const hertz = measure_by_cmos_clock()) measured = TscFrequency{*hertz, "CMOS clock"};
    auto const found = measured ? measured : stated;
    if (!found)
        return log::warn(
            "clock: expected HPET, PM timer, i8254, CMOS clock, a hypervisor's word or CPUID 15h/16h, found "
            "none that works: how fast the TSC ticks is not known, and so are no seconds and no rates");
    tsc_hertz = found->hertz;
    is_known = true;
    log::info("clock: TSC at {:.3} MHz ({}){}", megahertz(*found), found->source,
              features().invariant_tsc ? "" : ", not invariant");
    if (measured && stated && differ(*measured, *stated))
        log::warn("clock: {} says {:.3} MHz of the TSC, {} measures {:.3} MHz, which is used", stated->source,
                  megahertz(*stated), measured->source, megahertz(*measured));
    if (!measured)
        log::warn("clock: expected HPET, PM timer or i8254, found none that works: {} is believed", found->source);
}

std::uint64_t timestamp_frequency() {
    return tsc_hertz;
}
bool timestamp_frequency_is_known() {
    return is_known;
}

bool has_avx2() {
    return features().avx2;
}

HostAccount host_account() {
    return {0, timestamp()};
}

void busy_wait(Nanoseconds time) {
    std::uint64_t const start = tsc();
    std::uint64_t const ticks = raw(time) / 1000 * (tsc_hertz / 1000) / 1000;
    while (tsc() - start < ticks) pause();
}

} // namespace mxk::arch
