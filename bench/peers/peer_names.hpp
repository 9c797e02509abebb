// Which peers are to be measured: names with commas between them, or all. What kernel/console/options.hpp asks of an
// option's type.
#pragma once

#include <algorithm>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/text.hpp"
#include "kernel/console/completion.hpp"
#include "kernel/console/named.hpp"

namespace mxk::bench {

// Specialised for each kind of peer: `all()`, which are registered, and `list`, the command that shows them.
template <typename Peer> struct PeerRegistry;

template <typename Peer> struct PeerNames { std::vector<Peer const*> chosen{}; };

// In the order of names.
template <typename Peer> std::vector<Peer const*> all_peers() {
    std::vector<Peer const*> result;
    console::for_each_by_name(PeerRegistry<Peer>::all(), [&](Peer const& peer) { result.push_back(&peer); });
    return result;
}

// Errors: no such peer, or one that was not built.
template <typename Peer> Result<void> parse_value(std::string_view text, PeerNames<Peer>& names) {
    auto const known = PeerRegistry<Peer>::all();
    names.chosen.clear();
    for (std::string_view rest = text;;) {
        std::size_t const comma = std::min(rest.find(','), rest.size());
        std::string_view const name = rest.substr(0, comma);
        Peer const* const peer = console::find_by_name(known, name);
        if (peer == nullptr) {
            Error const unknown = console::unknown_name("peer", name, known);
            return Error::of("{} ('{}' lists all)", unknown.message(), PeerRegistry<Peer>::list);
        }
        if (!peer->missing.empty()) return Error::of("peer '{}' was not built: {}", name, peer->missing);
        names.chosen.push_back(peer);
        if (comma == rest.size()) return {};
        rest.remove_prefix(comma + 1);
    }
}

template <typename Peer> void print_value(TextSink& out, PeerNames<Peer> const& names) {
    std::string_view separator;
    for (Peer const* const peer : names.chosen) {
        format(out, "{}{}", separator, peer->name);
        separator = ",";
    }
    if (names.chosen.empty()) out.write("all");
}

template <typename Peer> void describe_value(TextSink& out, PeerNames<Peer> const&) {
    out.write("NAME,NAME,...");
}

template <typename Peer> void complete_value(console::Candidates& candidates, PeerNames<Peer> const&) {
    for (Peer const* const peer : PeerRegistry<Peer>::all()) candidates.offer(peer->name);
}

} // namespace mxk::bench
