// Which peers are to be measured: names with commas between them, or all.
#pragma once

#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/text.hpp"
#include "bench/peers/peer.hpp"

namespace mxk::bench {

struct PeerSelection {
    std::vector<Peer const*> peers; // empty: all
};

// In the order of names.
std::vector<Peer const*> all_peers();

// What kernel/console/options.hpp asks of an option's type. Errors: no such peer, or one that was not built.
Result<void> parse_value(std::string_view text, PeerSelection& selection);
void print_value(TextSink& out, PeerSelection const& selection);
void describe_value(TextSink& out, PeerSelection const& selection);

} // namespace mxk::bench
