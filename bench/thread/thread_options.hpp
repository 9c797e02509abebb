// What `bench thread` can measure, and what it can be told.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "bench/frame/core_choice.hpp"
#include "bench/frame/names.hpp"
#include "bench/frame/run_options.hpp"
#include "kernel/console/options.hpp"

namespace mxk::bench {

// Preempt comes last: it takes more time than all others in the Linux build, and fails where the system's policy has no
// slices.
enum class ThreadMeasure : std::uint8_t { Yield, Wake, WakeAcross, Preempt };

// As they are typed and as they stand in results.
constexpr auto value_names(ThreadMeasure) {
    using Named = console::NamedValue<ThreadMeasure>;
    return std::array{Named{ThreadMeasure::Yield, "yield"}, Named{ThreadMeasure::Wake, "wake"},
                      Named{ThreadMeasure::WakeAcross, "wake-across"}, Named{ThreadMeasure::Preempt, "preempt"}};
}

constexpr Placement placement_of(ThreadMeasure measure) {
    return measure == ThreadMeasure::WakeAcross ? Placement::TwoCores : Placement::OneCore;
}

// What the peers can be told, too (bench/peers/thread_peer.cpp).
struct ThreadCosts : CostOptions {
    NameSet<ThreadMeasure> measures{};
    std::uint32_t yields = 100'000;
    std::uint32_t switches = 1000;
    std::uint32_t wakes = 500;

    // For the row.
    [[nodiscard]] static Settings settings_of(ThreadMeasure) { return {}; }
};

struct OwnThreadCosts : ThreadCosts {
    std::optional<std::uint32_t> slice{}; // microseconds

    // Microseconds. A short one where the end of slices is what is waited for.
    [[nodiscard]] constexpr std::uint32_t slice_of(ThreadMeasure measure) const {
        return slice.value_or(measure == ThreadMeasure::Preempt ? 50 : 1000);
    }
    [[nodiscard]] Settings settings_of(ThreadMeasure measure) const {
        Settings settings;
        settings.add("slice_us", slice_of(measure));
        return settings;
    }
};

namespace thread_option {
constexpr auto yields =
    console::option<&ThreadCosts::yields>("yields", "per run: yield", console::between(2, 1'000'000'000));
constexpr auto switches =
    console::option<&ThreadCosts::switches>("switches", "per run: preempt", console::between(2, 1'000'000));
constexpr auto wakes =
    console::option<&ThreadCosts::wakes>("wakes", "per run: wake, wake-across", console::between(1, 1'000'000));
} // namespace thread_option

constexpr auto thread_schema = console::schema<OwnThreadCosts>(
    console::option<&ThreadCosts::measures>(
        "measure", "yield, wake, wake-across, preempt (none given: all that the machine can do)"),
    cost_option::cores,
    console::option<&OwnThreadCosts::slice>(
        "slice", "microseconds; in the Linux build the system chooses (none given: 1000, 50 for preempt)",
        console::between(10, 1'000'000)),
    thread_option::yields, thread_option::switches, thread_option::wakes, run_option::repeat, run_option::json);

} // namespace mxk::bench
