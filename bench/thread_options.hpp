// What `bench thread` can measure, and what it can be told.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "base/units.hpp"
#include "bench/core_choice.hpp"
#include "bench/name_set.hpp"
#include "bench/named_values.hpp"
#include "kernel/console/options.hpp"

namespace mxk::bench {

// Preempt comes last: it takes longest in the Linux build, and fails where the system's policy has no slices.
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

constexpr Nanoseconds microseconds(std::uint32_t count) {
    return static_cast<Nanoseconds>(std::uint64_t{count} * 1000);
}

// What the peers can be told, too (bench/peers/thread_peer.cpp).
struct ThreadCosts {
    NameSet<ThreadMeasure> measures{};
    console::CountList cores{}; // empty: core 0 and its neighbours
    std::uint32_t yields = 100'000;
    std::uint32_t switches = 1000;
    std::uint32_t wakes = 500;
    std::uint32_t repeat = 5;
    bool json = false;

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
constexpr auto cores = console::option<&ThreadCosts::cores>(
    "cores", "the core measured and the other one (none given: 0 and the next)", console::between(0, 65535));
constexpr auto yields =
    console::option<&ThreadCosts::yields>("yields", "per run: yield", console::between(2, 1'000'000'000));
constexpr auto switches =
    console::option<&ThreadCosts::switches>("switches", "per run: preempt", console::between(2, 1'000'000));
constexpr auto wakes =
    console::option<&ThreadCosts::wakes>("wakes", "per run: wake, wake-across", console::between(1, 1'000'000));
constexpr auto repeat =
    console::option<&ThreadCosts::repeat>("repeat", "runs per row; the median is reported", console::between(1, 1000));
constexpr auto json = console::flag<&ThreadCosts::json>("json", "one JSON line per row at the end, for tools");
} // namespace thread_option

constexpr auto thread_schema = console::schema<OwnThreadCosts>(
    console::option<&ThreadCosts::measures>(
        "measure", "yield, wake, wake-across, preempt (none given: all that the machine can do)"),
    thread_option::cores,
    console::option<&OwnThreadCosts::slice>(
        "slice", "microseconds; in the Linux build the system chooses (none given: 1000, 50 for preempt)",
        console::between(10, 1'000'000)),
    thread_option::yields, thread_option::switches, thread_option::wakes, thread_option::repeat, thread_option::json);

} // namespace mxk::bench
