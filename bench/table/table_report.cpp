#include "bench/table/table_report.hpp"

#include <algorithm>

#include "bench/frame/names.hpp"
#include "bench/table/engine.hpp"
#include "bench/trace/trace_report.hpp"
#include "kernel/memory/memory.hpp"
#include "tasks/workers.hpp"

namespace mxk::bench {
namespace {

// Any option's value as it would be typed; nothing where it was left out.
template <std::size_t capacity = 64, typename T> FixedText<capacity> as_typed(T const& value) {
    FixedText<capacity> text;
    console::OptionValue<T>::print(text, value);
    return text;
}

void append_tasks(TextSink& way, TableRun const& run) {
    way.write(name_of(run.way.submit));
    if (run.way.reads != Reads::Travel) format(way, ", reads {}", name_of(run.way.reads));
    if (run.uses("--notation")) format(way, ", {}", name_of(run.way.notation));
    if (run.uses("--walk")) format(way, ", {} walks", name_of(run.way.walk));
}

// Who runs operations, and how.
FixedText<128> way_text(TableRun const& run) {
    FixedText<128> way;
    if (run.model == Model::Tasks)
        append_tasks(way, run);
    else if (run.model == Model::Shared)
        format(way, "{}, in place", name_of(run.way.submit));
    else if (run.is_in_place)
        way.append("threads, in read sections");
    else if (run.locking)
        format(way, "threads, {} locking", name_of(*run.locking));
    else if (run.model == Model::Threads)
        format(way, "threads, {} semaphores", name_of(run.semaphores));
    else
        way.append("threads without semaphores");
    return way;
}

// The model, and what only it has.
void write_model(JsonWriter& json, TableRun const& run) {
    json.field("model", as_typed(run.model).view());
    if (!runs_tasks(run.model)) {
        if (run.locking) json.field("locking", name_of(*run.locking));
        if (run.switch_every) json.field("switch_every", *run.switch_every);
        if (run.has_semaphores) json.field("semaphore", name_of(run.semaphores));
        json.field("threads_per_core", run.threads_each);
        if (run.uses("--slice")) json.field("slice_us", raw(run.thread_slice) / 1000);
        return;
    }
    json.field("submit", name_of(run.way.submit));
    if (run.reads) json.field("reads", name_of(*run.reads));
    if (run.uses("--notation")) json.field("notation", name_of(run.way.notation));
    if (run.uses("--walk")) json.field("walk", name_of(run.way.walk));
    if (run.uses("--prefetch")) json.field("prefetch", run.ahead.value_or(workers::default_prefetch_distance()));
    if (run.uses("--prefetch-hint")) json.field("prefetch_hint", name_of(run.plan.hint));
    if (run.uses("--prefetch-near")) json.field("prefetch_near", run.plan.near);
    if (run.uses("--tasks-per-core")) json.field("tasks_per_core", run.tasks_each);
}

void print_rate(TextSink& out, TableRun const& run, TableFindings const& found) {
    format(out, "       offered {:.3} M ops/s", found.offered / 1e6);
    if (found.max_speed != 0)
        format(out, " ({} of {:.3}, after the run {:.3})", as_typed(run.rate).view(), found.max_speed / 1e6,
               found.max_speed_after / 1e6);
    format(out, ", reached {:.3}", found.reached / 1e6);
    if (!found.is_served())
        return out.write(": not served, so there is no latency (expected 99 % of the rate, and a change of what it is "
                         "a share of up to 10 %)\n");
    if (found.runs_served < found.runs)
        format(out, " ({} of {} runs were not served)", found.runs - found.runs_served, found.runs);
    out.write("; latency: from when an operation was due; the first tenth is not counted\n");
}

void print_host_time(TextSink& out, HostTime const& host) {
    if (host.pauses == 0) return;
    format(out, "       the host took cores {} times, {:.3} ms until they had caught up; without what this touched:\n",
           host.pauses, host.seconds * 1e3);
    if (host.rest)
        print_durations(out, "operations", *host.rest);
    else
        out.write("       not known: too many operations were slow\n");
}

void write_rate(JsonWriter& json, TableFindings const& found) {
    json.field("offered", found.offered);
    json.field("reached", found.reached);
    if (found.max_speed != 0) {
        json.field("max_speed", found.max_speed);
        json.field("max_speed_after", found.max_speed_after);
    }
    json.field("served", found.is_served());
    json.field("runs_served", found.runs_served);
}

double per_operation(std::uint64_t count, TableExperiment::Outcome const& outcome) {
    return static_cast<double>(count) / static_cast<double>(outcome.operations);
}

void write_host_time(JsonWriter& json, HostTime const& host) {
    json.field("host_pauses", host.pauses);
    json.field("host_pause_ms", host.seconds * 1e3);
    if (host.rest)
        write_durations(json, "latency_without_host", *host.rest);
    else
        json.null_field("latency_without_host");
}

} // namespace

bool TableFindings::is_served() const {
    constexpr double rate_is_kept = 0.99;
    constexpr double max_change = 0.10;
    if (reached < rate_is_kept * offered) return false;
    if (max_speed == 0) return true;
    double const change = max_speed_after / max_speed - 1;
    return change >= -max_change && change <= max_change;
}

FixedText<32> name_of(Mix const& mix) {
    FixedText<32> name;
    print_value(name, mix);
    return name;
}

void print_table_head(TextSink& out, TableRun const& run) {
    format(out, "table: {}, {}, {}{} hash, {} queue{}, {} operations ({}, {}), {} keys, ", run.layout.name,
           way_text(run).view(),
           run.way.probe != Probe::Travel    ? ""
           : run.way.rehash == Rehash::Core0 ? "travelling probes, rehash on core 0, "
                                             : "travelling probes, ",
           name_of(run.hashing), name_of(run.source), run.slices == SliceKind::Packed ? " with packed slices" : "",
           as_typed(run.operations).view(), run.ycsb ? as_typed(run.ycsb).view() : as_typed(run.mix).view(),
           run.trace ? "dealt by key" : as_typed(run.distribution).view(),
           run.trace ? *run.trace : as_typed<256>(run.keys).view());
    if (run.threads_each > 1) format(out, "{} threads per core, ", run.threads_each);
    if (run.sweep) format(out, "sizes up to {}, ", as_typed(*run.sweep).view());
    if (run.uses("--tasks-per-core")) format(out, "{} tasks per core, ", run.tasks_each);
    if (run.way.place == Place::Owner) out.write("nodes at the owner, ");
    if (run.memory != TablePlacement{}) format(out, "memory {}, ", as_typed(run.memory).view());
    if (run.rate) format(out, "at {}, ", as_typed(run.rate).view());
    if (run.max_latency) format(out, "latency up to {} us, ", *run.max_latency);
    format(out, "seed {}{}\n", run.seed, run.has_thesis_defaults() ? ", no prefetching (thesis defaults)" : "");
}

void print_table_details(TextSink& out, TableRun const& run, TableFindings const& found) {
    TableExperiment::Outcome const& outcome = found.last;
    if (run.replay != nullptr) print_trace_results(out, run.replay->results());
    if (run.rate) print_rate(out, run, found);
    if (run.latency && (!run.rate || found.is_served())) print_durations(out, "operations", outcome.latency);
    if (run.rate && found.is_served()) print_host_time(out, outcome.host);
    if (run.task_times) {
        print_durations(out, "tasks", outcome.tasks);
        format(out, "       tasks over 50 us: {}, and {} that the host interrupted (max {:.1} us)\n",
               outcome.long_tasks, outcome.interrupted_tasks.count,
               static_cast<double>(outcome.interrupted_tasks.max) / 1e3);
    }
    if (run.way.reads != Reads::Travel)
        format(out, "       finds in place: {:.1} % of the operations\n",
               per_operation(outcome.read_in_place, outcome) * 100);
    if (run.way.probe == Probe::Travel)
        format(out,
               "       operations that went on to the next region: {:.2} of a million; no task: {:.1} % of the time\n",
               per_operation(outcome.travelled, outcome) * 1e6, outcome.idle_share.value_or(0) * 100);
    if (run.switch_every)
        format(out, "       changes of the locks: {}; operations under one lock for all: {:.1} %\n",
               outcome.lock_changes.count, outcome.lock_changes.share_of_one_lock * 100);
    for (OwnerChange const& change : outcome.changes.list())
        format(out, "       owners {} -> {}: {:.3} ms, {:.3} M ops/s during, {:.3} before\n", change.from, change.to,
               change.seconds * 1e3, change.during / 1e6, change.before / 1e6);
}

void write_table_settings(JsonWriter& json, TableRun const& run, Mix const& mix) {
    write_model(json, run);
    json.field("layout", run.layout.name);
    json.field("probe", name_of(run.way.probe));
    if (run.rehash) json.field("rehash", name_of(*run.rehash));
    if (run.place) json.field("place", name_of(*run.place));
    json.field("hash", name_of(run.hashing));
    json.field("queue", name_of(run.source));
    if (run.source == QueueKind::PerCore) json.field("slices", name_of(run.slices));
    json.field("memory", as_typed(run.memory).view());
    if (run.initial_slots) json.field("initial_slots", *run.initial_slots);
    if (run.load) json.field("load", *run.load);
    if (run.ycsb) json.field("workload", as_typed(run.ycsb).view());
    if (!run.trace) json.field("dist", as_typed(run.distribution).view());
    if (!run.trace) json.field("keys", as_typed<256>(run.keys).view());
    json.field("mix", name_of(mix).view());
    if (run.trace) json.field("trace_name", *run.trace);
    json.field("operations", run.operations);
    if (!run.trace) json.field("seed", run.seed);
    if (run.rate) json.field("rate", as_typed(run.rate).view());
    if (run.max_latency) json.field("max_latency_us", *run.max_latency);
}

void write_table_details(JsonWriter& json, TableRun const& run, TableFindings const& found) {
    TableExperiment::Outcome const& outcome = found.last;
    if (run.replay != nullptr) write_trace_results(json, run.replay->results());
    json.field("buckets", found.buckets);
    if (run.may_lose()) json.field("lost", found.lost);
    json.field("table_bytes", outcome.table_bytes);
    json.field("peak_bytes", outcome.peak_bytes);
    if (outcome.touched_bytes != 0) json.field("touched_bytes", outcome.touched_bytes);
    json.begin_array("placed"); // bytes by node
    for (std::size_t node = 0; node < std::min(outcome.placed.size(), memory::node_count()); ++node)
        json.element(outcome.placed[node]);
    json.end_array();
    if (run.way.reads != Reads::Travel) json.field("read_in_place", per_operation(outcome.read_in_place, outcome));
    if (run.way.probe == Probe::Travel) json.field("travelled", per_operation(outcome.travelled, outcome));
    if (outcome.idle_share)
        json.field("idle_share", *outcome.idle_share);
    else
        json.null_field("idle_share");
    if (run.switch_every) {
        json.field("lock_changes", outcome.lock_changes.count);
        json.field("one_lock_share", outcome.lock_changes.share_of_one_lock);
    }
    if (run.rate) write_rate(json, found);
    if (run.latency && (!run.rate || found.is_served())) write_durations(json, "latency", outcome.latency);
    if (run.rate && found.is_served()) write_host_time(json, outcome.host);
    if (run.task_times) {
        write_durations(json, "tasks", outcome.tasks);
        write_durations(json, "interrupted_tasks", outcome.interrupted_tasks);
        json.field("long_tasks", outcome.long_tasks);
    }
    if (outcome.changes.list().empty()) return;
    json.begin_array("owner_changes");
    for (OwnerChange const& change : outcome.changes.list()) {
        json.begin_object();
        json.field("from", change.from);
        json.field("to", change.to);
        json.field("seconds", change.seconds);
        json.field("before", change.before);
        json.field("during", change.during);
        json.end_object();
    }
    json.end_array();
}

void print_wrong(TextSink& out, Mix const& mix, TableExperiment::Outcome const& outcome) {
    format(out,
           "error: verification failed ({}): {} operations gave a wrong result, {} keys are lost or left over, "
           "{} keys are in the table and should be {}\n",
           name_of(mix).view(), outcome.wrong, outcome.lost, outcome.in_table, outcome.expected_in_table);
}

} // namespace mxk::bench
