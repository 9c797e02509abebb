// `bench peer`: operations per second of other people's concurrent hash tables, on the same cores, with the same
// instructions and the same clock as `bench table`, so that the two may be divided by each other. Every result is
// verified; a wrong one fails the benchmark, and so does a table that cannot be measured, but only after the others.
#include <algorithm>
#include <vector>

#include "bench/frame/core_counts.hpp"
#include "bench/frame/progress.hpp"
#include "bench/peers/peer_experiment.hpp"
#include "bench/peers/peer_options.hpp"
#include "bench/peers/peer_rows.hpp"
#include "bench/workload/workload.hpp"
#include "kernel/console/command.hpp"
#include "tasks/worker.hpp"

namespace mxk::bench {
namespace {

using console::Invocation;

// Why a phase cannot be measured; empty: it can.
std::string_view why_not(Peer const& peer, PeerOptions const& options, Mix const& mix) {
    if (!peer.missing.empty()) return peer.missing;
    // Before the first insert or erase by Zipf's law, every key is there; from then on it may be or not.
    bool const finds_all = mix.kind == Mix::Kind::Find && options.mix.list().front().kind == Mix::Kind::Find;
    if (!options.distribution.is_uniform() && !finds_all && !peer.no_repeats.empty()) return peer.no_repeats;
    return mix.kind == Mix::Kind::Erase || mix.erase > 0 ? peer.no_erase : std::string_view();
}

void print_wrong(TextSink& out, PeerRow const& row, PeerExperiment::Outcome const& outcome) {
    format(out,
           "error: verification of {} failed: {} operations gave a wrong result, {} keys are in the table and should "
           "be {}\n",
           row.peer->name, outcome.wrong, outcome.in_table, outcome.expected_in_table);
}

// `repeat` runs of one configuration, for the rows that can be measured: one for each phase.
Result<void> measure(Invocation& invocation, PeerOptions const& options, std::span<PeerRow> rows, Progress& progress) {
    auto experiment = MXK_TRY(PeerExperiment::create(options, *rows[0].peer, rows[0].cores));
    std::vector<std::vector<double>> throughputs(rows.size());
    for (PeerRow& row : rows) row.verified = true;
    for (std::uint32_t i = 0; i < options.repeat; ++i) {
        MXK_TRY(experiment.prepare(progress));
        for (std::size_t p = 0; p < rows.size(); ++p) {
            PeerExperiment::Outcome const outcome = MXK_TRY(experiment.run(rows[p].mix, progress));
            throughputs[p].push_back(static_cast<double>(options.operations) / outcome.time.seconds());
            if (outcome.verified()) continue;
            rows[p].verified = false;
            progress.clear();
            print_wrong(invocation.out, rows[p], outcome);
        }
    }
    for (std::size_t p = 0; p < rows.size(); ++p) rows[p].throughput = summarise(throughputs[p]);
    return {};
}

// One peer with one number of cores: all phases. Errors: interrupted by Ctrl-C; what else goes wrong stands in the
// rows.
Result<std::vector<PeerRow>> measure_peer(Invocation& invocation, PeerOptions const& options, Peer const& peer,
                                          std::uint32_t cores, Progress& progress) {
    std::vector<PeerRow> rows;
    std::size_t possible = 0; // phases: what cannot be measured comes last
    for (Mix const& mix : options.mix.list()) {
        std::string_view const reason = why_not(peer, options, mix);
        rows.push_back({.peer = &peer, .cores = cores, .mix = mix});
        if (reason.empty()) {
            ++possible;
            continue;
        }
        rows.back().state = PeerRow::State::Unsupported;
        rows.back().reason = reason;
    }
    if (possible == 0) return rows;
    std::span<PeerRow> const measurable(rows.data(), possible);
    if (auto const measured = measure(invocation, options, measurable, progress); !measured) {
        MXK_TRY(progress.check());
        for (PeerRow& row : measurable) {
            row.state = PeerRow::State::Failed;
            row.reason = measured.error().message();
            row.verified = false;
        }
    }
    return rows;
}

// What was measured before an interruption is still reported.
Result<void> measure_all(Invocation& invocation, PeerOptions const& options, std::vector<PeerRow>& rows) {
    Progress progress(invocation);
    for (Peer const* const peer : options.peers.peers.empty() ? all_peers() : options.peers.peers) {
        for (std::uint32_t const cores : options.cores.values()) {
            for (PeerRow& row : MXK_TRY(measure_peer(invocation, options, *peer, cores, progress))) {
                progress.clear();
                print_peer_row(invocation.out, options, row);
                rows.push_back(std::move(row));
            }
        }
    }
    return {};
}

console::Outcome run_peer(Invocation& invocation, PeerOptions const& typed) {
    PeerOptions options = typed;
    if (options.list) {
        options.json ? print_peer_list_json(invocation.out) : print_peer_list(invocation.out);
        return console::Outcome::Ok;
    }
    if (auto const known = complete_core_counts(options.cores); !known) return invocation.fail(known.error());
    if (auto const checked = check(options); !checked) return invocation.fail(checked.error());
    auto const file_keys = read_keys(options, Worker::current().node());
    if (!file_keys) return invocation.fail(file_keys.error());
    print_peer_head(invocation.out, options);
    std::vector<PeerRow> rows;
    auto const measured = measure_all(invocation, options, rows);
    if (options.json)
        for (PeerRow const& row : rows) print_peer_json(invocation.out, options, row);
    if (!measured) return invocation.fail(measured.error());
    bool const verified = std::all_of(rows.begin(), rows.end(), [](PeerRow const& row) {
        return row.verified || row.state == PeerRow::State::Unsupported;
    });
    return verified ? console::Outcome::Ok : console::Outcome::Failed;
}

constexpr auto peer_benchmark = console::command<&run_peer, peer_schema>(
    {.name = "peer",
     .summary = "operations per second of other concurrent hash tables, for comparison with 'bench table'",
     .parent = "bench",
     .notes = "Example: bench peer --peer cuckoo,urcu-lfht --mix insert,find,erase --cores 1,2 --json\n"});
MXK_REGISTER(mxk_commands, console::Command, peer_benchmark);

} // namespace
} // namespace mxk::bench
