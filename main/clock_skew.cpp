#include "main/clock_skew.hpp"

#include <algorithm>
#include <atomic>

#include "base/log.hpp"
#include "base/spin_wait.hpp"
#include "kernel/clock.hpp"
#include "tasks/parallel.hpp"
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

} // namespace

Skew measure_skew(Nanoseconds patience) {
    Skew worst;
    CoreId const here = Worker::current().core();
    std::uint64_t const deadline = raw(clock::timestamp()) + raw(clock::to_cycles(patience));
    std::size_t measured = 0;
    for (std::size_t i = 0; i < workers::count() && raw(clock::timestamp()) < deadline; ++i) {
        CoreId const pair[] = {core_id(i), here};
        if (pair[0] == here) continue;
        Exchange exchange;
        Skew skew{.core = pair[0]};
        std::uint64_t round = 0;
        bool const ran = run_on(pair, [&](Worker&, std::size_t place) {
            if (place == 0) return answer(exchange, round);
            ask(exchange, skew);
            return Step::Done;
        });
        auto const size = [](Skew const& s) { return s.worst < 0 ? -s.worst : s.worst; };
        measured += ran ? 1U : 0U;
        if (ran && (worst.core == here || size(skew) > size(worst))) worst = skew;
    }
    worst.measured = measured;
    return worst;
}

void report_skew() {
    if (workers::count() < 2) return;
    constexpr Nanoseconds patience{2'000'000'000};
    Skew const skew = measure_skew(patience);
    FixedText<64> of_how_many;
    if (skew.measured + 1 < workers::count())
        format(of_how_many, ", of {} cores that answered within 2 s", skew.measured);
    auto const in_microseconds = [](double cycles) { return cycles * 1e6 / static_cast<double>(clock::frequency()); };
    double const value = in_microseconds(static_cast<double>(skew.worst));
    double const uncertainty = in_microseconds(static_cast<double>(skew.uncertainty));
    // What is measured in spans takes milliseconds; less than this cannot be seen in it.
    constexpr double worth_a_warning = 1;
    constexpr double uncertain = 100;
    if ((value < 0 ? -value : value) > std::max(uncertainty, worth_a_warning))
        log::warn(
            "clock: the TSC of core {} is {:.2} us (+/- {:.2}) ahead of core 0's{}: spans across cores are off by that",
            skew.core, value, uncertainty, of_how_many.view());
    else if (uncertainty > uncertain)
        log::info("clock: TSC skew to core 0 is not known: it takes {:.2} us to ask core {}{}", 2 * uncertainty,
                  skew.core, of_how_many.view());
    else
        log::info("clock: TSC skew to core 0 is largest on core {}: {:.2} us (+/- {:.2}){}", skew.core, value,
                  uncertainty, of_how_many.view());
}

} // namespace mxk
