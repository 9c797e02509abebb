// What `bench peer` can be told: the same as `bench table`, where it means something for a foreign table.
#pragma once

#include <cstdint>

#include "bench/peers/peer_selection.hpp"
#include "bench/workload/workload.hpp"
#include "kernel/console/options.hpp"

namespace mxk::bench {

struct PeerOptions : Workload {
    PeerSelection peers;
    console::CountList cores; // empty: powers of two, and all
    std::uint32_t repeat = 1;
    bool list = false;
    bool json = false;
};

constexpr auto peer_schema = console::schema<PeerOptions>(
    console::option<&PeerOptions::peers>("peer", "which to measure"),
    console::option<&PeerOptions::cores>("cores", "core counts (none given: 1, 2, 4 ... all)",
                                         console::between(1, 65536)),
    workload_option::operations, workload_option::mix, workload_option::keys, workload_option::distribution,
    console::option<&PeerOptions::repeat>("repeat", "runs per row; the median is reported", console::between(1, 1000)),
    workload_option::seed, console::flag<&PeerOptions::list>("list", "no measurement: what peers there are"),
    console::flag<&PeerOptions::json>("json", "one JSON line per row at the end, for tools"));

} // namespace mxk::bench
