// What `bench table` can be told. The defaults are those of the thesis (section 4).
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "base/prefetch_plan.hpp"
#include "base/units.hpp"
#include "bench/frame/core_choice.hpp"
#include "bench/table/table_placement.hpp"
#include "bench/table/table_sweep.hpp"
#include "bench/thread/thread_options.hpp"
#include "bench/workload/arrivals.hpp"
#include "bench/workload/workload.hpp"
#include "hashtable/partition/modulo_cut.hpp"
#include "kernel/console/options.hpp"
#include "tasks/commands/prefetch_names.hpp"
#include "tasks/queue/task_fifo.hpp"

namespace mxk::bench {

using console::NamedValue;

// Who carries operations out: tasks, each on the core that owns its key (thesis section 3.2.2), or a thread on each
// core that does so on the whole table, with semaphores (section 3.2.1), or without any, which loses entries; or tasks
// on any core, in place, on a table that is made for that.
enum class Model : std::uint8_t { Tasks, Shared, Threads, ThreadsUnsafe };
constexpr auto value_names(Model) {
    return std::array{NamedValue{Model::Tasks, "tasks"}, NamedValue{Model::Shared, "shared"},
                      NamedValue{Model::Threads, "threads"}, NamedValue{Model::ThreadsUnsafe, "threads-unsafe"}};
}
constexpr bool runs_tasks(Model model) {
    return model == Model::Tasks || model == Model::Shared;
}

// The name of one that some engine has (engine.hpp): which there are is what is linked into a program.
struct Layout {
    std::string_view name = "chained";

    bool operator==(Layout const&) const = default;
};
// What kernel/console/options.hpp asks of an option's type. Errors: no engine has it; the error says which there are.
Result<void> parse_value(std::string_view text, Layout& layout);
void print_value(TextSink& out, Layout const& layout);
void describe_value(TextSink& out, Layout const& layout);
void complete_value(console::Candidates& candidates, Layout const& layout);

// Open addressing: whether an operation stays in the region of its key's hash, or travels to the next core when it
// reaches the region's end (thesis Algorithm 3.6).
enum class Probe : std::uint8_t { Local, Travel };
constexpr auto value_names(Probe) {
    return std::array{NamedValue{Probe::Local, "local"}, NamedValue{Probe::Travel, "travel"}};
}

// Who makes a table larger on which operations travel: each region itself, while they do, or the first core, for which
// all others wait (the thesis' first design, which it rejects: section 3.3).
enum class Rehash : std::uint8_t { Regions, Core0 };
constexpr auto value_names(Rehash) {
    return std::array{NamedValue{Rehash::Regions, "regions"}, NamedValue{Rehash::Core0, "core0"}};
}

// How operations come to the owners of their keys: one task for each, or several together.
enum class Submit : std::uint8_t { Task, Batch };
constexpr auto value_names(Submit) {
    return std::array{NamedValue{Submit::Task, "task"}, NamedValue{Submit::Batch, "batch"}};
}

// Where a key is looked up: by the core that owns it, to which the find travels, or by the one that wants to know, in
// the owner's memory; or as the share of changes is (hashtable/batch/reading_client.hpp).
enum class Reads : std::uint8_t { Travel, InPlace, Auto };
constexpr auto value_names(Reads) {
    return std::array{NamedValue{Reads::Travel, "travel"}, NamedValue{Reads::InPlace, "in-place"},
                      NamedValue{Reads::Auto, "auto"}};
}

// How the two-phase task is written.
enum class Notation : std::uint8_t { Function, Coroutine };
constexpr auto value_names(Notation) {
    return std::array{NamedValue{Notation::Function, "function"}, NamedValue{Notation::Coroutine, "coroutine"}};
}

// On which NUMA node an instruction's chain node lies: with the instruction, or with its key's owner (thesis sections
// 4.1 and 4.2).
enum class Place : std::uint8_t { Instruction, Owner };
constexpr auto value_names(Place) {
    return std::array{NamedValue{Place::Instruction, "instruction"}, NamedValue{Place::Owner, "owner"}};
}

// Whether an operation goes through its chain at once, or lets others run while the next node is on its way.
enum class Walk : std::uint8_t { Whole, Interleaved };
constexpr auto value_names(Walk) {
    return std::array{NamedValue{Walk::Whole, "whole"}, NamedValue{Walk::Interleaved, "interleaved"}};
}

// By which hash a key finds its place: xor-shifts and multiplications, the remainder by the number of places (thesis
// section 3.1), or the first cut by multiplications. Of those that a table has, it takes the first unless it is told
// another one.
enum class Hashing : std::uint8_t { Mixed, Modulo, Multiplicative };
constexpr auto value_names(Hashing) {
    return std::array{NamedValue{Hashing::Mixed, "mixed"}, NamedValue{Hashing::Modulo, "modulo"},
                      NamedValue{Hashing::Multiplicative, "multiplicative"}};
}

// What keeps threads apart in a chained table, in place of a semaphore in each bucket
// (hashtable/shared/table_guards.hpp).
enum class Locking : std::uint8_t { None, Dynamic, Coarse, Fine, Cascade };
constexpr auto value_names(Locking) {
    return std::array{NamedValue{Locking::None, "none"}, NamedValue{Locking::Dynamic, "dynamic"},
                      NamedValue{Locking::Coarse, "coarse"}, NamedValue{Locking::Fine, "fine"},
                      NamedValue{Locking::Cascade, "cascade"}};
}
constexpr bool changes(Locking locking) {
    return locking == Locking::Dynamic || locking == Locking::Cascade;
}

struct TableOptions : Workload, CoreSetOptions {
    TableOptions()
        : CoreSetOptions{{.repeat = 1, .warm_up = 1}, {}} {} // or the first row has the first touch of all memory

    Model model = Model::Tasks;
    Layout layout;
    std::optional<Submit> submit;                  // none: task
    std::optional<Reads> reads;                    // of batches; none: travel
    std::optional<Notation> notation;              // none: function
    std::optional<Walk> walk;                      // none: whole
    std::optional<Probe> probe;                    // none: local
    std::optional<Rehash> rehash;                  // of operations that travel; none: regions
    std::optional<Place> place;                    // of chain nodes; none: instruction
    std::optional<Hashing> hash;                   // none: the table's own
    std::optional<std::uint32_t> prefetch;         // tasks; none: 0 for the thesis' tasks, else the worker's own
    std::optional<PrefetchHint> prefetch_hint;     // tasks that prefetch; none: the plan's, as the next two
    std::optional<std::uint32_t> prefetch_far;     // lines
    std::optional<std::uint32_t> prefetch_near;    // operations
    std::optional<std::uint32_t> tasks_per_core;   // none: 100
    std::optional<std::uint32_t> threads_per_core; // none: 1
    std::optional<SemaphoreKind> semaphore;        // threads; none: fast
    std::optional<Locking> locking;                // threads; none: semaphores
    std::optional<std::uint32_t> switch_every;     // operations of one thread; none: the locks do not change
    std::optional<std::uint32_t> slice;            // threads, in microseconds; none: 1000
    std::optional<double> buckets;                 // per operation; none: the layout's own
    std::optional<std::uint64_t> initial_slots;    // of a table that grows; none: it begins large enough
    std::optional<double> load;                    // of a table that begins large enough, when all keys are in it
    TablePlacement memory;                         // of the table
    std::optional<TableSweep> sweep;               // over sizes of the table; none: one size, by the operations
    console::CountList owners;                     // of cores, one after the other in a run; empty: all cores, always
    bool latency = false;
    std::optional<Rate> rate;                 // of batches; none: as fast as they go
    std::optional<std::uint32_t> max_latency; // of operations in batches, in microseconds; none: no cap
    bool task_times = false;
};

// Who runs operations, and how: by this options choose an engine.
struct TableWay {
    Model model = Model::Tasks;
    Layout layout;
    Submit submit = Submit::Task;
    Reads reads = Reads::Travel;
    Notation notation = Notation::Function;
    Walk walk = Walk::Whole;
    Probe probe = Probe::Local;
    Rehash rehash = Rehash::Regions;
    Place place = Place::Instruction;
    std::optional<Locking> locking{}; // of threads; none: semaphores, or the table's own

    bool operator==(TableWay const&) const = default;
};

struct EngineKind; // engine.hpp

// The options, with all that was left out filled in.
struct TableRun : TableOptions {
    // `its_kind`: of the engine that they ask for; null where there is none, which resolve() refuses.
    TableRun(TableOptions const& options, EngineKind const* its_kind);

    EngineKind const* kind;
    TableSizes sizes{}; // resolve() chooses them
    TableWay way;
    Hashing hashing;
    QueueKind source;  // where instructions lie; the thesis' table and tasks share one queue where they may
    PrefetchPlan plan; // the machine's, but for what the options say
    SemaphoreKind semaphores;
    std::uint32_t tasks_each; // of a core, as the next
    std::uint32_t threads_each;
    Nanoseconds thread_slice;
    Nanoseconds latency_cap;            // of an operation; 0: none
    std::optional<std::uint32_t> ahead; // in tasks; none: as far as workers look by default
    bool is_in_place;                   // the table is made for all cores at once, which read it under RCU
    bool has_semaphores;                // by which threads take turns; else the table keeps them apart by itself
    bool is_thesis;                     // the thesis' table and tasks (sections 3.1 and 3.2.2)

    // The thesis' queue and (missing) prefetching, too.
    [[nodiscard]] bool has_thesis_defaults() const { return is_thesis && source == QueueKind::Shared && ahead == 0U; }
    // Threads without semaphores are there to show it: how many entries are lost is a result, not an error.
    [[nodiscard]] bool may_lose() const { return model == Model::ThreadsUnsafe; }
    // Whether its engine uses this option (as in "--prefetch").
    [[nodiscard]] bool uses(std::string_view option) const;
    // The slots that a table with such begins with: as the options say, or for as many keys as there are operations.
    [[nodiscard]] std::size_t first_slots() const;
    // By which so many owners have keys, in a table that is cut as the thesis' are. Errors: fewer buckets than cores.
    [[nodiscard]] Result<ModuloCut> cut(std::size_t owners_count) const;
};

constexpr auto table_schema = console::schema<TableOptions>(
    console::option<&TableOptions::model>("model",
                                          "tasks at the keys' owners, or in place (shared), or a thread per core"),
    console::option<&TableOptions::layout>("layout", "the hash table"),
    console::option<&TableOptions::submit>("submit",
                                           "a task for each operation, or several together (none given: task)"),
    console::option<&TableOptions::reads>("reads", "of batches: finds go to the owner, or not (none given: travel)"),
    console::option<&TableOptions::notation>("notation", "how the two-phase task is written (none given: function)"),
    console::option<&TableOptions::walk>("walk", "a chain at once, or others in between (none given: whole)"),
    console::option<&TableOptions::probe>("probe",
                                          "within the key's region, or on to the next core (none given: local)"),
    console::option<&TableOptions::rehash>("rehash", "who makes a table larger in which operations travel (none given: "
                                                     "regions)"),
    console::option<&TableOptions::place>("place", "where nodes of chains lie (none given: with their instruction)"),
    console::option<&TableOptions::hash>("hash", "which places the keys (none given: the table's own)"),
    console::option<&TableOptions::prefetch>("prefetch",
                                             "tasks ahead, 0: off (none given: the worker's own; the thesis' tasks: 0)",
                                             console::between(0, TaskFifo::max_distance)),
    console::option<&TableOptions::prefetch_hint>("prefetch-hint",
                                                  "which PREFETCH asks for lines of the table (none given: as "
                                                  "'prefetch' says)"),
    console::option<&TableOptions::prefetch_far>("prefetch-far",
                                                 "lines on their way, in place of --prefetch: half as many tasks ahead",
                                                 console::between(2, PrefetchPlan::max_far)),
    console::option<&TableOptions::prefetch_near>("prefetch-near",
                                                  "operations of a batch between PREFETCHT0 and use, 0: none",
                                                  console::between(0, PrefetchPlan::max_near)),
    core_set_option::cores, workload_option::operations,
    console::option<&TableOptions::tasks_per_core>("tasks-per-core", "tasks under way for each core (none given: 100)",
                                                   console::between(1, 1'000'000)),
    console::option<&TableOptions::threads_per_core>(
        "threads-per-core", "threads that take a core's instructions (none given: 1)", console::between(1, 256)),
    console::option<&TableOptions::semaphore>("semaphore", "of a bucket or region, for threads (none given: fast)"),
    console::option<&TableOptions::locking>("locking",
                                            "spin locks, of what part of the table (none given: semaphores)"),
    console::option<&TableOptions::switch_every>("switch-every",
                                                 "operations of a thread, after each of which the "
                                                 "dynamic lock or the cascade changes",
                                                 console::between(1, 1'000'000'000)),
    console::option<&TableOptions::slice>("slice", "of a thread, in microseconds, on metal (none given: 1000)",
                                          console::between(10, 1'000'000)),
    console::option<&TableOptions::buckets>("buckets", "per operation (none given: the layout's own)",
                                            console::between(0.000001, 100)),
    console::option<&TableOptions::initial_slots>("initial-slots", "of a table that grows (none given: large enough)",
                                                  console::between(1, 4'000'000'000)),
    console::option<&TableOptions::load>("load", "keys per slot when all are in it (none given: 0.5)",
                                         console::between(0.01, 0.97)),
    workload_option::mix, workload_option::ycsb, workload_option::trace, workload_option::keys,
    workload_option::distribution, workload_option::queue, workload_option::slices,
    console::option<&TableOptions::sweep>("sweep", "a row for each size of the table, from 16 KiB to this one "
                                                   "(--mix find; --ops: finds for each row)"),
    console::option<&TableOptions::memory>("memory", "where the table's parts lie: with their owners, all on one node, "
                                                     "on all nodes in turn"),
    console::option<&TableOptions::owners>("owners", "cores that own the table, one count after the other in a run",
                                           console::between(1, 65536)),
    console::flag<&TableOptions::latency>("latency", "how long operations take (whole walks, functions, batches)"),
    console::option<&TableOptions::rate>("rate", "operations due per second, all cores (none given: no set rate)"),
    console::option<&TableOptions::max_latency>("max-latency", "in batches, in microseconds (none given: no cap)",
                                                console::between(1, 1'000'000)),
    console::flag<&TableOptions::task_times>("task-times", "how long tasks run"), workload_option::seed,
    run_option::all);

} // namespace mxk::bench
