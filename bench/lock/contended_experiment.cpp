#include "bench/lock/contended_experiment.hpp"

#include <string_view>

namespace mxk::bench {
namespace {

// The benchmarks of A. Uffmann's thesis on locks (LMU 2022).
constexpr console::Command lock_group{.name = "lock",
                                      .summary = "locks alone and under contention: 'bench lock' lists what there is",
                                      .parent = "bench",
                                      .nested = "benchmark"};
MXK_REGISTER(mxk_commands, console::Command, lock_group);

double found(Row const& row, std::string_view name) {
    return finding_of(row, name).value_or(0);
}

} // namespace

void print_lock_details(TextSink& out, Row const& row) {
    auto const has = [&](std::string_view name) { return finding_of(row, name).has_value(); };
    format(out, "  {:.1} ns", found(row, "iteration_ns"));
    if (has("overhead_ns")) format(out, ", overhead {:.1} ns", found(row, "overhead_ns"));
    format(out, "; of a worker {:.0}, {:.0}, {:.0} (variation {:.2} %)", found(row, "iterations_min"),
           found(row, "iterations_median"), found(row, "iterations_max"), found(row, "variation_pct"));
    if (has("contention_pct")) format(out, "; delayed {:.2} %", found(row, "contention_pct"));
    if (has("local_pct")) format(out, "; local {:.2} %", found(row, "local_pct"));
    if (has("cache_pct"))
        format(out, " (in the cache {:.2} %, of others in the node {:.2} %)", found(row, "cache_pct"),
               found(row, "node_pct"));
    format(out, "; node changes {:.3}, bypass up to {:.0}\n", found(row, "node_changes"), found(row, "max_bypass"));
    print_operations(out, row);
}

void print_operations(TextSink& out, Row const& row) {
    if (finding_of(row, "operations_home"))
        format(out, "  operations for each: home {:.3}, other nodes' {:.3}, own node's {:.3}, messages {:.3}\n",
               found(row, "operations_home"), found(row, "operations_others"), found(row, "operations_near"),
               found(row, "messages"));
}

void write_lock_settings(JsonWriter& json, LockOptions const& options, locks::LockKind const& kind) {
    json.field("library", kind.library.empty() ? std::string_view("none") : kind.library);
    json.field("fairness", locks::name_of(kind.fairness));
    json.field("fabric", name_of(options.fabric));
    json.field("nodes", options.nodes == 0 ? std::uint64_t{system_topology().nodes.size()} : options.nodes);
    json.field("made_up", options.nodes != 0);
    if (options.fabric == LockFabric::Emu) {
        json.field("latency_ns", options.latency);
        json.field("near_latency_ns", options.near_latency);
        json.field("service_ns", options.service);
    }
    json.field("passes", options.passes);
    auto const& form = form_on(options.fabric, kind);
    if (form.has_caches) json.field("passes_in_cache", options.passes_in_cache.value_or(options.passes));
    json.field("lock_bytes", std::uint64_t{form.bytes});
    json.field("node_bytes", std::uint64_t{form.node_bytes});
}

Result<void> ContendedExperiment::set_up() {
    locks_ = MXK_TRY(chosen_locks(options_));
    add(Axis::of("lock", 18, locks_.span()));
    MXK_TRY(add_cores(options_.cores));
    add_points();
    for (LockClaim const& claim : claims_)
        if (claim.fabric == options_.fabric) add(claim);
    return {};
}

std::optional<Error> ContendedExperiment::unsupported_at(Point const& point) const {
    locks::LockKind const& kind = *locks_[point[lock_axis]];
    if (auto why = why_unsupported(options_, kind, true)) return why;
    if (options_.nodes > cores(point).size())
        return Error::of("{} nodes of {} cores", options_.nodes, cores(point).size());
    return std::nullopt;
}

Result<void> ContendedExperiment::run_at(Point const& point, std::span<Sample> samples, Progress& progress) {
    locks::LockKind const& kind = *locks_[point[lock_axis]];
    auto const used = cores(point);
    auto const topology = MXK_TRY(topology_for(options_, used));
    locks::LockTopology const view = topology.view();
    bool is_right = true;
    auto const run_form = [&](locks::LockForm const& form, bool is_watched) -> Result<ContendedEnd> {
        auto const time = std::uint64_t{options_.milliseconds} * 1'000'000 / (is_watched ? 4 : 1);
        auto ended =
            MXK_TRY(contend({.options = options_,
                             .form = form,
                             .cores = used,
                             .topology = view,
                             .timing = {.warm_up = clock::to_cycles(Nanoseconds{time / 10}),
                                        .measured = clock::to_cycles(Nanoseconds{time - time / 10}),
                                        .iterations_per_look = options_.look_every.value_or(default_look_every_)},
                             .words = words(used.size()),
                             .is_watched = is_watched,
                             .progress = progress},
                            point[point_axis]));
        is_right = is_right && ended.outcome.minimum > 0 && ended.excludes() && keeps(ended);
        return ended;
    };
    auto const timed = MXK_TRY(run_form(form_on(options_.fabric, kind), false));
    auto const watched = MXK_TRY(run_form(counting_form_on(options_.fabric, kind), true));
    bool const is_emulated = options_.fabric == LockFabric::Emu;
    double const seconds = timed.outcome.iteration_seconds(clock::frequency());
    Sample& sample = samples[0];
    sample.value = 1 / seconds;
    sample.operations = timed.outcome.iterations;
    sample.verified = is_right;
    add_findings(sample.findings, {.timed = timed.outcome,
                                   .watched = watched.outcome,
                                   .frequency = clock::frequency(),
                                   .has_operations = is_emulated,
                                   .has_caches = form_on(options_.fabric, kind).has_caches});
    if (is_emulated) sample.findings.add("region_bytes", static_cast<double>(timed.region_bytes));
    add_more(sample.findings, point[point_axis], seconds);
    return {};
}

void ContendedExperiment::print_head(TextSink& out) const {
    format(out, "{}: fabric {}, ", name_, name_of(options_.fabric));
    if (options_.nodes == 0)
        out.write("the machine's nodes");
    else
        format(out, "{} nodes made up", options_.nodes);
    if (options_.fabric == LockFabric::Emu)
        format(out, ", simulated: {} ns from node to node, a card takes {} ns, an operation on the own node {} ns",
               options_.latency, options_.service, options_.near_latency);
    format(out, ", {} ms; ", options_.milliseconds);
    print_choice(out);
    format(out, "{} runs per row\n", options_.repeat.text().view());
    print_libraries(out, locks_);
}

void ContendedExperiment::write_options(JsonWriter& json, Point const& point) const {
    write_lock_settings(json, options_, *locks_[point[lock_axis]]);
    json.field("ms", options_.milliseconds);
    json.field("look_every", options_.look_every.value_or(default_look_every_));
    json.field("seed", options_.seed);
    write_point(json, point[point_axis]);
}

std::optional<double> ContendedExperiment::value_of(Row const& row, ClaimSide const& side) const {
    if (side.finding != all_operations) return GridExperiment::value_of(row, side);
    return found(row, "operations_home") + found(row, "operations_others") + found(row, "operations_near") +
           found(row, "messages");
}

bool ContendedExperiment::can_tell(Claim const& claim, std::size_t cores) const {
    bool const is_of_nodes = static_cast<LockClaim const&>(claim).is_of_nodes;
    return cores > 1 && (options_.fabric == LockFabric::Smp || options_.nodes != 1) &&
           (!is_of_nodes || (options_.nodes == 0 && system_topology().nodes.size() > 1));
}

void print_libraries(TextSink& out, LockList const& locks) {
    for (auto const* const kind : locks)
        if (!kind->library.empty()) format(out, "{}: {}\n", kind->name, kind->library);
}

} // namespace mxk::bench
