#include "bench/table/engine.hpp"

#include <algorithm>
#include <array>

#include "base/format.hpp"
#include "bench/frame/names.hpp"
#include "bench/trace/trace_replay.hpp"
#include "tasks/threads/semaphore.hpp"
#include "tasks/threads/thread.hpp"
#include "tasks/workers.hpp"

namespace mxk::bench {
namespace {

using Options = TableOptions;

// What an option is for. `kind`: null while no engine is chosen.
struct Need {
    bool (*is_met)(Options const& options, EngineKind const* kind);
    std::string_view expected;
    void (*print_got)(TextSink& out, Options const& options) = [](TextSink&, Options const&) {};
};

void print_model(TextSink& out, Options const& options) {
    format(out, ", got --model {}", name_of(options.model));
}
void print_submit(TextSink& out, Options const& options) {
    format(out, ", got --submit {}", name_of(options.submit.value_or(Submit::Task)));
}
void print_layout(TextSink& out, Options const& options) {
    format(out, ", got --layout {}", name_of(options.layout));
}

constexpr Need tasks{[](Options const& options, EngineKind const*) { return runs_tasks(options.model); },
                     "--model tasks or shared", &print_model};
constexpr Need owning_tasks{[](Options const& options, EngineKind const*) { return options.model == Model::Tasks; },
                            "--model tasks", &print_model};
constexpr Need any_threads{[](Options const& options, EngineKind const*) { return !runs_tasks(options.model); },
                           "--model threads", &print_model};
constexpr Need any_order{[](Options const& options, EngineKind const*) { return !depends_on_order(options); },
                         "phases whose results do not depend on which thread takes which instruction (not mixed or "
                         "loaded; with zipf only find)"};
constexpr Need own_slices{
    [](Options const& options, EngineKind const*) {
        return options.queue.value_or(QueueKind::PerCore) != QueueKind::Shared;
    },
    "--queue per-core or node-local, where each core can run its instructions again, got --queue shared"};
constexpr Need no_course{
    [](Options const& options, EngineKind const*) { return !options.rate && options.owners.empty(); },
    "no --rate and no --owners besides, which are for a table of one size"};
constexpr Need locking_threads{
    [](Options const& options, EngineKind const*) { return has_semaphores(options); },
    "--model threads and a table that has semaphores (not concurrent or concurrent-lines, no --locking)", &print_model};
constexpr Need locked_chains{[](Options const& options, EngineKind const*) {
                                 return options.model == Model::Threads && options.layout == Layout::Chained &&
                                        !options.initial_slots;
                             },
                             "--model threads --layout chained without --initial-slots"};
constexpr Need locks_that_change{
    [](Options const& options, EngineKind const*) { return options.locking && changes(*options.locking); },
    "--locking dynamic or cascade"};
constexpr Need a_task_each{
    [](Options const& options, EngineKind const*) { return options.submit.value_or(Submit::Task) == Submit::Task; },
    "--submit task", &print_submit};
constexpr Need batches{[](Options const& options, EngineKind const*) { return options.submit == Submit::Batch; },
                       "--submit batch", &print_submit};
constexpr Need measured_latency{[](Options const& options, EngineKind const*) { return options.latency; },
                                "--latency, too, which shows what came of it"};
constexpr Need prefetching{
    [](Options const& options, EngineKind const*) {
        return options.submit == Submit::Batch ||
               tasks_ahead(options).value_or(workers::default_prefetch_distance()) != 0;
    },
    "--submit batch, or --prefetch with a number of tasks (0 for the thesis' and in an emulator), or --prefetch-far"};
constexpr Need no_tasks_ahead{
    [](Options const& options, EngineKind const*) { return !options.prefetch || !options.prefetch_far; },
    "no --prefetch besides, which is the same in tasks"};
constexpr Need chains{[](Options const& options, EngineKind const*) { return options.layout == Layout::Chained; },
                      "--layout chained, which has chains to walk", &print_layout};
constexpr Need probes{[](Options const& options, EngineKind const*) { return options.layout == Layout::Open; },
                      "--layout open, which probes", &print_layout};
constexpr Need race_that_loses{
    [](Options const& options, EngineKind const*) {
        return options.layout == Layout::Chained && !options.initial_slots;
    },
    "--layout chained without --initial-slots, where a race loses entries; in a table that grows it would write to "
    "memory that was given back"};
// Measured where an operation is home again, in what travels: there must be room for it.
constexpr Need room_for_a_time{[](Options const& options, EngineKind const*) {
                                   return options.submit == Submit::Batch ||
                                          (options.notation.value_or(Notation::Function) == Notation::Function &&
                                           options.walk.value_or(Walk::Whole) == Walk::Whole &&
                                           options.probe.value_or(Probe::Local) == Probe::Local);
                               },
                               "--submit batch, or --notation function, --walk whole and --probe local"};
// A chained table's nodes are keys only, one for each instruction.
constexpr Need values{[](Options const& options, EngineKind const*) {
                          return options.ycsb->letter == 'c' || options.layout != Layout::Chained;
                      },
                      "--layout bucketed, open, cuckoo, concurrent or concurrent-lines, which keep values (with "
                      "ycsb-c, which only reads, chained, too)",
                      &print_layout};
constexpr Need keys_that_come_back{
    [](Options const& options, EngineKind const*) { return options.layout != Layout::Chained; },
    "--layout bucketed, open, cuckoo, concurrent or concurrent-lines (chained has a node for each instruction, which "
    "its "
    "key keeps, so that no other instruction can put a key back)",
    &print_layout};
constexpr Need time_slices{[](Options const&, EngineKind const*) { return Thread::has_slices(); },
                           "the bare machine, where a thread has the slice that is asked for (in the Linux build the "
                           "system chooses)"};
constexpr Need this_builds_semaphores{
    [](Options const& options, EngineKind const*) { return Semaphore::supports(semaphore_kind(options)); },
    "fast, the kind that this build has (the bare machine has both)"};
constexpr Need known_size{[](Options const& options, EngineKind const*) { return !options.initial_slots; },
                          "a table that begins large enough, got --initial-slots, too"};
constexpr Need slots{
    [](Options const&, EngineKind const* kind) { return kind == nullptr || kind->growth != Growth::Never; },
    "--layout open, cuckoo, concurrent or concurrent-lines, which have slots (try --buckets)", &print_layout};
constexpr Need partitions{
    [](Options const&, EngineKind const* kind) {
        return kind == nullptr || (kind->growth != Growth::Never && kind->probe == Probe::Local);
    },
    "a table of partitions, whose owners can change (--layout open or cuckoo, or --initial-slots)"};
constexpr Need stays_where_it_is{[](Options const& options, EngineKind const*) { return options.owners.empty(); },
                                 "no --owners besides: parts that change their owner move to its node"};
constexpr Need fixed_buckets{
    [](Options const&, EngineKind const* kind) { return kind == nullptr || kind->growth == Growth::Never; },
    "a table of a fixed number of buckets, got one that grows (try --load or --initial-slots)"};

constexpr Need what_a_trace_writes{
    [](Options const& options, EngineKind const*) {
        bool const keeps_values =
            options.layout != Layout::Chained && options.probe.value_or(Probe::Local) == Probe::Local;
        return options.replay == nullptr || !options.replay->overwrites() || keeps_values;
    },
    "--layout bucketed, open, cuckoo, concurrent or concurrent-lines without --probe travel, whose values "
    "can be overwritten, as this trace does"};
constexpr Need no_steps_of_time{[](Options const& options, EngineKind const*) { return !options.trace; },
                                "no --trace besides, whose operations are not shared equally among the cores"};

struct Use {
    std::string_view option; // as it would be typed; with a value where only that one has the needs
    bool (*is_given)(Options const& options);
    std::array<Need const*, 4> needs; // all of them; null: none
};

template <auto member> bool is_given(Options const& options) {
    return (options.*member).has_value();
}

constexpr Use option_uses[] = {
    {"--model threads-unsafe",
     [](Options const& options) { return options.model == Model::ThreadsUnsafe; },
     {&race_that_loses}},
    {"--mix loaded",
     [](Options const& options) { return options.mix.list().front().kind == Mix::Kind::Loaded; },
     {&keys_that_come_back}},
    {"--workload", &is_given<&Options::ycsb>, {&values}},
    {"--trace", [](Options const& options) { return options.trace.has_value(); }, {&what_a_trace_writes}},
    {"--submit", &is_given<&Options::submit>, {&tasks}},
    {"--notation", &is_given<&Options::notation>, {&owning_tasks, &a_task_each}},
    {"--walk", &is_given<&Options::walk>, {&owning_tasks, &a_task_each}},
    {"--walk interleaved", [](Options const& options) { return options.walk == Walk::Interleaved; }, {&chains}},
    {"--probe", &is_given<&Options::probe>, {&probes}},
    {"--prefetch", &is_given<&Options::prefetch>, {&tasks, &a_task_each}},
    {"--prefetch-hint", &is_given<&Options::prefetch_hint>, {&tasks, &prefetching}},
    {"--prefetch-far", &is_given<&Options::prefetch_far>, {&tasks, &a_task_each, &no_tasks_ahead}},
    {"--prefetch-near", &is_given<&Options::prefetch_near>, {&owning_tasks, &batches}},
    {"--tasks-per-core", &is_given<&Options::tasks_per_core>, {&tasks, &a_task_each}},
    {"--threads-per-core", &is_given<&Options::threads_per_core>, {&any_threads}},
    {"--threads-per-core of 2 or more",
     [](Options const& options) { return threads_per_core(options) > 1; },
     {&any_order}},
    {"--sweep", &is_given<&Options::sweep>, {&known_size, &own_slices, &no_course}},
    {"--semaphore", &is_given<&Options::semaphore>, {&locking_threads, &this_builds_semaphores}},
    {"--locking", &is_given<&Options::locking>, {&locked_chains}},
    {"--switch-every", &is_given<&Options::switch_every>, {&locks_that_change}},
    {"--slice", &is_given<&Options::slice>, {&any_threads, &time_slices}},
    {"--buckets", &is_given<&Options::buckets>, {&fixed_buckets}},
    {"--load", &is_given<&Options::load>, {&known_size, &slots}},
    {"--owners", [](Options const& options) { return !options.owners.empty(); }, {&owning_tasks, &partitions}},
    {"--memory", [](Options const& options) { return options.memory != TablePlacement{}; }, {&stays_where_it_is}},
    {"--latency", [](Options const& options) { return options.latency; }, {&tasks, &room_for_a_time}},
    {"--rate", &is_given<&Options::rate>, {&owning_tasks, &batches, &measured_latency, &no_steps_of_time}},
    {"--max-latency", &is_given<&Options::max_latency>, {&owning_tasks, &batches, &measured_latency}},
    {"--task-times", [](Options const& options) { return options.task_times; }, {&tasks}},
};

// The first need that is not met; null: all are.
Need const* unmet(Use const& use, Options const& options, EngineKind const* kind) {
    for (Need const* const need : use.needs)
        if (need != nullptr && !need->is_met(options, kind)) return need;
    return nullptr;
}

} // namespace

Result<void> check_uses(TableOptions const& options, EngineKind const* kind) {
    for (Use const& use : option_uses) {
        if (!use.is_given(options)) continue;
        Need const* const need = unmet(use, options, kind);
        if (need == nullptr) continue;
        FixedText<64> got;
        need->print_got(got, options);
        return Error::of("{}: expected {}{}", use.option, need->expected, got.view());
    }
    return {};
}

bool uses(TableOptions const& options, std::string_view option) {
    for (Use const& use : option_uses)
        if (use.option == option && unmet(use, options, nullptr) != nullptr) return false;
    return true;
}

} // namespace mxk::bench
