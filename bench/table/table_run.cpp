// How options become a run: which engine they ask for, what of them it uses, and what was left out.
#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "base/format.hpp"
#include "bench/frame/names.hpp"
#include "bench/table/engine.hpp"
#include "bench/trace/trace_replay.hpp"
#include "kernel/memory/memory.hpp"
#include "tasks/threads/semaphore.hpp"
#include "tasks/threads/thread.hpp"
#include "tasks/workers.hpp"

namespace mxk::bench {
namespace {

TableWay way_of(TableOptions const& options) {
    return {options.model,
            options.layout,
            options.submit.value_or(Submit::Task),
            options.reads.value_or(Reads::Travel),
            options.notation.value_or(Notation::Function),
            options.walk.value_or(Walk::Whole),
            options.probe.value_or(Probe::Local),
            options.rehash.value_or(Rehash::Regions),
            options.place.value_or(Place::Instruction),
            options.locking};
}
TableWay way_of(EngineKind const& kind) {
    return {kind.model, {kind.layout.name}, kind.submit, kind.reads, kind.notation,
            kind.walk,  kind.probe,         kind.rehash, kind.place, kind.locking};
}

// Properties of engines, by which layouts are listed.
bool keeps_values(EngineKind const& kind) {
    return kind.layout.keeps_values;
}
bool is_shared(EngineKind const& kind) {
    return kind.model == Model::Shared;
}
bool has_slots(EngineKind const& kind) {
    return kind.growth == Growth::Either;
}
bool has_partitions(EngineKind const& kind) {
    return has_slots(kind) && kind.model == Model::Tasks && kind.probe == Probe::Local;
}
bool walks(EngineKind const& kind) {
    return kind.walk == Walk::Interleaved;
}
bool travels(EngineKind const& kind) {
    return kind.probe == Probe::Travel;
}
bool has_locks(EngineKind const& kind) {
    return kind.locking.has_value();
}
bool places_nodes(EngineKind const& kind) {
    return kind.place == Place::Owner;
}
bool reads_in_place(EngineKind const& kind) {
    return kind.reads == Reads::InPlace;
}
bool loses(EngineKind const& kind) {
    return kind.model == Model::ThreadsUnsafe;
}

// What an option is for.
struct Need {
    bool (*is_met)(TableRun const& run); // without an engine: what depends on it counts as met
    std::string_view expected;           // {}: the layouts of which some engine is as `listed` says
    bool (*listed)(EngineKind const& kind) = nullptr;
    enum class Got : std::uint8_t { Nothing, Model, Submit, Layout } got = Got::Nothing;
};
template <bool (*is_so)(EngineKind const&)> bool has(TableRun const& run) {
    return has_engine(run.layout, is_so);
}
constexpr Need tasks{
    [](TableRun const& run) { return runs_tasks(run.model); }, "--model tasks or shared", {}, Need::Got::Model};
constexpr Need owning_tasks{
    [](TableRun const& run) { return run.model == Model::Tasks; }, "--model tasks", {}, Need::Got::Model};
constexpr Need any_threads{
    [](TableRun const& run) { return !runs_tasks(run.model); }, "--model threads", {}, Need::Got::Model};
// Cut by key mod n, once and for all.
constexpr Need known_owners{
    [](TableRun const& run) {
        return run.kind == nullptr || (run.kind->hash == Hashing::Modulo && run.kind->growth == Growth::Never);
    },
    "a table of the thesis, which says beforehand who owns a key (--layout chained, or open with "
    "--probe travel; no --initial-slots)"};
constexpr Need keys_of_a_slice{[](TableRun const& run) { return !run.ycsb; },
                               "no --workload besides, whose cores use each other's keys"};
constexpr Need growing_travel{
    [](TableRun const& run) { return run.way.probe == Probe::Travel && run.initial_slots.has_value(); },
    "--probe travel and --initial-slots, a table that grows while operations travel"};
constexpr Need places{&has<&places_nodes>, "--layout {}, which has nodes", &places_nodes, Need::Got::Layout};
constexpr Need key_by_place{
    [](TableRun const& run) { return !run.ycsb && !run.trace && run.distribution.is_uniform(); },
    "no --workload, --trace or --dist besides, with which an instruction's key is not known beforehand"};
constexpr Need any_order{[](TableRun const& run) { return !depends_on_order(run); },
                         "phases whose results do not depend on which thread takes which instruction (not mixed or "
                         "loaded; with zipf only find)"};
constexpr Need own_slices{[](TableRun const& run) { return run.source != QueueKind::Shared; },
                          "--queue per-core or node-local, where each core can run its instructions again, got --queue "
                          "shared"};
constexpr Need constant_load{[](TableRun const& run) { return !run.rate && run.owners.empty(); },
                             "no --rate and no --owners besides, which are for a table of one size"};
constexpr Need semaphores{[](TableRun const& run) { return run.has_semaphores; },
                          "--model threads and a table that has semaphores (not {}, no --locking)", &is_shared,
                          Need::Got::Model};
constexpr Need lockable{
    [](TableRun const& run) { return run.model == Model::Threads && has<&has_locks>(run) && !run.initial_slots; },
    "--model threads --layout {} without --initial-slots", &has_locks};
constexpr Need locks_that_change{[](TableRun const& run) { return run.locking && changes(*run.locking); },
                                 "--locking dynamic or cascade"};
constexpr Need a_task_each{
    [](TableRun const& run) { return run.way.submit == Submit::Task; }, "--submit task", {}, Need::Got::Submit};
constexpr Need batches{
    [](TableRun const& run) { return run.way.submit == Submit::Batch; }, "--submit batch", {}, Need::Got::Submit};
constexpr Need readable{&has<&reads_in_place>, "--layout {}, which any core may read while its owner changes it",
                        &reads_in_place, Need::Got::Layout};
constexpr Need measured_latency{[](TableRun const& run) { return run.latency; },
                                "--latency, too, which shows what came of it"};
constexpr Need prefetching{
    [](TableRun const& run) {
        return run.way.submit == Submit::Batch || run.ahead.value_or(workers::default_prefetch_distance()) != 0;
    },
    "--submit batch, or --prefetch with a number of tasks (0 for the thesis' and in an emulator), or --prefetch-far"};
constexpr Need no_tasks_ahead{[](TableRun const& run) { return !run.prefetch || !run.prefetch_far; },
                              "no --prefetch besides, which is the same in tasks"};
constexpr Need chains{&has<&walks>, "--layout {}, which has chains to walk", &walks, Need::Got::Layout};
constexpr Need probes{&has<&travels>, "--layout {}, which probes", &travels, Need::Got::Layout};
constexpr Need race_that_loses{[](TableRun const& run) { return has<&loses>(run) && !run.initial_slots; },
                               "--layout {} without --initial-slots, where a race loses entries; in a table that grows "
                               "it would write to memory that was given back",
                               &loses};
// Measured where an operation is home again, in what travels: there must be room for it.
constexpr Need room_for_a_time{[](TableRun const& run) {
                                   TableWay const& way = run.way;
                                   return way.submit == Submit::Batch ||
                                          (way.notation == Notation::Function && way.walk == Walk::Whole &&
                                           way.probe == Probe::Local);
                               },
                               "--submit batch, or --notation function, --walk whole and --probe local"};
constexpr Need values{[](TableRun const& run) { return run.ycsb->letter == 'c' || has<&keeps_values>(run); },
                      "--layout {}, which keep values (with ycsb-c, which only reads, chained, too)", &keeps_values,
                      Need::Got::Layout};
constexpr Need keys_that_come_back{&has<&keeps_values>,
                                   "--layout {} (chained has a node for each instruction, which its key keeps, so that "
                                   "no other instruction can put a key back)",
                                   &keeps_values, Need::Got::Layout};
constexpr Need time_slices{[](TableRun const&) { return Thread::has_slices(); },
                           "the bare machine, where a thread has the slice that is asked for (in the Linux build the "
                           "system chooses)"};
constexpr Need this_builds_semaphores{[](TableRun const& run) { return Semaphore::supports(run.semaphores); },
                                      "fast, the kind that this build has (the bare machine has both)"};
constexpr Need known_size{[](TableRun const& run) { return !run.initial_slots; },
                          "a table that begins large enough, got --initial-slots, too"};
constexpr Need slots{[](TableRun const& run) { return run.kind == nullptr || run.kind->growth != Growth::Never; },
                     "--layout {}, which have slots (try --buckets)", &has_slots, Need::Got::Layout};
constexpr Need partitions{
    [](TableRun const& run) {
        return run.kind == nullptr || (run.kind->growth != Growth::Never && run.kind->probe == Probe::Local);
    },
    "a table of partitions, whose owners can change (--layout {}, or --initial-slots)", &has_partitions};
constexpr Need stays_where_it_is{[](TableRun const& run) { return run.owners.empty(); },
                                 "no --owners besides: parts that change their owner move to its node"};
constexpr Need fixed_buckets{
    [](TableRun const& run) { return run.kind == nullptr || run.kind->growth == Growth::Never; },
    "a table of a fixed number of buckets, got one that grows (try --load or "
    "--initial-slots)"};
constexpr Need what_a_trace_writes{[](TableRun const& run) {
                                       return run.replay == nullptr || !run.replay->overwrites() ||
                                              (has<&keeps_values>(run) && run.way.probe == Probe::Local);
                                   },
                                   "--layout {} without --probe travel, whose values can be overwritten, as this trace "
                                   "does",
                                   &keeps_values};
constexpr Need no_steps_of_time{[](TableRun const& run) { return !run.trace; },
                                "no --trace besides, whose operations are not shared equally among the cores"};

struct Use {
    std::string_view option; // as it would be typed; with a value where only that one has the needs
    bool (*is_given)(TableRun const& run);
    std::array<Need const*, 4> needs; // all of them; null: none
};

template <auto member> bool is_given(TableRun const& run) {
    return (run.*member).has_value();
}
template <auto member> bool is_set(TableRun const& run) {
    return run.*member;
}

constexpr Use option_uses[] = {
    {"--model threads-unsafe", [](TableRun const& run) { return run.may_lose(); }, {&race_that_loses}},
    {"--mix loaded",
     [](TableRun const& run) { return run.mix.list().front().kind == Mix::Kind::Loaded; },
     {&keys_that_come_back}},
    {"--workload", &is_given<&TableRun::ycsb>, {&values}},
    {"--trace", &is_given<&TableRun::trace>, {&what_a_trace_writes}},
    {"--submit", &is_given<&TableRun::submit>, {&tasks}},
    {"--reads", &is_given<&TableRun::reads>, {&owning_tasks, &batches, &readable}},
    {"--notation", &is_given<&TableRun::notation>, {&owning_tasks, &a_task_each}},
    {"--walk", &is_given<&TableRun::walk>, {&owning_tasks, &a_task_each}},
    {"--walk interleaved", [](TableRun const& run) { return run.walk == Walk::Interleaved; }, {&chains}},
    {"--probe", &is_given<&TableRun::probe>, {&probes}},
    {"--queue owner",
     [](TableRun const& run) { return run.queue == QueueKind::Owner; },
     {&known_owners, &keys_of_a_slice}},
    {"--rehash", &is_given<&TableRun::rehash>, {&growing_travel}},
    {"--place", &is_given<&TableRun::place>, {&places, &key_by_place}},
    {"--prefetch", &is_given<&TableRun::prefetch>, {&tasks, &a_task_each}},
    {"--prefetch-hint", &is_given<&TableRun::prefetch_hint>, {&tasks, &prefetching}},
    {"--prefetch-far", &is_given<&TableRun::prefetch_far>, {&tasks, &a_task_each, &no_tasks_ahead}},
    {"--prefetch-near", &is_given<&TableRun::prefetch_near>, {&owning_tasks, &batches}},
    {"--tasks-per-core", &is_given<&TableRun::tasks_per_core>, {&tasks, &a_task_each}},
    {"--threads-per-core", &is_given<&TableRun::threads_per_core>, {&any_threads}},
    {"--threads-per-core of 2 or more", [](TableRun const& run) { return run.threads_each > 1; }, {&any_order}},
    {"--sweep", &is_given<&TableRun::sweep>, {&known_size, &own_slices, &constant_load}},
    {"--semaphore", &is_given<&TableRun::semaphore>, {&semaphores, &this_builds_semaphores}},
    {"--locking", &is_given<&TableRun::locking>, {&lockable}},
    {"--switch-every", &is_given<&TableRun::switch_every>, {&locks_that_change}},
    {"--slice", &is_given<&TableRun::slice>, {&any_threads, &time_slices}},
    {"--buckets", &is_given<&TableRun::buckets>, {&fixed_buckets}},
    {"--load", &is_given<&TableRun::load>, {&known_size, &slots}},
    {"--owners", [](TableRun const& run) { return !run.owners.empty(); }, {&owning_tasks, &partitions}},
    {"--memory", [](TableRun const& run) { return run.memory != TablePlacement{}; }, {&stays_where_it_is}},
    {"--latency", &is_set<&TableRun::latency>, {&tasks, &room_for_a_time}},
    {"--rate", &is_given<&TableRun::rate>, {&owning_tasks, &batches, &measured_latency, &no_steps_of_time}},
    {"--max-latency", &is_given<&TableRun::max_latency>, {&owning_tasks, &batches, &measured_latency}},
    {"--task-times", &is_set<&TableRun::task_times>, {&tasks}},
};

// The first need that is not met; null: all are.
Need const* unmet(Use const& use, TableRun const& run) {
    for (Need const* const need : use.needs)
        if (need != nullptr && !need->is_met(run)) return need;
    return nullptr;
}

Error refusal(Use const& use, Need const& need, TableRun const& run) {
    FixedText<224> text;
    std::size_t const gap = need.expected.find("{}");
    text.append(need.expected.substr(0, gap));
    if (gap != std::string_view::npos) {
        print_layouts(text, need.listed);
        text.append(need.expected.substr(gap + 2));
    }
    if (need.got == Need::Got::Model) format(text, ", got --model {}", name_of(run.model));
    if (need.got == Need::Got::Submit) format(text, ", got --submit {}", name_of(run.way.submit));
    if (need.got == Need::Got::Layout) format(text, ", got --layout {}", run.layout.name);
    return Error::of("{}: expected {}", use.option, text.view());
}

// What its engine would ignore is refused, and not shown with the results.
Result<void> check_uses(TableRun const& run) {
    for (Use const& use : option_uses) {
        if (!use.is_given(run)) continue;
        if (Need const* const need = unmet(use, run)) return refusal(use, *need, run);
    }
    return {};
}

// As it would be typed.
FixedText<128> as_typed(TableWay const& way) {
    FixedText<128> text;
    if (way.model != Model::Tasks) format(text, "--model {} ", name_of(way.model));
    format(text, "--layout {}", way.layout.name);
    if (runs_tasks(way.model)) format(text, " --submit {}", name_of(way.submit));
    if (way.reads != Reads::Travel) format(text, " --reads {}", name_of(way.reads));
    if (way.model == Model::Tasks && way.submit == Submit::Task)
        format(text, " --notation {} --walk {}", name_of(way.notation), name_of(way.walk));
    if (way.probe != Probe::Local) format(text, " --probe {}", name_of(way.probe));
    if (way.rehash != Rehash::Regions) format(text, " --rehash {}", name_of(way.rehash));
    if (way.place != Place::Instruction) format(text, " --place {}", name_of(way.place));
    if (way.locking) format(text, " --locking {}", name_of(*way.locking));
    return text;
}

// But for the hash.
bool is_as_asked(EngineKind const& kind, TableOptions const& options) {
    bool const may_begin_so =
        kind.growth == Growth::Either || (kind.growth == Growth::Always) == options.initial_slots.has_value();
    return may_begin_so && way_of(kind) == way_of(options);
}
bool has_hash(EngineKind const& kind, Hashing hash) {
    return kind.hash == hash || (kind.has_modulo && hash == Hashing::Modulo);
}

// Null: there is none.
EngineKind const* find_engine(TableOptions const& options) {
    for (EngineKind const* const kind : registered_engines())
        if (is_as_asked(*kind, options) && has_hash(*kind, options.hash.value_or(kind->hash))) return kind;
    return nullptr;
}

Error no_engine(TableOptions const& options) {
    FixedText<64> hashes; // of those that there are otherwise
    for (EngineKind const* const kind : registered_engines()) {
        if (!is_as_asked(*kind, options)) continue;
        format(hashes, "{}{}{}", hashes.view().empty() ? "" : " or ", name_of(kind->hash),
               kind->has_modulo ? " or modulo" : "");
    }
    FixedText<128> got = as_typed(way_of(options));
    if (options.initial_slots) got.append(" --initial-slots");
    if (!hashes.view().empty())
        return Error::of("--hash {}: expected {} with {}", name_of(*options.hash), hashes.view(), got.view());
    if (options.hash) format(got, " --hash {}", name_of(*options.hash));
    return Error::of("expected a combination that 'help bench table' lists, got {}", got.view());
}

QueueKind queue_kind(TableOptions const& options, bool is_thesis) {
    bool const may_share = !depends_on_order(options) && !options.sweep;
    return queue_or(options, is_thesis && may_share ? QueueKind::Shared : QueueKind::NodeLocal);
}

PrefetchPlan plan_of(TableOptions const& options) {
    return {.hint = options.prefetch_hint.value_or(prefetch_plan.hint),
            .far = options.prefetch_far.value_or(prefetch_plan.far),
            .near = options.prefetch_near.value_or(prefetch_plan.near)};
}

} // namespace

TableRun::TableRun(TableOptions const& options, EngineKind const* its_kind)
    : TableOptions(options)
    , kind(its_kind)
    , way(way_of(options))
    , hashing(options.hash.value_or(kind != nullptr ? kind->hash : Hashing::Mixed))
    , plan(plan_of(options))
    , semaphores(options.semaphore.value_or(SemaphoreKind::Fast))
    , tasks_each(options.tasks_per_core.value_or(100))
    , threads_each(options.threads_per_core.value_or(1))
    , thread_slice(microseconds(options.slice.value_or(1000)))
    , latency_cap(microseconds(options.max_latency.value_or(0)))
    , ahead(options.prefetch || !options.prefetch_far ? options.prefetch : plan.tasks())
    , is_in_place(has_engine(layout, &is_shared))
    , has_semaphores(model == Model::Threads && !is_in_place && !locking)
    , is_thesis(kind != nullptr && way_of(*kind) == TableWay{} && kind->growth == Growth::Never) {
    source = queue_kind(options, is_thesis);
    if (is_thesis && !ahead) ahead = 0;
}

bool TableRun::uses(std::string_view option) const {
    for (Use const& use : option_uses)
        if (use.option == option && unmet(use, *this) != nullptr) return false;
    return true;
}

std::size_t TableRun::first_slots() const {
    if (initial_slots) return *initial_slots;
    double const wanted = static_cast<double>(operations) / load.value_or(0.5);
    auto const whole = static_cast<std::size_t>(wanted); // std::ceil() is in a library that a bare machine has not
    return whole + (static_cast<double>(whole) < wanted ? 1 : 0);
}

Result<ModuloCut> TableRun::cut(std::size_t owners_count) const {
    return ModuloCut(MXK_TRY(count_buckets(*this, owners_count)), owners_count);
}

namespace {

// What the table has for each of its keys where they are all in it: buckets or slots, and nodes where there are.
double table_bytes_per_key(TableRun const& run) {
    TableLayout const& layout = run.kind->layout;
    double const each = layout.bytes_per_bucket;
    return layout.bytes_per_key + (run.load ? each / *run.load : each * run.buckets.value_or(layout.default_buckets));
}

} // namespace

Result<TableRun> resolve(TableOptions options, NodeVector<TraceReplay>* trace) {
    MXK_TRY(complete_ycsb(options));
    TableRun run(options, find_engine(options));
    MXK_TRY(check_uses(run));
    if (run.kind == nullptr) return no_engine(options);
    run.sizes = MXK_TRY(TableSizes::choose(run, run.sweep, table_bytes_per_key(run)));
    run.operations = run.sizes.operations(run.sizes.count() - 1);
    MXK_TRY(check(static_cast<Workload const&>(run)));
    MXK_TRY(check(run.memory, memory::node_count()));
    if (run.memory.kind == TablePlacement::Kind::Node && memory::use(node_id(run.memory.node)).total == 0)
        return Error::of("--memory node:N: expected a node that has memory, got {}", run.memory.node);
    if (trace == nullptr || !run.trace) return run;
    *trace = MXK_TRY(read_trace(run, Worker::current().node()));
    run.sizes =
        MXK_TRY(TableSizes::choose(run, run.sweep, table_bytes_per_key(run))); // it says how many operations there are
    MXK_TRY(check_uses(run));                                                  // and which
    return run;
}

void print_engines(TextSink& out) {
    out.write("Combinations:\n");
    for (EngineKind const* const kind : registered_engines()) {
        constexpr std::array<std::string_view, 3> growth{"", " --initial-slots COUNT", " [--initial-slots COUNT]"};
        format(out, "  {} --hash {}{}{}\n", as_typed(way_of(*kind)).view(), name_of(kind->hash),
               kind->has_modulo ? "|modulo" : "", growth[static_cast<std::size_t>(kind->growth)]);
    }
}

} // namespace mxk::bench
