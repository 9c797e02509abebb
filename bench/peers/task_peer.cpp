// `bench task-peer`: what tasks cost elsewhere, for comparison with `bench task`: the same measures, cores, numbers and
// fields. Which peer does what for which measure: docs/bench-task.md.
#include "bench/peers/task_peer.hpp"

#include <algorithm>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "base/json.hpp"
#include "bench/benchmark.hpp"
#include "bench/machine_record.hpp"
#include "bench/progress.hpp"
#include "bench/task_repeated.hpp"
#include "kernel/console/named.hpp"
#include "kernel/system_topology.hpp"

namespace mxk::bench {
namespace {

using console::Invocation;

struct PeerOptions : TaskOptions {
    std::string_view peers;
};

constexpr auto peer_schema = console::schema<PeerOptions>(
    console::option<&PeerOptions::peers>("peer", "names with commas between (none given: all)"),
    console::option<&PeerOptions::measures>("measure", "as in bench task (none given: all that the peers can do)"),
    task_option::cores, task_option::operations, task_option::depth, task_option::pool, task_option::trips,
    task_option::wakes, task_option::repeat, task_option::json);

struct PeerRow {
    TaskPeer const* peer;
    TaskRow row;
};

// What was measured and, for each that was not, why not.
struct Outcomes {
    std::vector<PeerRow> rows;
    std::vector<std::string> skipped;
};

std::string text_of(std::string_view who, std::string_view what, std::string_view why) {
    return std::string(who).append(what.empty() ? "" : " ").append(what).append(": ").append(why);
}

// Those named, or all. One that was not built is an error if it was named.
Result<std::vector<TaskPeer const*>> chosen_peers(std::string_view names, std::vector<std::string>& skipped) {
    std::vector<TaskPeer const*> result;
    if (names.empty()) {
        console::for_each_by_name(registered_task_peers(), [&](TaskPeer const& peer) {
            if (peer.missing.empty())
                result.push_back(&peer);
            else
                skipped.push_back(text_of(peer.name, "", peer.missing));
        });
        return result;
    }
    for (std::size_t from = 0; from <= names.size();) {
        std::string_view const name = names.substr(from, names.find(',', from) - from);
        TaskPeer const* const peer = console::find_by_name(registered_task_peers(), name);
        if (peer == nullptr) {
            Error const unknown = console::unknown_name("peer", name, registered_task_peers());
            return Error::of("--peer: {} ('help bench task-peer' lists all)", unknown.message());
        }
        if (!peer->missing.empty()) return Error::of("--peer: {}: {}", name, peer->missing);
        result.push_back(peer);
        from += name.size() + 1;
    }
    return result;
}

// The peers' threads run while the console's waits for them; between two runs its core comes to its safe point once,
// where progress is shown and Ctrl-C is seen.
void pass_safe_point() {
    struct Breath : Task {
        Breath()
            : Task([](Worker&, Task& task) { static_cast<Breath&>(task).taken = true; }) {}
        bool taken = false;
    };
    Breath breath;
    Worker::current().append(breath);
    Worker::current().run_until([&] { return breath.taken; });
}

Result<TaskSample> run_once(TaskPeer const& peer, TaskRow const& row, TaskOptions const& options,
                            Progress const& progress) {
    pass_safe_point();
    if (progress.interrupted()) return Error("interrupted by Ctrl-C");
    try {
        return peer.run(row.measure, row.cores, options);
    } catch (std::exception const& thrown) {
        return Error::of("{}", std::string_view(thrown.what()));
    }
}

Result<TaskRow> measure_row(TaskPeer const& peer, Measure measure, CorePair cores, TaskOptions const& options,
                            Progress& progress) {
    TaskRow row{.measure = measure, .cores = cores, .depth = options.depth_of(measure)};
    auto const repeated = repeat_runs(options.repeat, row, [&] { return run_once(peer, row, options, progress); });
    if (!repeated) return Error::of("{} {}: {}", peer.name, name_of(measure), repeated.error().message());
    return row;
}

// A local measure of two threads takes the cores of a hop.
Result<CorePair> cores_for(TaskPeer const& peer, Measure measure, TaskCores const& cores) {
    return cores.cores_for(measure == Measure::Local && peer.two_threads ? Measure::Hop : measure);
}

// One measure of all peers that have it. What was measured before an error is still reported.
Result<void> measure_peers(Invocation& invocation, Measure measure, std::vector<TaskPeer const*> const& peers,
                           TaskCores const& cores, PeerOptions const& options, Progress& progress, Outcomes& outcomes) {
    bool named = false;
    for (TaskPeer const* const peer : peers) {
        if (!peer->measures.has(measure)) continue;
        auto const pair = cores_for(*peer, measure, cores);
        if (!pair) {
            outcomes.skipped.push_back(text_of(peer->name, name_of(measure), pair.error().message()));
            continue;
        }
        outcomes.rows.push_back({peer, MXK_TRY(measure_row(*peer, measure, pair.value(), options, progress))});
        progress.clear();
        if (!std::exchange(named, true)) format(invocation.out, "{}\n", name_of(measure));
        print_task_row(invocation.out, std::string("  ").append(peer->name), outcomes.rows.back().row);
    }
    return {};
}

Result<void> measure_all(Invocation& invocation, PeerOptions const& options, Outcomes& outcomes) {
    auto const peers = MXK_TRY(chosen_peers(options.peers, outcomes.skipped));
    auto const cores = MXK_TRY(TaskCores::choose(system_topology(), options.cores.values()));
    Progress progress(invocation.out); // whoever sees the head can end it
    format(invocation.out, "task-peer: {} tasks at once in local and hop, {} in streams; {} runs per row\n",
           options.depth, options.pool, options.repeat);
    for (TaskPeer const* const peer : peers)
        format(invocation.out, "{}: {}\n", peer->name, std::string_view(peer->library()));
    print_task_head(invocation.out);
    for (Measure const measure : all_measures) {
        bool const chosen = options.measures.empty() || options.measures.has(measure);
        bool const known =
            std::any_of(peers.begin(), peers.end(), [&](auto peer) { return peer->measures.has(measure); });
        if (chosen && known) MXK_TRY(measure_peers(invocation, measure, peers, cores, options, progress, outcomes));
    }
    for (std::string_view const skipped : outcomes.skipped) format(invocation.out, "skipped: {}\n", skipped);
    if (outcomes.rows.empty())
        return Error("nothing was measured: no peer chosen has a measure chosen on this machine");
    return {};
}

void print_json(TextSink& out, PeerRow const& row, Outcomes const& outcomes) {
    JsonWriter json(out);
    json.begin_object();
    json.field("benchmark", "task-peer");
    json.field("peer", row.peer->name);
    json.field("library", std::string_view(row.peer->library()));
    write_task_row(json, row.row);
    json.begin_array("skipped");
    for (std::string_view const skipped : outcomes.skipped) json.element(skipped);
    json.end_array();
    write_machine(json);
    json.end_object();
    out.write("\n");
}

console::Outcome run_task_peer(Invocation& invocation) {
    PeerOptions options;
    if (auto const parsed = console::parse(invocation.arguments, peer_schema, options); !parsed)
        return invocation.fail(parsed.error());
    Outcomes outcomes;
    auto const measured = measure_all(invocation, options, outcomes);
    if (options.json)
        for (PeerRow const& row : outcomes.rows) print_json(invocation.out, row, outcomes);
    if (!measured) return invocation.fail(measured.error());
    bool const verified =
        std::all_of(outcomes.rows.begin(), outcomes.rows.end(), [](PeerRow const& row) { return row.row.verified; });
    if (!verified)
        return invocation.fail(
            Error("verification failed: tasks were lost, doubled or in the wrong place (rows marked NO)"));
    return console::Outcome::Ok;
}

void help(TextSink& out) {
    console::print_help(out, peer_schema, PeerOptions{});
    out.write("Peers:\n");
    console::for_each_by_name(registered_task_peers(), [&](TaskPeer const& peer) {
        FixedText<128> measures;
        print_value(measures, peer.measures);
        format(out, "  {:<18} {}\n", peer.name, peer.missing.empty() ? measures.view() : peer.missing);
    });
    out.write("Example: bench task-peer --peer deque-pool,tbb-task-arena --measure round-trip --json\n");
}

void complete(std::span<std::string_view const> before, console::Candidates& candidates) {
    if (!before.empty() && before.back() == "--measure") {
        for (Measure const measure : all_measures) candidates.offer(name_of(measure));
    } else if (!before.empty() && before.back() == "--peer") {
        for (TaskPeer const* const peer : registered_task_peers()) candidates.offer(peer->name);
    } else {
        console::complete_options(before, peer_schema, candidates);
    }
}

constexpr Benchmark task_peer_benchmark{
    .name = "task-peer",
    .summary = "cycles per task elsewhere: oneTBB, Taskflow, a pool with a locked deque, bare lists",
    .run = &run_task_peer,
    .help = &help,
    .complete = &complete,
};
MXK_REGISTER(mxk_benchmarks, Benchmark, task_peer_benchmark);

} // namespace
} // namespace mxk::bench
