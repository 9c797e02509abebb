#include "arch/x86_64/clock/calibration.hpp"

#include <algorithm>
#include <array>

#include "arch/cpu.hpp"
#include "arch/x86_64/cpu/cpu_features.hpp"
#include "arch/x86_64/cpu/registers.hpp"
#include "arch/x86_64/memory/paging.hpp"
#include "base/log.hpp"

namespace mxk::arch {
namespace {

constexpr std::uint64_t nanoseconds_per_second = 1'000'000'000;

constinit std::uint64_t tsc_hertz = nanoseconds_per_second;

struct TscFrequency {
    std::uint64_t hertz;
    std::string_view source;
};

std::uint64_t tsc() {
    return raw(timestamp());
}

// What is said of the frequency. Only leaf 15h is about the counter; 16h is for information, and a nominal frequency
// (SDM vol. 2A): so all of it is compared with what is measured.
std::optional<TscFrequency> stated_tsc_frequency() {
    std::uint32_t const highest = cpuid(0).eax;
    if (highest >= 0x15) {
        CpuidResult const crystal = cpuid(0x15); // eax: denominator, ebx: numerator, ecx: crystal in Hz
        if (crystal.eax != 0 && crystal.ebx != 0 && crystal.ecx != 0)
            return TscFrequency{static_cast<std::uint64_t>(crystal.ecx) * crystal.ebx / crystal.eax, "CPUID 15h"};
    }
    if (features().hypervisor && cpuid(0x4000'0000).eax >= 0x4000'0010) {
        std::uint64_t const kilohertz = cpuid(0x4000'0010).eax;
        if (kilohertz != 0) return TscFrequency{kilohertz * 1000, "hypervisor"};
    }
    // The nominal frequency, which is the counter's only if the counter is invariant.
    if (highest >= 0x16 && features().invariant_tsc && (cpuid(0x16).eax & 0xffff) != 0)
        return TscFrequency{(cpuid(0x16).eax & 0xffff) * std::uint64_t{1'000'000}, "CPUID 16h"};
    return std::nullopt;
}

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

    [[nodiscard]] std::uint32_t read() const {
        if (registers_ == nullptr) return in32(port_) & mask_;
        return *reinterpret_cast<std::uint32_t volatile*>(registers_ + 0xf0); // the low half of the main counter
    }
    [[nodiscard]] std::uint32_t between(std::uint32_t start, std::uint32_t end) const { return (end - start) & mask_; }
    [[nodiscard]] std::uint64_t frequency() const { return frequency_; }

  private:
    std::byte* registers_ = nullptr;
    std::uint16_t port_ = 0;
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
    constexpr int max_standstill = 1'000'000;
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
    auto const measured = measured_tsc_frequency(clocks);
    auto const found = measured ? measured : stated;
    if (!found)
        return log::warn("clock: expected HPET, PM timer or CPUID 15h/16h, found none that works: seconds assume a "
                         "TSC of 1 GHz");
    tsc_hertz = found->hertz;
    log::info("clock: TSC at {:.3} MHz ({}){}", megahertz(*found), found->source,
              features().invariant_tsc ? "" : ", not invariant");
    if (measured && stated && differ(*measured, *stated))
        log::warn("clock: {} says {:.3} MHz of the TSC, {} measures {:.3} MHz, which is used", stated->source,
                  megahertz(*stated), measured->source, megahertz(*measured));
    if (!measured) log::warn("clock: expected HPET or PM timer, found none that works: {} is believed", found->source);
}

std::uint64_t timestamp_frequency() {
    return tsc_hertz;
}

bool has_avx2() {
    return features().avx2;
}

std::uint64_t interruptions_by_host() {
    return 0;
}

void busy_wait(Nanoseconds time) {
    std::uint64_t const start = tsc();
    std::uint64_t const ticks = raw(time) / 1000 * (tsc_hertz / 1000) / 1000;
    while (tsc() - start < ticks) pause();
}

} // namespace mxk::arch
