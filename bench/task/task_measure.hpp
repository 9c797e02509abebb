// What `bench task` can measure.
#pragma once

#include <array>
#include <cstdint>

#include "bench/frame/core_choice.hpp"
#include "bench/frame/name_set.hpp"

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

} // namespace mxk::bench
