// What `bench peer` can be told: the same as `bench table`, where it means something for a foreign table.
#pragma once

#include <cstdint>

#include "bench/peers/peer_selection.hpp"
#include "bench/phases.hpp"
#include "kernel/console/options.hpp"

namespace mxk::bench {

struct PeerOptions {
    PeerSelection peers;
    console::CountList cores; // empty: powers of two, and all
    std::uint64_t operations = 24'000'000;
    Phases mix;
    std::uint32_t repeat = 1;
    std::uint64_t seed = 1;
    bool list = false;
    bool json = false;
};

constexpr auto peer_schema = console::schema<PeerOptions>(
    console::option<&PeerOptions::peers>("peer", "which to measure"),
    console::option<&PeerOptions::cores>("cores", "core counts (none given: 1, 2, 4 ... all)",
                                         console::between(1, 65536)),
    console::option<&PeerOptions::operations>("ops", "operations per run", console::between(1, 4'000'000'000)),
    console::option<&PeerOptions::mix>("mix", "phases insert,find,erase on one table, a row each"),
    console::option<&PeerOptions::repeat>("repeat", "runs per row; the median is reported", console::between(1, 1000)),
    console::option<&PeerOptions::seed>("seed", "of the keys and of their order"),
    console::flag<&PeerOptions::list>("list", "no measurement: what peers there are"),
    console::flag<&PeerOptions::json>("json", "one JSON line per row at the end, for tools"));

} // namespace mxk::bench
