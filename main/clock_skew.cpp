#include "main/clock_skew.hpp"

#include <algorithm>
#include <atomic>
#include <optional>

#include "arch/timestamp_adjustment.hpp"
#include "base/log.hpp"
#include "base/spin_wait.hpp"
#include "kernel/clock.hpp"
#include "kernel/remote_call.hpp"
#include "tasks/run_on.hpp"
#include "tasks/workers.hpp"

namespace mxk {
namespace {

constexpr std::uint64_t rounds = 24;

// The wire between the two cores. Both fields are counters of the round, so nothing has to be reset.
struct Exchange {
    alignas(cache_line_bytes) std::atomic<std::uint64_t> asked{0};
    alignas(cache_line_bytes) std::atomic<std::uint64_t> answered{0};
    std::uint64_t remote = 0;
};

// The other core's part: one answer per step. Spins, which is what makes the answer prompt; core 0 asks at once.
Step answer(Exchange& exchange, std::uint64_t& round) {
    // acquire: pairs with the release in ask()
    for (SpinWait wait; exchange.asked.load(std::memory_order_acquire) == round;) wait.turn();
    exchange.remote = raw(clock::timestamp());
    exchange.answered.store(++round, std::memory_order_release);
    return round == rounds ? Step::Done : Step::Again;
}

void ask(Exchange& exchange, Skew& best) {
    for (std::uint64_t round = 1; round <= rounds; ++round) {
        std::uint64_t const start = raw(clock::timestamp());
        exchange.asked.store(round, std::memory_order_release);
        for (SpinWait wait; exchange.answered.load(std::memory_order_acquire) != round;) wait.turn();
        std::uint64_t const end = raw(clock::timestamp());
        std::uint64_t const half = (end - start) / 2;
        if (round > 1 && half >= best.uncertainty) continue;
        best.uncertainty = half;
        best.worst = static_cast<std::int64_t>(exchange.remote - (start + half));
    }
}

std::uint64_t size(std::int64_t cycles) {
    return static_cast<std::uint64_t>(cycles < 0 ? -cycles : cycles);
}

// What is measured in spans takes milliseconds; less than this cannot be seen in it.
constexpr Nanoseconds worth_a_warning{1000};

bool is_off(Skew const& skew) {
    return size(skew.worst) > std::max(skew.uncertainty, raw(clock::to_cycles(worth_a_warning)));
}

// Nothing: no memory for the tasks.
std::optional<Skew> measure_core(CoreId core) {
    CoreId const pair[] = {core, Worker::current().core()};
    Exchange exchange;
    Skew skew{.core = core};
    std::uint64_t round = 0;
    bool const ran = run_on(pair, [&](Worker&, std::size_t place) {
        if (place == 0) return answer(exchange, round);
        ask(exchange, skew);
        return Step::Done;
    });
    return ran ? std::optional(skew) : std::nullopt;
}

// Twice, because the first value is as good as its uncertainty, which another try may make smaller.
Skew correct_core(Skew const& found) {
    constexpr int tries = 2;
    Skew skew = found;
    for (int i = 0; i < tries && is_off(skew); ++i) {
        bool is_set = false;
        call_on(found.core, [&] { is_set = arch::adjust_timestamp(-skew.worst); });
        auto const again = is_set ? measure_core(found.core) : std::nullopt;
        if (!again) break;
        skew = *again;
    }
    return skew;
}

} // namespace

Skew correct_skew(Nanoseconds patience) {
    Skew worst;
    CoreId const here = Worker::current().core();
    std::uint64_t const deadline = raw(clock::timestamp()) + raw(clock::to_cycles(patience));
    std::size_t measured = 0;
    std::size_t corrected = 0;
    std::int64_t worst_before = 0;
    for (std::size_t i = 0; i < workers::count() && raw(clock::timestamp()) < deadline; ++i) {
        if (core_id(i) == here) continue;
        auto skew = measure_core(core_id(i));
        if (!skew) continue;
        ++measured;
        if (is_off(*skew) && arch::can_adjust_timestamp()) {
            if (size(skew->worst) > size(worst_before)) worst_before = skew->worst;
            skew = correct_core(*skew);
            corrected += is_off(*skew) ? 0U : 1U;
        }
        if (worst.core == here || size(skew->worst) > size(worst.worst)) worst = *skew;
    }
    worst.measured = measured;
    worst.corrected = corrected;
    worst.worst_before = worst_before;
    return worst;
}

void report_skew() {
    if (workers::count() < 2) return;
    constexpr Nanoseconds patience{2'000'000'000};
    Skew const skew = correct_skew(patience);
    FixedText<64> of_how_many;
    if (skew.measured + 1 < workers::count())
        format(of_how_many, ", of {} cores that answered within 2 s", skew.measured);
    auto const in_microseconds = [](double cycles) { return cycles * 1e6 / static_cast<double>(clock::frequency()); };
    double const value = in_microseconds(static_cast<double>(skew.worst));
    double const uncertainty = in_microseconds(static_cast<double>(skew.uncertainty));
    constexpr double uncertain = 100;
    if (skew.corrected > 0)
        log::warn("clock: the TSCs of {} cores were ahead of core 0's by up to {:.2} us: they have been set to it "
                  "(IA32_TSC_ADJUST)",
                  skew.corrected, in_microseconds(static_cast<double>(skew.worst_before)));
    if (is_off(skew))
        log::warn(
            "clock: the TSC of core {} is {:.2} us (+/- {:.2}) ahead of core 0's{}: spans across cores are off by "
            "that; {}",
            skew.core, value, uncertainty, of_how_many.view(),
            arch::can_adjust_timestamp() ? "setting it has not helped"
                                         : "it cannot be set without IA32_TSC_ADJUST, which is not there");
    else if (uncertainty > uncertain)
        log::info("clock: TSC skew to core 0 is not known: it takes {:.2} us to ask core {}{}", 2 * uncertainty,
                  skew.core, of_how_many.view());
    else
        log::info("clock: TSC skew to core 0 is largest on core {}: {:.2} us (+/- {:.2}){}", skew.core, value,
                  uncertainty, of_how_many.view());
}

} // namespace mxk
