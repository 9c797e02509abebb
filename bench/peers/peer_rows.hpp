// What `bench peer` reports: one row for each peer, number of cores and phase, for people and as JSON.
#pragma once

#include <cstdint>
#include <string>

#include "base/text.hpp"
#include "bench/frame/statistics.hpp"
#include "bench/peers/peer.hpp"
#include "bench/peers/peer_options.hpp"
#include "bench/workload/phases.hpp"

namespace mxk::bench {

struct PeerRow {
    enum class State : std::uint8_t { Measured, Unsupported, Failed };

    Peer const* peer = nullptr;
    std::uint32_t cores = 0;
    Mix mix;
    State state = State::Measured;
    std::string reason{}; // why there is no measurement
    Summary throughput{}; // operations per second
    bool verified = false;
};

void print_peer_head(TextSink& out, PeerOptions const& options);
void print_peer_row(TextSink& out, PeerOptions const& options, PeerRow const& row);
void print_peer_json(TextSink& out, PeerOptions const& options, PeerRow const& row);

// All that are known, with their libraries, and why any was not built.
void print_peer_list(TextSink& out);
void print_peer_list_json(TextSink& out);

} // namespace mxk::bench
