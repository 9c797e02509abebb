// `bench peer`: operations per second of other people's concurrent hash tables, on the same cores, with the same
// instructions and the same clock as `bench table`, so that the two may be divided by each other. Every result is
// verified; a wrong one fails the benchmark, and so does a table that cannot be measured, but only after the others.
#include "peers/peer.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "base/json_line.hpp"
#include "bench/frame/grid.hpp"
#include "bench/table/table_benchmark.hpp"
#include "bench/table/table_sweep.hpp"
#include "bench/trace/trace_report.hpp"
#include "bench/workload/workload.hpp"
#include "kernel/console/words.hpp"
#include "peers/peer_run.hpp"
#include "tasks/worker.hpp"

namespace mxk::bench {
namespace {

// The same as for `bench table`, where it means something for a foreign table.
struct PeerOptions : Workload, CoreSetOptions {
    PeerOptions()
        : CoreSetOptions{{.repeat = 1, .warm_up = 1}, {}} {} // as in bench table

    KindNames<Peer> peers{};
    std::optional<TableSweep> sweep;
    std::optional<std::string_view> table; // options of `bench table`
    bool latency = false;
    bool list = false;
};

constexpr auto peer_schema = console::schema<PeerOptions>(
    console::option<&PeerOptions::peers>("peer", "which to measure"), core_set_option::cores,
    workload_option::operations, workload_option::mix, workload_option::ycsb, workload_option::trace,
    workload_option::keys, workload_option::distribution, workload_option::queue, workload_option::slices,
    workload_option::seed,
    console::option<&PeerOptions::table>(
        "table", "MXK's own in turns with the peers: --table='--layout bucketed --submit batch'"),
    console::option<&PeerOptions::sweep>("sweep",
                                         "a row for each number of keys, of tables from 16 KiB to this size at "
                                         "32 bytes a key (--mix find; --ops: finds for each row)"),
    console::flag<&PeerOptions::latency>("latency",
                                         "how long operations take, from the call or the prefetch of a line"),
    console::flag<&PeerOptions::list>("list", "no measurement: what peers there are"), run_option::all);

template <typename T> FixedText<256> as_text(T const& value) {
    FixedText<256> text;
    print_value(text, value);
    return text;
}

class TablePeers final : public GridExperiment {
  public:
    using Options = PeerOptions;
    static constexpr std::string_view name = "peer";

    explicit TablePeers(Options const& options)
        : options_(options) {}
    // Errors: what was typed is wrong, or contradicts itself; no memory.
    Result<void> set_up() override {
        MXK_TRY(complete_ycsb(options_));
        MXK_TRY(check(options_));
        if (options_.latency && options_.queue == QueueKind::Shared)
            return Error("--latency: expected no --queue shared, where a core takes one instruction after the other");
        if (options_.queue == QueueKind::Owner)
            return Error("--queue: expected shared, per-core or node-local: cores own no parts of a peer's table");
        if (options_.sweep && options_.queue == QueueKind::Shared)
            return Error("--sweep: expected no --queue shared, whose instructions are taken once");
        options_.queue = queue_or(options_, QueueKind::NodeLocal);
        if (options_.table) table_.emplace(MXK_TRY(make_table())); // before a trace is read: it reads its own
        trace_ = MXK_TRY(read_trace(options_, Worker::current().node()));
        peers_ = MXK_TRY(options_.peers.kinds());
        if (table_) names_.push_back("bench-table");
        for (Peer const* const peer : peers_.span()) names_.push_back(peer->name);
        add(Axis::of("peer", 20, names_, ""));
        MXK_TRY(add_cores(options_.cores));
        for (Mix const& mix : options_.mix.list()) mixes_.push_back(as_text(mix));
        add(Axis::phases({.heading = "mix", .key = {}, .width = 6, .size = mixes_.size()}));
        sizes_ = MXK_TRY(TableSizes::choose(options_, options_.sweep, bytes_per_key));
        for (std::size_t at = 0; at < sizes_.count(); ++at) keys_.push_back(sizes_.operations(at));
        options_.operations = keys_.back();
        file_keys_ = MXK_TRY(read_keys(options_, Worker::current().node()));
        workloads_.assign(sizes_.count(), options_);
        for (std::size_t at = 0; at < sizes_.count(); ++at) workloads_[at].operations = keys_[at];
        if (sizes_.is_sweep()) add(Axis::of("keys", 9, keys_, ""));
        details_.resize(configurations() * phases());
        return {};
    }

    [[nodiscard]] Unit unit() const override { return Unit::OperationsPerSecond; }
    [[nodiscard]] bool has_speed_up() const override { return false; }
    [[nodiscard]] bool continues_after_failure() const override { return true; }

    Result<void> run_at(Point const& point, std::span<Sample> samples, Progress& progress) override {
        std::size_t const configuration = configuration_of(point);
        if (is_table(point)) {
            run_.reset(); // gives its memory back first
            return table_->run(point[1], samples, progress);
        }
        if (table_) table_->release();
        Peer const& peer = peer_of(point);
        if (!run_ || prepared_for_ != configuration) {
            run_.reset(); // gives its memory back first
            std::size_t const size = point[size_axis];
            auto queue = MXK_TRY(InstructionQueue::create(workloads_[size], *options_.queue, cores(point)));
            run_.emplace(workloads_[size], peer, std::move(queue), options_.latency,
                         sizes_.is_sweep() ? sizes_.passes(size) : 1);
            prepared_for_ = configuration;
        }
        MXK_TRY(run_->prepare(progress));
        latest_.assign(phases(), {});
        for (std::size_t phase = 0; phase < phases(); ++phase) {
            if (!why_not(peer, options_.mix.list()[phase]).empty()) break; // and so are those after it
            PeerRun::Outcome const outcome = MXK_TRY(run_->run(options_.mix.list()[phase], progress));
            samples[phase] = {.value = static_cast<double>(outcome.operations) / outcome.time.seconds(),
                              .operations = outcome.operations,
                              .verified = outcome.verified()};
            latest_[phase] = outcome;
            if (outcome.verified()) continue;
            progress.clear();
            format(
                progress.out(),
                "error: verification of {} failed: {} operations gave a wrong result, {} keys have a wrong value, {} "
                "keys are in the table and should be {}\n",
                peer.name, outcome.wrong, outcome.lost, outcome.in_table, outcome.expected_in_table);
        }
        return {};
    }

    void keep(std::size_t configuration) override {
        Point const point = point_of(configuration);
        if (is_table(point)) return table_->keep(point[1]);
        std::ranges::copy(latest_, details_.begin() + static_cast<std::ptrdiff_t>(configuration * phases()));
    }

    [[nodiscard]] std::optional<Error> unsupported_at(Point const& point) const override {
        if (is_table(point)) return std::nullopt;
        std::string_view const reason = why_not(peer_of(point), options_.mix.list()[point[2]]);
        if (reason.empty()) return std::nullopt;
        return Error(reason);
    }

    void print_head(TextSink& out) const override {
        FixedText<32> operations;
        console::print_count(operations, sizes_.wanted());
        format(out, "peers: {} operations ({}, {}), {} keys, {} queue, seed {}\n", operations.view(),
               options_.ycsb ? as_text(*options_.ycsb).view() : as_text(options_.mix).view(),
               options_.trace ? "dealt by key" : as_text(options_.distribution).view(),
               options_.trace ? *options_.trace : as_text(options_.keys).view(), name_of(*options_.queue),
               options_.seed);
    }
    void write_settings(JsonWriter& json, Row const& row) const override {
        Point const point = point_of(row);
        json.field("peer", names_[point[0]]);
        json.field("kind", is_table(point) ? "mxk" : name_of(peer_of(point).kind));
        json.field("library", is_table(point) ? "none" : peer_of(point).library);
        json.field("setup", is_table(point) ? *options_.table : peer_of(point).setup);
        json.field("mix", mixes_[point[2]].view());
        core_sets().write(json, point[1]);
        json.field("queue", name_of(*options_.queue));
        if (options_.queue == QueueKind::PerCore) json.field("slices", name_of(options_.slices));
        json.field("operations", keys_[point[size_axis]]);
        if (sizes_.is_sweep()) json.field("passes", sizes_.passes(point[size_axis]));
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
        if (is_table(point_of(row))) return table_->print_details(out, inner(row));
        if (options_.replay != nullptr) print_trace_results(out, options_.replay->results());
        if (options_.latency) print_durations(out, "operations", details_of(row).latency);
    }
    void write_details(JsonWriter& json, Row const& row) const override {
        if (is_table(point_of(row))) return table_->write_details(json, inner(row));
        if (options_.replay != nullptr) write_trace_results(json, options_.replay->results());
        if (options_.latency) write_durations(json, "latency", details_of(row).latency);
        json.field("page_faults", details_of(row).page_faults);
    }

  private:
    static constexpr std::size_t size_axis = 3;
    static constexpr double bytes_per_key = 32;

    // What is measured is said once, for all.
    Result<TableBenchmark> make_table() {
        constexpr std::array said_besides = {
            "--cores",  "--ops",  "--mix",    "--workload", "--trace", "--keys",    "--dist",     "--queue",
            "--slices", "--seed", "--repeat", "--warm-up",  "--sweep", "--latency", "--counters", "--json"};
        if (options_.sweep) return Error("--table: expected no --sweep besides, whose sizes are the peers'");
        MXK_TRY(words_.split(*options_.table));
        for (std::string_view const word : words_.all())
            if (std::ranges::find(said_besides, word.substr(0, word.find('='))) != said_besides.end())
                return Error::of("--table: expected how, such as '--layout bucketed --submit batch', got {}, which is "
                                 "bench peer's",
                                 word);
        TableOptions table;
        MXK_TRY(console::parse(words_.all(), table_schema, table));
        static_cast<Workload&>(table) = options_;
        table.cores = options_.cores;
        table.latency = options_.latency;
        return TableBenchmark::create(table);
    }
    [[nodiscard]] bool is_table(Point const& point) const { return table_ && point[0] == 0; }
    [[nodiscard]] Peer const& peer_of(Point const& point) const { return *peers_[point[0] - (table_ ? 1 : 0)]; }
    // As the table's own benchmark counts.
    [[nodiscard]] Row inner(Row row) const {
        row.configuration = point_of(row)[1];
        return row;
    }

    // The head has the shares.
    void print_value(TextSink& out, std::size_t axis, std::size_t at) const override {
        if (axis != 2) return GridExperiment::print_value(out, axis, at);
        std::string_view const mix = mixes_[at].view();
        out.write(mix.substr(0, mix.find(':')));
    }
    [[nodiscard]] PeerRun::Outcome const& details_of(Row const& row) const {
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
    console::Words words_;
    std::optional<TableBenchmark> table_{};
    std::vector<std::string_view> names_{}; // of the table, and the peers
    TableSizes sizes_{};
    std::vector<std::uint64_t> keys_{};  // by size
    std::vector<Workload> workloads_{};  // the same
    NodeArray<std::uint64_t> file_keys_; // that options_ refers to
    NodeVector<TraceReplay> trace_;      // the same; empty without one
    KindList<Peer> peers_;
    std::vector<FixedText<256>> mixes_; // of the phases
    std::optional<PeerRun> run_{};
    std::size_t prepared_for_ = 0;            // the configuration that run_ is of
    std::vector<PeerRun::Outcome> latest_{};  // of the latest run, by phase
    std::vector<PeerRun::Outcome> details_{}; // of the latest that counts, by row
};

// All that are known, with their libraries, and why any was not built.
void print_list(TextSink& out) {
    console::for_each_by_name(registered_peers(), [&](Peer const& peer) {
        bool const is_built = peer.missing.empty();
        format(out, "{:<20} {:<9} {:<18} {}{}\n", peer.name, name_of(peer.kind), peer.library,
               is_built ? "" : "not built: ", is_built ? peer.setup : peer.missing);
    });
}

void print_list_json(TextSink& out) {
    JsonLine line(out);
    JsonWriter& json = line.json();
    json.field("benchmark", "peer-list");
    json.begin_array("peers");
    console::for_each_by_name(registered_peers(), [&](Peer const& peer) {
        bool const is_built = peer.missing.empty();
        json.begin_object();
        json.field("name", peer.name);
        json.field("kind", name_of(peer.kind));
        json.field("library", peer.library);
        json.field("built", is_built);
        json.field(is_built ? "setup" : "reason", is_built ? peer.setup : peer.missing);
        json.end_object();
    });
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
