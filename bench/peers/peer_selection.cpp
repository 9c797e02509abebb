#include "bench/peers/peer_selection.hpp"

#include <algorithm>

#include "kernel/console/named.hpp"

namespace mxk::bench {

std::vector<Peer const*> all_peers() {
    std::vector<Peer const*> result;
    console::for_each_by_name(registered_peers(), [&](Peer const& peer) { result.push_back(&peer); });
    return result;
}

Result<void> parse_value(std::string_view text, PeerSelection& selection) {
    selection.peers.clear();
    for (std::string_view rest = text;;) {
        std::size_t const comma = std::min(rest.find(','), rest.size());
        std::string_view const name = rest.substr(0, comma);
        Peer const* const peer = console::find_by_name(registered_peers(), name);
        if (peer == nullptr) {
            Error const unknown = console::unknown_name("peer", name, registered_peers());
            return Error::of("{} ('bench peer --list' lists all)", unknown.message());
        }
        if (!peer->missing.empty()) return Error::of("peer '{}' was not built: {}", name, peer->missing);
        selection.peers.push_back(peer);
        if (comma == rest.size()) return {};
        rest.remove_prefix(comma + 1);
    }
}

void print_value(TextSink& out, PeerSelection const& selection) {
    std::string_view separator;
    for (Peer const* const peer : selection.peers) {
        format(out, "{}{}", separator, peer->name);
        separator = ",";
    }
    if (selection.peers.empty()) out.write("all");
}

void describe_value(TextSink& out, PeerSelection const&) {
    out.write("NAME,NAME,...");
}

} // namespace mxk::bench
