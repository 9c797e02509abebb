// What `bench task` can measure, and what it can be told.
#pragma once

#include <array>
#include <cstdint>

#include "bench/frame/core_choice.hpp"
#include "bench/frame/names.hpp"
#include "bench/frame/run_options.hpp"
#include "kernel/console/options.hpp"

namespace mxk::bench {

enum class Measure : std::uint8_t { Local, Hop, Stream, Mail, RoundTrip, RemoteRoundTrip, Wake };

// As they are typed and as they stand in results.
constexpr auto value_names(Measure) {
    using Named = console::NamedValue<Measure>;
    return std::array{Named{Measure::Local, "local"},
                      Named{Measure::Hop, "hop"},
                      Named{Measure::Stream, "stream"},
                      Named{Measure::Mail, "mail"},
                      Named{Measure::RoundTrip, "round-trip"},
                      Named{Measure::RemoteRoundTrip, "remote-round-trip"},
                      Named{Measure::Wake, "wake"}};
}

constexpr Placement placement_of(Measure measure) {
    switch (measure) {
    case Measure::Local: return Placement::OneCore;
    case Measure::RemoteRoundTrip: return Placement::OtherNode;
    case Measure::Wake: return Placement::TwoCores; // asleep is asleep, wherever
    default: return Placement::SameNode;
    }
}

// Whether single operations are timed, not a whole run.
constexpr bool is_latency(Measure measure) {
    return measure == Measure::RoundTrip || measure == Measure::RemoteRoundTrip || measure == Measure::Wake;
}

using MeasureSet = NameSet<Measure>;

struct TaskOptions : CostOptions {
    MeasureSet measures{};
    std::uint64_t operations = 1'000'000;
    std::uint32_t depth = 100;
    std::uint32_t pool = 1024;
    std::uint32_t trips = 10'000;
    std::uint32_t wakes = 500;

    // For the row: how many tasks are under way at once, where it is not one.
    [[nodiscard]] Settings settings_of(Measure measure) const {
        Settings settings;
        bool const is_stream = measure == Measure::Stream || measure == Measure::Mail;
        if (!is_latency(measure)) settings.add("depth", is_stream ? pool : depth);
        return settings;
    }
};

// One by one, because the peers take them, too (peers/cost_peers.cpp).
namespace task_option {
constexpr auto operations = console::option<&TaskOptions::operations>(
    "ops", "tasks or hops per run: local, hop, stream, mail", console::between(1, 4'000'000'000));
constexpr auto depth = console::option<&TaskOptions::depth>("depth", "tasks under way at once: local, hop",
                                                            console::between(1, 1'000'000));
constexpr auto pool = console::option<&TaskOptions::pool>("pool", "tasks that are sent again and again: stream, mail",
                                                          console::between(1, 1'000'000));
constexpr auto trips = console::option<&TaskOptions::trips>("trips", "per run: round-trip, remote-round-trip",
                                                            console::between(1, 10'000'000));
constexpr auto wakes = console::option<&TaskOptions::wakes>("wakes", "per run: wake", console::between(1, 1'000'000));
} // namespace task_option

constexpr auto task_schema = console::schema<TaskOptions>(
    console::option<&TaskOptions::measures>(
        "measure",
        "local, hop, stream, mail, round-trip, remote-round-trip, wake (none given: all that the machine can do)"),
    cost_option::cores, task_option::operations, task_option::depth, task_option::pool, task_option::trips,
    task_option::wakes, run_option::all);

} // namespace mxk::bench
