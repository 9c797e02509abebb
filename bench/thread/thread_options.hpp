// What `bench thread` and `bench semaphore` can measure, and what they can be told.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "bench/frame/core_choice.hpp"
#include "bench/frame/names.hpp"
#include "bench/frame/run_options.hpp"
#include "kernel/console/options.hpp"
#include "tasks/threads/semaphore_kind.hpp"

namespace mxk {

// As options name them.
constexpr auto value_names(SemaphoreKind) {
    return std::array{console::NamedValue{SemaphoreKind::Fast, "fast"},
                      console::NamedValue{SemaphoreKind::Syscall, "syscall"}};
}

} // namespace mxk

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

// What the peers can be told, too (peers/cost_peers.cpp).
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
    thread_option::yields, thread_option::switches, thread_option::wakes, run_option::all);

enum class SemaphoreMeasure : std::uint8_t { Uncontended, PingPong, PingPongAcross, Crowd, CrowdAcross };

// As they are typed and as they stand in results.
constexpr auto value_names(SemaphoreMeasure) {
    using Named = console::NamedValue<SemaphoreMeasure>;
    return std::array{Named{SemaphoreMeasure::Uncontended, "uncontended"},
                      Named{SemaphoreMeasure::PingPong, "ping-pong"},
                      Named{SemaphoreMeasure::PingPongAcross, "ping-pong-across"},
                      Named{SemaphoreMeasure::Crowd, "crowd"}, Named{SemaphoreMeasure::CrowdAcross, "crowd-across"}};
}

constexpr Placement placement_of(SemaphoreMeasure measure) {
    bool const across = measure == SemaphoreMeasure::PingPongAcross || measure == SemaphoreMeasure::CrowdAcross;
    return across ? Placement::TwoCores : Placement::OneCore;
}

// What the peers can be told, too (peers/cost_peers.cpp).
struct SemaphoreCosts : CostOptions {
    NameSet<SemaphoreMeasure> measures{};
    std::uint64_t operations = 1'000'000;
    std::uint32_t yields = 100'000;
    std::uint32_t trips = 10'000;
    std::uint32_t threads = 8;

    // For the row.
    [[nodiscard]] Settings settings_of(SemaphoreMeasure measure) const {
        Settings settings;
        bool const is_crowd = measure == SemaphoreMeasure::Crowd || measure == SemaphoreMeasure::CrowdAcross;
        if (is_crowd) settings.add("threads", threads);
        return settings;
    }
};

struct OwnSemaphoreCosts : SemaphoreCosts {
    SemaphoreKind kind = SemaphoreKind::Fast;
    std::uint32_t slice = 1000; // microseconds

    [[nodiscard]] Settings settings_of(SemaphoreMeasure measure) const {
        Settings settings = SemaphoreCosts::settings_of(measure);
        settings.add("semaphore", name_of(kind));
        settings.add("slice_us", slice);
        return settings;
    }
};

namespace semaphore_option {
constexpr auto operations = console::option<&SemaphoreCosts::operations>(
    "ops", "pairs of wait and post per run: uncontended; crowd (all threads together)",
    console::between(1, 4'000'000'000));
constexpr auto yields = console::option<&SemaphoreCosts::yields>("yields", "per run, that uncontended is compared with",
                                                                 console::between(2, 1'000'000'000));
constexpr auto trips = console::option<&SemaphoreCosts::trips>("trips", "per run: ping-pong, ping-pong-across",
                                                               console::between(1, 10'000'000));
constexpr auto threads =
    console::option<&SemaphoreCosts::threads>("threads", "crowd, crowd-across", console::between(1, 10'000));
} // namespace semaphore_option

constexpr auto semaphore_schema = console::schema<OwnSemaphoreCosts>(
    console::option<&SemaphoreCosts::measures>("measure",
                                               "uncontended, ping-pong, ping-pong-across, crowd, crowd-across (none "
                                               "given: all that the machine can do)"),
    console::option<&OwnSemaphoreCosts::kind>("semaphore", "syscall: every operation goes through the kernel (metal)"),
    cost_option::cores,
    console::option<&OwnSemaphoreCosts::slice>("slice", "microseconds; in the Linux build the system chooses",
                                               console::between(10, 1'000'000)),
    semaphore_option::operations, semaphore_option::yields, semaphore_option::trips, semaphore_option::threads,
    run_option::all);

} // namespace mxk::bench
