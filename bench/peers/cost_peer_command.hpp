// The frame of a command that measures peers (cost_peer.hpp): one measure after the other, in each all peers that have
// it; rows, and JSON lines at the end.
#pragma once

#include <algorithm>
#include <exception>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.hpp"
#include "base/registry.hpp"
#include "bench/frame/cost_repeated.hpp"
#include "bench/frame/machine_record.hpp"
#include "bench/frame/progress.hpp"
#include "bench/peers/cost_peer.hpp"
#include "kernel/console/command.hpp"
#include "kernel/console/named.hpp"
#include "kernel/console/options.hpp"
#include "kernel/topology/system_topology.hpp"

namespace mxk::bench {

// Names of peers, as typed; `registered` gives the peers there are, and Tab offers them.
template <auto registered> struct PeerNames { std::string_view text; };

template <auto registered> Result<void> parse_value(std::string_view text, PeerNames<registered>& names) {
    names.text = text;
    return {};
}
template <auto registered> void print_value(TextSink& out, PeerNames<registered> const& names) {
    out.write(names.text);
}
template <auto registered> void describe_value(TextSink& out, PeerNames<registered> const&) {
    out.write("WORD");
}
template <auto registered> void complete_value(console::Candidates& candidates, PeerNames<registered> const&) {
    for (auto const* const peer : registered()) candidates.offer(peer->name);
}

template <typename Options, auto registered> struct PeerOptions : Options { PeerNames<registered> peers; };

// The peers' threads run while the console's waits for them; between two runs its core comes to its safe point once,
// where progress is shown and Ctrl-C is seen.
void pass_safe_point();

std::string text_of(std::string_view who, std::string_view what, std::string_view why);

// Options: as CostBenchmark asks, with `measures` and `cores`.
template <typename Measure, typename Options> class CostPeerCommand {
  public:
    using Peer = CostPeer<Measure, Options>;
    using Peers = Registered<Peer>;

    // `name`: as in `bench NAME`. `wrong`: what has happened where a row is marked NO.
    template <auto registered>
    CostPeerCommand(std::string_view name, std::string_view wrong, PeerOptions<Options, registered> const& options)
        : name_(name)
        , wrong_(wrong)
        , known_(registered())
        , chosen_(options.peers.text)
        , options_(options) {}

    console::Outcome measure(console::Invocation& invocation) {
        auto const measured = measure_all(invocation);
        if (options_.json)
            for (Row const& row : rows_) print_json(invocation.out, row);
        if (!measured) return invocation.fail(measured.error());
        bool const verified = std::all_of(rows_.begin(), rows_.end(), [](Row const& row) { return row.row.verified; });
        if (!verified) return invocation.fail(Error::of("verification failed: {} (rows marked NO)", wrong_));
        return console::Outcome::Ok;
    }

  private:
    struct Row {
        Peer const* peer;
        CostRow row;
    };

    Result<void> measure_all(console::Invocation& invocation) {
        MXK_TRY(choose_peers());
        auto const cores = MXK_TRY(CoreChoice::choose(system_topology(), options_.cores.values()));
        Progress progress(invocation); // whoever sees the head can end it
        format(invocation.out, "{}: {} runs per row\n", name_, options_.repeat);
        for (Peer const* const peer : peers_)
            format(invocation.out, "{}: {}\n", peer->name, std::string_view(peer->library()));
        print_cost_head(invocation.out);
        for (auto const& known : value_names(Measure{})) {
            if (options_.measures.empty() || options_.measures.has(known.value))
                MXK_TRY(measure_peers(invocation, known.value, cores, progress));
        }
        for (std::string_view const skipped : skipped_) format(invocation.out, "skipped: {}\n", skipped);
        if (rows_.empty()) return Error("nothing was measured: no peer chosen has a measure chosen on this machine");
        return {};
    }

    // Those named, or all. One that was not built is an error if it was named.
    Result<void> choose_peers() {
        std::string_view const names = chosen_;
        if (names.empty()) {
            console::for_each_by_name(known_, [&](Peer const& peer) {
                if (peer.missing.empty())
                    peers_.push_back(&peer);
                else
                    skipped_.push_back(text_of(peer.name, "", peer.missing));
            });
            return {};
        }
        for (std::size_t from = 0; from <= names.size();) {
            std::string_view const name = names.substr(from, names.find(',', from) - from);
            Peer const* const peer = console::find_by_name(known_, name);
            if (peer == nullptr) {
                Error const unknown = console::unknown_name("peer", name, known_);
                return Error::of("--peer: {} ('help bench {}' lists all)", unknown.message(), name_);
            }
            if (!peer->missing.empty()) return Error::of("--peer: {}: {}", name, peer->missing);
            peers_.push_back(peer);
            from += name.size() + 1;
        }
        return {};
    }

    // One measure of all peers that have it. What was measured before an error is still reported.
    Result<void> measure_peers(console::Invocation& invocation, Measure measure, CoreChoice const& cores,
                               Progress& progress) {
        bool named = false;
        for (Peer const* const peer : peers_) {
            if (!peer->measures.has(measure)) continue;
            auto const pair = cores_for(*peer, measure, cores);
            if (!pair) {
                skipped_.push_back(text_of(peer->name, name_of(measure), pair.error().message()));
                continue;
            }
            rows_.push_back({peer, MXK_TRY(measure_row(*peer, measure, pair.value(), progress))});
            progress.clear();
            if (!std::exchange(named, true)) format(invocation.out, "{}\n", name_of(measure));
            print_cost_row(invocation.out, std::string("  ").append(peer->name), rows_.back().row);
        }
        return {};
    }

    static Result<CorePair> cores_for(Peer const& peer, Measure measure, CoreChoice const& cores) {
        Placement const placement = placement_of(measure);
        bool const takes_second = placement == Placement::OneCore && peer.two_threads;
        return cores.cores_for(takes_second ? Placement::SameNode : placement);
    }

    Result<CostRow> measure_row(Peer const& peer, Measure measure, CorePair cores, Progress const& progress) {
        CostRow row{.measure = name_of(measure), .cores = cores, .settings = options_.settings_of(measure)};
        auto const repeated =
            repeat_runs(options_.repeat, row, [&] { return run_once(peer, measure, cores, progress); });
        if (!repeated) return Error(text_of(peer.name, row.measure, repeated.error().message()));
        return row;
    }

    Result<Sample> run_once(Peer const& peer, Measure measure, CorePair cores, Progress const& progress) {
        pass_safe_point();
        MXK_TRY(progress.check());
        try {
            return peer.run(measure, cores, options_);
        } catch (std::exception const& thrown) {
            return Error::of("{}", std::string_view(thrown.what()));
        }
    }

    void print_json(TextSink& out, Row const& row) const {
        JsonWriter json(out);
        json.begin_object();
        json.field("benchmark", name_);
        json.field("peer", row.peer->name);
        json.field("library", std::string_view(row.peer->library()));
        write_cost_row(json, row.row);
        json.begin_array("skipped");
        for (std::string_view const skipped : skipped_) json.element(skipped);
        json.end_array();
        write_machine(json);
        json.end_object();
        out.write("\n");
    }

    std::string_view name_;
    std::string_view wrong_;
    Peers known_;
    std::string_view chosen_; // names with commas between; empty: all
    Options const& options_;
    std::vector<Peer const*> peers_; // chosen
    std::vector<Row> rows_;
    std::vector<std::string> skipped_; // for each that was not measured, why not
};

// The list below a command's options in its help.
template <typename Peer> void list_cost_peers(TextSink& out, Registered<Peer> peers) {
    out.write("Peers:\n");
    console::for_each_by_name(peers, [&](Peer const& peer) {
        FixedText<128> measures;
        print_value(measures, peer.measures);
        format(out, "  {:<18} {}\n", peer.name, peer.missing.empty() ? measures.view() : peer.missing);
    });
}

} // namespace mxk::bench
