// `bench peer`: operations per second of other people's concurrent hash tables, on the same cores, with the same
// instructions and the same clock as `bench table`, so that the two may be divided by each other. Every result is
// verified; a wrong one fails the benchmark, and so does a table that cannot be measured, but only after the others.
#include "peers/peer.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "base/json_line.hpp"
#include "bench/frame/benchmark.hpp"
#include "bench/frame/core_choice.hpp"
#include "bench/trace/trace_report.hpp"
#include "bench/workload/workload.hpp"
#include "peers/peer_run.hpp"
#include "tasks/worker.hpp"

namespace mxk::bench {
namespace {

// The same as for `bench table`, where it means something for a foreign table.
struct PeerOptions : Workload, CoreSetOptions {
    PeerNames<Peer> peers{};
    bool latency = false;
    bool list = false;
};

constexpr auto peer_schema = console::schema<PeerOptions>(
    console::option<&PeerOptions::peers>("peer", "which to measure"), core_set_option::cores,
    workload_option::operations, workload_option::mix, workload_option::ycsb, workload_option::trace,
    workload_option::keys, workload_option::distribution, workload_option::queue, workload_option::slices,
    run_option::repeat, run_option::warm_up, workload_option::seed,
    console::flag<&PeerOptions::latency>("latency",
                                         "how long operations take, from the call or the prefetch of a line"),
    console::flag<&PeerOptions::list>("list", "no measurement: what peers there are"), run_option::json);

template <typename T> FixedText<256> as_text(T const& value) {
    FixedText<256> text;
    print_value(text, value);
    return text;
}

// A configuration is a peer on a number of cores, a phase one of --mix.
class TablePeers final : public Experiment {
  public:
    using Options = PeerOptions;
    static constexpr std::string_view name = "peer";

    // Errors: what was typed is wrong, or contradicts itself; no memory.
    static Result<TablePeers> create(PeerOptions options) {
        MXK_TRY(complete_ycsb(options));
        MXK_TRY(check(options));
        if (options.latency && options.queue == QueueKind::Shared)
            return Error("--latency: expected no --queue shared, where a core takes one instruction after the other");
        if (options.queue == QueueKind::Owner)
            return Error("--queue: expected shared, per-core or node-local: cores own no parts of a peer's table");
        options.queue = queue_or(options, QueueKind::NodeLocal);
        auto trace = MXK_TRY(read_trace(options, Worker::current().node()));
        TablePeers benchmark(std::move(options));
        benchmark.trace_ = std::move(trace);
        benchmark.core_sets_ = MXK_TRY(CoreSetList::create(benchmark.options_.cores));
        benchmark.details_.resize(benchmark.configurations() * benchmark.phases());
        benchmark.file_keys_ = MXK_TRY(read_keys(benchmark.options_, Worker::current().node()));
        return benchmark;
    }

    // What a phase's row says beside its throughput.
    struct Details {
        Durations latency{};
        std::uint64_t page_faults = 0;
    };

    [[nodiscard]] Unit unit() const override { return Unit::OperationsPerSecond; }
    [[nodiscard]] std::size_t configurations() const override { return peers_.size() * core_sets_.size(); }
    [[nodiscard]] std::size_t phases() const override { return options_.mix.size(); }
    [[nodiscard]] bool continues_after_failure() const override { return true; }

    Result<void> run(std::size_t configuration, std::span<Sample> samples, Progress& progress) override {
        if (!run_ || prepared_for_ != configuration) {
            run_.reset(); // gives its memory back first
            run_.emplace(MXK_TRY(PeerRun::create(options_, peer_of(configuration),
                                                 core_sets_.cores(set_of(configuration)), options_.latency)));
            prepared_for_ = configuration;
        }
        MXK_TRY(run_->prepare(progress));
        latest_.assign(phases(), {});
        for (std::size_t phase = 0; phase < phases(); ++phase) {
            if (unsupported(configuration, phase)) break; // and so are those after it
            PeerRun::Outcome const outcome = MXK_TRY(run_->run(options_.mix.list()[phase], progress));
            samples[phase] = {.value = static_cast<double>(outcome.operations) / outcome.time.seconds(),
                              .operations = outcome.operations,
                              .verified = outcome.verified()};
            latest_[phase] = {outcome.latency, outcome.page_faults};
            if (outcome.verified()) continue;
            progress.clear();
            format(
                progress.out(),
                "error: verification of {} failed: {} operations gave a wrong result, {} keys have a wrong value, {} "
                "keys are in the table and should be {}\n",
                peer_of(configuration).name, outcome.wrong, outcome.lost, outcome.in_table, outcome.expected_in_table);
        }
        return {};
    }

    void keep(std::size_t configuration) override {
        std::ranges::copy(latest_, details_.begin() + static_cast<std::ptrdiff_t>(configuration * phases()));
    }

    [[nodiscard]] std::optional<Error> unsupported(std::size_t configuration, std::size_t phase) const override {
        std::string_view const reason = why_not(peer_of(configuration), options_.mix.list()[phase]);
        if (reason.empty()) return std::nullopt;
        return Error(reason);
    }

    void print_head(TextSink& out) const override {
        FixedText<32> operations;
        console::print_count(operations, options_.operations);
        format(out, "peers: {} operations ({}, {}), {} keys, {} queue, seed {}\n", operations.view(),
               options_.ycsb ? as_text(*options_.ycsb).view() : as_text(options_.mix).view(),
               options_.trace ? "dealt by key" : as_text(options_.distribution).view(),
               options_.trace ? *options_.trace : as_text(options_.keys).view(), name_of(*options_.queue),
               options_.seed);
    }
    void print_label_heading(TextSink& out) const override {
        format(out, "{:<20} ", "peer");
        core_sets_.print_heading(out);
        format(out, " {:<6}", "mix");
    }
    void print_label(TextSink& out, Row const& row) const override {
        auto const mix = as_text(mix_of(row));
        format(out, "{:<20} ", peer_of(row.configuration).name);
        core_sets_.print(out, set_of(row.configuration));
        format(out, " {:<6}", mix.view().substr(0, mix.view().find(':'))); // the head has the shares
    }
    void print_title(TextSink& out, Row const& row) const override {
        format(out, "{}, {}, {} cores", peer_of(row.configuration).name, as_text(mix_of(row)).view(),
               core_sets_.label(set_of(row.configuration)));
    }
    void write_settings(JsonWriter& json, Row const& row) const override {
        Peer const& peer = peer_of(row.configuration);
        json.field("peer", peer.name);
        json.field("kind", name_of(peer.kind));
        json.field("library", peer.library);
        json.field("setup", peer.setup);
        json.field("mix", as_text(mix_of(row)).view());
        core_sets_.write(json, set_of(row.configuration));
        json.field("queue", name_of(*options_.queue));
        if (options_.queue == QueueKind::PerCore) json.field("slices", name_of(options_.slices));
        json.field("operations", options_.operations);
        if (options_.ycsb) json.field("workload", as_text(*options_.ycsb).view());
        if (options_.trace) {
            json.field("trace_name", *options_.trace);
        } else {
            json.field("dist", as_text(options_.distribution).view());
            json.field("keys", as_text(options_.keys).view());
            json.field("seed", options_.seed);
        }
        json.field("supported", row.state != Row::State::Unsupported);
    }
    void print_details(TextSink& out, Row const& row) const override {
        if (options_.replay != nullptr) print_trace_results(out, options_.replay->results());
        if (options_.latency) print_durations(out, "operations", details_of(row).latency);
    }
    void write_details(JsonWriter& json, Row const& row) const override {
        if (options_.replay != nullptr) write_trace_results(json, options_.replay->results());
        if (options_.latency) write_durations(json, "latency", details_of(row).latency);
        json.field("page_faults", details_of(row).page_faults);
    }

  private:
    explicit TablePeers(PeerOptions options)
        : options_(std::move(options))
        , peers_(options_.peers.chosen.empty() ? all_peers<Peer>() : options_.peers.chosen) {}

    [[nodiscard]] Peer const& peer_of(std::size_t configuration) const {
        return *peers_[configuration / core_sets_.size()];
    }
    [[nodiscard]] std::size_t set_of(std::size_t configuration) const { return configuration % core_sets_.size(); }
    [[nodiscard]] Mix const& mix_of(Row const& row) const { return options_.mix.list()[row.phase]; }
    [[nodiscard]] Details const& details_of(Row const& row) const {
        return details_[row.configuration * phases() + row.phase];
    }

    // Why a phase cannot be measured; empty: it can.
    [[nodiscard]] std::string_view why_not(Peer const& peer, Mix const& mix) const {
        if (!peer.missing.empty()) return peer.missing;
        if (options_.queue == QueueKind::Shared && !peer.no_shared.empty()) return peer.no_shared;
        if (options_.ycsb) return why_not(peer, *options_.ycsb);
        if (options_.replay != nullptr) return why_not(peer, *options_.replay);
        // Before the first insert or erase by Zipf's law, every key is there; from then on it may be or not.
        bool const finds_all = mix.kind == Mix::Kind::Find && options_.mix.list().front().kind == Mix::Kind::Find;
        if (!options_.distribution.is_uniform() && !finds_all && !peer.no_repeats.empty()) return peer.no_repeats;
        return mix.kind == Mix::Kind::Erase || mix.erase > 0 ? peer.no_erase : std::string_view();
    }

    static std::string_view why_not(Peer const& peer, Ycsb const& workload) {
        // Where cores insert, they work on keys of their own.
        if (workload.shares().inserts == 0 && !peer.no_common.empty()) return peer.no_common;
        if (workload.shares().inserts != 0 && !peer.no_repeats.empty()) return peer.no_repeats;
        return workload.overwrites() ? peer.no_updates : std::string_view();
    }

    static std::string_view why_not(Peer const& peer, TraceReplay const& trace) {
        if (trace.overwrites() && !peer.no_updates.empty()) return peer.no_updates;
        if (trace.overwrites() && !peer.no_common.empty()) return peer.no_common;
        if (trace.misses_writes() && !peer.no_missed_writes.empty()) return peer.no_missed_writes;
        if (trace.repeats() && !peer.no_repeats.empty()) return peer.no_repeats;
        return trace.erases() ? peer.no_erase : std::string_view();
    }

    PeerOptions options_;
    NodeArray<std::uint64_t> file_keys_; // that options_ refers to
    NodeVector<TraceReplay> trace_;      // the same; empty without one
    std::vector<Peer const*> peers_;
    CoreSetList core_sets_;
    std::optional<PeerRun> run_{};
    std::size_t prepared_for_ = 0;   // the configuration that run_ is of
    std::vector<Details> latest_{};  // of the latest run, by phase
    std::vector<Details> details_{}; // of the latest that counts, by row
};

// All that are known, with their libraries, and why any was not built.
void print_list(TextSink& out) {
    for (Peer const* const peer : all_peers<Peer>()) {
        format(out, "{:<20} {:<9} {:<18} ", peer->name, name_of(peer->kind), peer->library);
        if (peer->missing.empty())
            format(out, "{}\n", peer->setup);
        else
            format(out, "not built: {}\n", peer->missing);
    }
}

void print_list_json(TextSink& out) {
    JsonLine line(out);
    JsonWriter& json = line.json();
    json.field("benchmark", "peer-list");
    json.begin_array("peers");
    for (Peer const* const peer : all_peers<Peer>()) {
        json.begin_object();
        json.field("name", peer->name);
        json.field("kind", name_of(peer->kind));
        json.field("library", peer->library);
        json.field("built", peer->missing.empty());
        json.field(peer->missing.empty() ? "setup" : "reason", peer->missing.empty() ? peer->setup : peer->missing);
        json.end_object();
    }
    json.end_array();
    line.end();
}

// As every benchmark; but --list measures nothing.
console::Outcome run_peer(console::Invocation& invocation, PeerOptions const& options) {
    if (!options.list) return run_benchmark<TablePeers>(invocation, options);
    options.json ? print_list_json(invocation.out) : print_list(invocation.out);
    return console::Outcome::Ok;
}

constexpr auto peer_benchmark = console::command<&run_peer, peer_schema>(
    {.name = TablePeers::name,
     .summary = "operations per second of other concurrent hash tables, for comparison with 'bench table'",
     .parent = "bench",
     .notes = "Example: bench peer --peer cuckoo,urcu-lfht --mix insert,find,erase --cores 1,2 --json\n"});
MXK_REGISTER(mxk_commands, console::Command, peer_benchmark);

} // namespace
} // namespace mxk::bench
