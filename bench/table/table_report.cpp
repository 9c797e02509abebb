#include "bench/table/table_report.hpp"

#include "bench/frame/names.hpp"
#include "bench/table/engine.hpp"
#include "bench/trace/trace_report.hpp"
#include "tasks/workers.hpp"

namespace mxk::bench {
namespace {

// Any option's value as it would be typed; nothing where it was left out.
template <std::size_t capacity = 64, typename T> FixedText<capacity> as_typed(T const& value) {
    FixedText<capacity> text;
    console::OptionValue<T>::print(text, value);
    return text;
}

void append_tasks(TextSink& way, TableOptions const& options) {
    way.write(name_of(options.submit.value_or(Submit::Task)));
    if (uses(options, "--notation")) format(way, ", {}", name_of(options.notation.value_or(Notation::Function)));
    if (uses(options, "--walk")) format(way, ", {} walks", name_of(options.walk.value_or(Walk::Whole)));
}

// Who runs operations, and how.
FixedText<128> way_text(TableOptions const& options) {
    FixedText<128> way;
    if (options.model == Model::Tasks)
        append_tasks(way, options);
    else if (options.model == Model::Shared)
        format(way, "{}, in place", name_of(options.submit.value_or(Submit::Task)));
    else if (is_concurrent(options.layout))
        way.append("threads, in read sections");
    else if (options.locking)
        format(way, "threads, {} locking", name_of(*options.locking));
    else if (options.model == Model::Threads)
        format(way, "threads, {} semaphores", as_typed(options.semaphore).view());
    else
        way.append("threads without semaphores");
    return way;
}

// The model, and what only it has.
void write_model(JsonWriter& json, TableOptions const& options) {
    json.field("model", as_typed(options.model).view());
    if (!runs_tasks(options.model)) {
        if (options.locking) json.field("locking", name_of(*options.locking));
        if (options.switch_every) json.field("switch_every", *options.switch_every);
        if (has_semaphores(options)) json.field("semaphore", as_typed(options.semaphore).view());
        json.field("threads_per_core", threads_per_core(options));
        if (uses(options, "--slice")) json.field("slice_us", raw(thread_slice(options)) / 1000);
        return;
    }
    json.field("submit", name_of(options.submit.value_or(Submit::Task)));
    if (uses(options, "--notation")) json.field("notation", name_of(options.notation.value_or(Notation::Function)));
    if (uses(options, "--walk")) json.field("walk", name_of(options.walk.value_or(Walk::Whole)));
    if (uses(options, "--prefetch"))
        json.field("prefetch", tasks_ahead(options).value_or(workers::default_prefetch_distance()));
    if (uses(options, "--prefetch-hint")) json.field("prefetch_hint", name_of(plan_of(options).hint));
    if (uses(options, "--prefetch-near")) json.field("prefetch_near", plan_of(options).near);
    if (uses(options, "--tasks-per-core")) json.field("tasks_per_core", tasks_per_core(options));
}

} // namespace

FixedText<32> name_of(Mix const& mix) {
    FixedText<32> name;
    print_value(name, mix);
    return name;
}

void print_table_head(TextSink& out, TableOptions const& options) {
    format(out, "table: {}, {}, {}{} hash, {} queue{}, {} operations ({}, {}), {} keys, ",
           as_typed(options.layout).view(), way_text(options).view(),
           options.probe == Probe::Travel ? "travelling probes, " : "", as_typed(options.hash).view(),
           as_typed(options.queue).view(), options.slices == SliceKind::Packed ? " with packed slices" : "",
           as_typed(options.operations).view(),
           options.ycsb ? as_typed(options.ycsb).view() : as_typed(options.mix).view(),
           options.trace ? "dealt by key" : as_typed(options.distribution).view(),
           options.trace ? *options.trace : as_typed<256>(options.keys).view());
    if (threads_per_core(options) > 1) format(out, "{} threads per core, ", threads_per_core(options));
    if (options.sweep) format(out, "sizes up to {}, ", as_typed(*options.sweep).view());
    if (uses(options, "--tasks-per-core")) format(out, "{} tasks per core, ", tasks_per_core(options));
    if (options.memory != TablePlacement{}) format(out, "memory {}, ", as_typed(options.memory).view());
    if (options.rate) format(out, "at {}, ", as_typed(options.rate).view());
    if (options.max_latency) format(out, "latency up to {} us, ", *options.max_latency);
    format(out, "seed {}{}\n", options.seed, has_thesis_defaults(options) ? ", no prefetching (thesis defaults)" : "");
}

void print_table_details(TextSink& out, TableOptions const& options, TableFindings const& found) {
    TableExperiment::Outcome const& outcome = found.last;
    if (options.replay != nullptr) print_trace_results(out, options.replay->results());
    if (options.rate) {
        format(out, "       offered {:.3} M ops/s", found.offered / 1e6);
        if (found.max_speed != 0) format(out, " ({} of {:.3})", as_typed(options.rate).view(), found.max_speed / 1e6);
        out.write("; latency: from when an operation was due; the first tenth is not counted\n");
    }
    if (options.latency) print_durations(out, "operations", outcome.latency);
    if (options.task_times) {
        print_durations(out, "tasks", outcome.tasks);
        format(out, "       tasks over 50 us: {}, and {} that the host interrupted (max {:.1} us)\n",
               outcome.long_tasks, outcome.interrupted_tasks.count,
               static_cast<double>(outcome.interrupted_tasks.max) / 1e3);
    }
    if (options.switch_every) format(out, "       changes of the locks: {}\n", outcome.lock_changes);
    for (OwnerChange const& change : outcome.changes.list())
        format(out, "       owners {} -> {}: {:.3} ms, {:.3} M ops/s during, {:.3} before\n", change.from, change.to,
               change.seconds * 1e3, change.during / 1e6, change.before / 1e6);
}

void write_table_settings(JsonWriter& json, TableOptions const& options, Mix const& mix) {
    write_model(json, options);
    json.field("layout", as_typed(options.layout).view());
    json.field("probe", name_of(options.probe.value_or(Probe::Local)));
    json.field("hash", as_typed(options.hash).view());
    json.field("queue", as_typed(options.queue).view());
    if (options.queue == QueueKind::PerCore) json.field("slices", name_of(options.slices));
    json.field("memory", as_typed(options.memory).view());
    if (options.initial_slots) json.field("initial_slots", *options.initial_slots);
    if (options.load) json.field("load", *options.load);
    if (options.ycsb) json.field("workload", as_typed(options.ycsb).view());
    if (!options.trace) json.field("dist", as_typed(options.distribution).view());
    if (!options.trace) json.field("keys", as_typed<256>(options.keys).view());
    json.field("mix", name_of(mix).view());
    if (options.trace) json.field("trace_name", *options.trace);
    json.field("operations", options.operations);
    if (!options.trace) json.field("seed", options.seed);
    if (options.rate) json.field("rate", as_typed(options.rate).view());
    if (options.max_latency) json.field("max_latency_us", *options.max_latency);
}

void write_table_details(JsonWriter& json, TableOptions const& options, TableFindings const& found) {
    TableExperiment::Outcome const& outcome = found.last;
    if (options.replay != nullptr) write_trace_results(json, options.replay->results());
    json.field("buckets", found.buckets);
    if (may_lose(options)) json.field("lost", found.lost);
    json.field("table_bytes", outcome.table_bytes);
    if (outcome.touched_bytes != 0) json.field("touched_bytes", outcome.touched_bytes);
    if (options.switch_every) json.field("lock_changes", outcome.lock_changes);
    if (options.rate) json.field("offered", found.offered);
    if (found.max_speed != 0) json.field("max_speed", found.max_speed);
    if (options.latency) write_durations(json, "latency", outcome.latency);
    if (options.task_times) {
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
