// The experiments of `bench table` on real cores: every engine, from every queue, is verified in every phase; and an
// engine that is wrong on purpose is found out.
#include <array>
#include <ranges>
#include <string_view>

#include "base/log.hpp"
#include "bench/table/table_access.hpp"
#include "bench/table/task_engine.hpp"
#include "kernel/memory/memory.hpp"
#include "kernel/testing.hpp"
#include "tasks/threads/thread.hpp"
#include "tests/kernel/bench_table_runs.hpp"
#include "tests/kernel/noise.hpp"

namespace mxk::bench {
namespace {

void check_verified(Mix const&, TableExperiment::Outcome const& outcome) {
    MXK_CHECK_EQUAL(outcome.wrong, 0);
    MXK_CHECK_EQUAL(outcome.lost, 0);
    MXK_CHECK_EQUAL(outcome.in_table, outcome.expected_in_table);
    MXK_CHECK(outcome.verified());
}

void expect_verified(TableOptions const& options, EngineKind const& kind, int runs = 1) {
    if (!check(options)) return;  // not from this queue
    if (is_unsafe(&kind)) return; // bench_table_models_test.cpp
    bool is_verified = true;
    run_all(
        options, kind,
        [&](Mix const& phase, TableExperiment::Outcome const& outcome) {
            check_verified(phase, outcome);
            is_verified = is_verified && outcome.verified();
        },
        runs);
    if (is_verified) return;
    log::warn("that was an engine of {}, model {}, submit {}, notation {}, growth {}, rehash {}, hash {}",
              kind.layout.name, static_cast<int>(kind.model), static_cast<int>(kind.submit),
              static_cast<int>(kind.notation), static_cast<int>(kind.growth), static_cast<int>(kind.rehash),
              static_cast<int>(kind.hash));
}

MXK_TEST(bench_table, every_engine_is_verified_in_every_phase) {
    for (EngineKind const* const kind : registered_engines()) {
        for (QueueKind const queue : {QueueKind::Shared, QueueKind::PerCore, QueueKind::NodeLocal, QueueKind::Owner}) {
            bool skewed = queue == QueueKind::PerCore; // by turns: all pairs of queue, mix and skew
            for (std::string_view const mix :
                 {"insert,find,erase", "mixed:50/30/20", "loaded:20/60/20", "find", "erase"}) {
                // In an empty table nothing happens, whichever queue that comes from.
                bool const empty = mix == "find" || mix == "erase";
                if (empty && queue != QueueKind::NodeLocal) continue;
                TableOptions options = options_for(*kind);
                options.queue = queue;
                if (skewed && kind->place == Place::Instruction) options.distribution = Distribution::zipf(0.99);
                bool const owners_known = kind->hash == Hashing::Modulo && kind->growth == Growth::Never;
                if (queue == QueueKind::Owner && !owners_known) {
                    MXK_CHECK(!resolve(options).ok());
                    continue;
                }
                options.mix = phases(mix);
                if (!kind->layout.keeps_values && mix.starts_with("loaded")) { // a table of keys cannot be run on then
                    MXK_CHECK(!resolve(options).ok());
                    continue;
                }
                // A second run begins with a new table, whatever was in the first one.
                expect_verified(options, *kind, queue == QueueKind::NodeLocal ? 2 : 1);
                skewed = !skewed;
            }
        }
    }
}

MXK_TEST(bench_table, every_engine_is_verified_with_packed_slices) {
    for (EngineKind const* const kind : registered_engines()) {
        TableOptions options = options_for(*kind);
        options.operations += 1; // no multiple of a line
        options.slices = SliceKind::Packed;
        options.mix = phases("insert,find,erase");
        MXK_CHECK(TableRun(options, kind).source == QueueKind::PerCore);
        expect_verified(options, *kind);
    }
}

// Whether each slice begins on a line of its own, and whether it begins where the one before it ends.
MXK_TEST(bench_table, packed_slices_share_lines_and_others_do_not) {
    std::array<CoreId, 3> cores{};
    for (std::size_t i = 0; i < cores.size(); ++i) cores[i] = core_id(i % workers::count());
    Workload workload;
    workload.operations = 96; // slices of eight lines
    for (SliceKind const kind : {SliceKind::Lines, SliceKind::Packed}) {
        workload.slices = kind;
        auto const queue = InstructionQueue::create(workload, QueueKind::PerCore, cores);
        MXK_CHECK(queue.ok());
        Instruction const* end = nullptr;
        for (std::size_t i = 0; queue.ok() && i < cores.size(); ++i) {
            auto const slice = queue.value().slice(i).instructions();
            bool const is_aligned = reinterpret_cast<std::uintptr_t>(slice.data()) % cache_line_bytes == 0;
            MXK_CHECK_EQUAL(is_aligned, kind == SliceKind::Lines);
            if (i > 0 && kind == SliceKind::Packed) MXK_CHECK(slice.data() == end);
            end = slice.data() + slice.size();
        }
    }
}

// Thesis sections 3.2.1, 4.1 and 4.2, by a table of `buckets` whose regions are cut for these cores.
MXK_TEST(bench_table, instructions_and_nodes_of_a_key_are_where_its_owner_is) {
    std::array<CoreId, 3> cores{};
    std::array<Owner, 3> owners{};
    for (std::size_t i = 0; i < cores.size(); ++i) {
        cores[i] = core_id(i * (workers::count() - 1) / 2); // of the first and the last node
        owners[i] = {cores[i], workers::of(cores[i]).node()};
    }
    TableOptions options;
    options.operations = 3000;
    for (QueueKind const kind : {QueueKind::Owner, QueueKind::Shared, QueueKind::NodeLocal}) {
        options.queue = kind;
        auto const run = resolve(options);
        MXK_CHECK(run.ok());
        if (!run) return;
        auto const cut = run.value().cut(cores.size());
        auto queue = InstructionQueue::create(run.value(), kind, cores, {}, cut.value());
        MXK_CHECK(queue.ok());
        if (!queue) return;
        FixedText<1> nowhere;
        console::Invocation const invocation(nowhere);
        Progress progress(invocation);
        MXK_CHECK(queue.value().begin_with(phases("insert").list().front(), progress).ok());
        auto const nodes = OwnersNodes::create({run.value(), owners, owners, queue.value()});
        MXK_CHECK(nodes.ok());
        std::size_t instructions = 0;
        std::size_t of_others = 0;
        std::size_t elsewhere = 0;
        for (std::size_t i = 0; nodes.ok() && i < cores.size(); ++i) {
            auto const source = queue.value().source(i);
            if (kind == QueueKind::Shared && i > 0) break; // one source for all
            instructions += source.size();
            for (std::size_t at = 0; at < source.size(); ++at) {
                std::size_t const owner = cut.value().owner(source[at].key);
                of_others += owner != i ? 1U : 0U;
                elsewhere += memory::node_of(nodes.value().of(i, at)) != owners[owner].node ? 1U : 0U;
                if (kind == QueueKind::Owner) elsewhere += memory::node_of(&source[at]) != owners[owner].node ? 1U : 0U;
            }
        }
        MXK_CHECK_EQUAL(instructions, 3000U);
        MXK_CHECK_EQUAL(elsewhere, 0U);
        MXK_CHECK((of_others == 0) == (kind == QueueKind::Owner));
    }
}

// Whose owners can change.
bool has_partitions(EngineKind const& kind) {
    return kind.growth != Growth::Never && kind.model == Model::Tasks && kind.probe == Probe::Local;
}

// A place in a run is not a core's number: sets that leave out the console's core, with gaps and in descending order. A
// task that took one for the other would meet another core's region, or none.
MXK_TEST(bench_table, every_engine_is_verified_on_any_set_of_cores) {
    if (workers::count() < 4) return;
    constexpr std::array sets{std::array{core_id(1), core_id(3)}, std::array{core_id(3), core_id(0)}};
    for (EngineKind const* const kind : registered_engines()) {
        if (is_unsafe(kind) || kind->locking == Locking::None) continue; // of several cores
        for (auto const& set : sets) {
            for (auto const* const mix : {"insert,find,erase", "mixed:50/30/20"}) {
                TableOptions options = options_for(*kind);
                options.mix = phases(mix);
                options.queue = QueueKind::NodeLocal;
                if (has_partitions(*kind)) options.owners = {1, 2, 1};
                run_all_on(set, options, *kind, &check_verified);
            }
        }
    }
}

MXK_TEST(bench_table, every_engine_is_verified_with_all_kinds_of_keys) {
    for (EngineKind const* const kind : registered_engines()) {
        for (auto const* const keys : {"sequential", "strided:3", "strided:4096", "strided:1000000000000"}) {
            TableOptions options = options_for(*kind);
            MXK_CHECK(parse_value(keys, options.keys).ok());
            options.mix = phases("insert,find,erase");
            expect_verified(options, *kind);
        }
    }
}

MXK_TEST(bench_table, engines_work_with_one_operation_for_all_cores) {
    for (EngineKind const* const kind : registered_engines()) {
        TableOptions options = options_for(*kind);
        options.operations = 1;
        options.buckets = 16;
        options.mix = phases("insert,find,erase");
        expect_verified(options, *kind);
    }
}

// By how much more of the last node is in use while the table is there, of a run on a core of the first one.
MXK_TEST(bench_table, a_table_lies_where_it_was_asked_for) {
    std::size_t const nodes = memory::node_count();
    if (nodes < 2) return inner_tests::skip("one node");
    NodeId const last = node_id(nodes - 1);
    auto const used_there = [&](EngineKind const& kind, TablePlacement const& placement) {
        TableOptions options = options_for(kind);
        options.operations = 4'000; // few, and a table that is large for them: the engine's work shows nothing here
        options.buckets = 2;
        options.memory = placement;
        std::size_t const before = memory::use(last).used;
        std::size_t used = 0;
        run_all_on(first_cores(1).span(), options, kind, [&](Mix const& mix, TableExperiment::Outcome const& outcome) {
            check_verified(mix, outcome);
            used = std::max(used, memory::use(last).used - before);
            MXK_CHECK(outcome.table_bytes > 0);
        });
        return used;
    };
    for (EngineKind const* const kind : registered_engines()) {
        if (is_unsafe(kind)) continue;
        std::size_t const there =
            used_there(*kind, {.kind = TablePlacement::Kind::Node, .node = static_cast<std::uint32_t>(last)});
        std::size_t const here = used_there(*kind, {});
        bool const is_helped_out = memory::use(node_id(0)).total == 0; // perhaps by the last one
        MXK_CHECK(there > (is_helped_out ? 0 : here) + 20'000);        // the smallest has grown to 4000 keys of 8 bytes
    }
}

bool has_batches(EngineKind const* kind) {
    return kind->submit == Submit::Batch && kind->model == Model::Tasks;
}

// The first instruction is due at the start and the last one (operations - 1) / rate later, whichever queue they are
// in.
MXK_TEST(bench_table, operations_of_an_open_load_do_not_begin_before_they_are_due) {
    constexpr double rate = 100'000;
    for (EngineKind const* const kind : registered_engines() | std::views::filter(has_batches)) {
        for (QueueKind const queue : {QueueKind::Shared, QueueKind::NodeLocal}) {
            TableOptions options = options_for(*kind);
            options.operations = 500;
            options.queue = queue;
            options.mix = phases("insert,find");
            options.latency = true;
            if (queue == QueueKind::Shared) options.max_latency = 50;
            auto const cores = first_cores(some_cores(*kind));
            double const last = (500.0 - static_cast<double>(cores.size())) / rate;
            run_all_on(
                cores.span(), options, *kind,
                [&](Mix const& phase, TableExperiment::Outcome const& outcome) {
                    check_verified(phase, outcome);
                    MXK_CHECK(outcome.latency.count >= 450 - cores.size()); // but for a tenth
                    MXK_CHECK(outcome.latency.count <= options.operations);
                    MXK_CHECK(outcome.time.seconds() >= last);
                },
                1, rate);
        }
    }
}

// Far more is offered than the cores can do: all operations are due at once, and wait for those before them. Without
// the time that they wait to be begun, latencies would be a small part of that.
MXK_TEST(bench_table, operations_that_could_not_begin_in_time_count_as_late) {
    for (EngineKind const* const kind : registered_engines() | std::views::filter(has_batches)) {
        TableOptions options = options_for(*kind);
        options.operations = 4 * few;
        options.mix = phases("insert");
        options.latency = true;
        options.max_latency = 1; // so that few are under way
        auto const core = first_cores(1);
        run_all_on(
            core.span(), options, *kind,
            [](Mix const& phase, TableExperiment::Outcome const& outcome) {
                check_verified(phase, outcome);
                MXK_CHECK(static_cast<double>(outcome.latency.max) * 1e-9 > 0.5 * outcome.time.seconds());
            },
            1, 1e12);
    }
}

bool travels(EngineKind const* kind) {
    return kind->probe == Probe::Travel;
}

MXK_TEST(bench_table, operations_that_travel_go_round_in_full_tables) {
    for (EngineKind const* const kind : registered_engines() | std::views::filter(travels)) {
        TableOptions options = options_for(*kind);
        options.operations = 800;
        options.buckets = 1; // a slot for each key
        options.mix = phases("insert,find,erase");
        expect_verified(options, *kind);
        options.buckets = 0.5; // more inserts than slots: deleted ones are used again
        options.mix = phases("mixed:55/15/30");
        expect_verified(options, *kind);
    }
}

MXK_TEST(bench_table, inserts_without_a_place_are_wrong) {
    for (EngineKind const* const kind : registered_engines() | std::views::filter(travels)) {
        if (kind->growth != Growth::Never) continue; // has a place for all
        TableOptions options = options_for(*kind);
        options.operations = 800;
        options.buckets = 0.5;
        options.mix = phases("insert");
        run_all(options, *kind, [](Mix const&, TableExperiment::Outcome const& outcome) {
            MXK_CHECK_EQUAL(outcome.wrong, 400);
            MXK_CHECK_EQUAL(outcome.lost, 400);
            MXK_CHECK_EQUAL(outcome.in_table, 400);
            MXK_CHECK(!outcome.verified());
        });
    }
}

// From 64 slots of each core on, while operations travel and cores take their time.
MXK_TEST(bench_table, regions_grow_while_operations_travel) {
    for (EngineKind const* const kind : registered_engines() | std::views::filter(travels)) {
        if (kind->growth == Growth::Never) continue;
        for (auto const* const mix : {"insert,find,erase", "mixed:60/20/20"}) {
            TableOptions options = options_for(*kind);
            options.initial_slots = 1;
            options.operations = 10 * few;
            options.mix = phases(mix);
            Noise const noise(300);
            run_all(options, *kind, [&](Mix const& phase, TableExperiment::Outcome const& outcome) {
                check_verified(phase, outcome);
                if (phase.kind != Mix::Kind::Erase) MXK_CHECK(outcome.table_bytes > 16 * outcome.in_table);
            });
        }
    }
}

MXK_TEST(bench_table, fewer_buckets_than_cores_are_refused) {
    for (EngineKind const* const kind : registered_engines()) {
        TableOptions options = options_for(*kind);
        options.operations = 1;
        options.buckets = 0.1;
        if (kind->growth != Growth::Never) { // has no number of buckets
            MXK_CHECK(!resolve(options).ok());
            continue;
        }
        TableRun const run(options, kind);
        MXK_CHECK(TableExperiment::create(run, first_cores(1).span()).ok());
        if (some_cores(*kind) < 2) continue;
        MXK_CHECK(!TableExperiment::create(run, first_cores(2).span()).ok());
    }
}

// Operations meet every state of a partition: here, parked before it comes, and at its former owner.
MXK_TEST(tables, owners_change_while_operations_flow) {
    for (EngineKind const* const kind : registered_engines()) {
        if (!has_partitions(*kind)) continue;
        TableOptions options = options_for(*kind);
        // With noise on many emulated cores the four that own the table get little time.
        options.operations = workers::count() > 8 ? 2 * few : 5 * few;
        options.owners = {1, some_cores(*kind), 1, some_cores(*kind)};
        options.mix = phases("insert,find,erase");
        expect_verified(options, *kind);
        options.mix = phases("mixed:50/30/20");
        Noise const noise(300);
        expect_verified(options, *kind);
    }
}

MXK_TEST(bench_table, the_options_choose_each_engine) {
    for (EngineKind const* const kind : registered_engines()) {
        auto const run = resolve(options_for(*kind));
        MXK_CHECK(run.ok());
        if (run.ok()) MXK_CHECK(run.value().kind == kind);
    }
}

MXK_TEST(bench_table, without_a_hash_a_table_has_its_own) {
    for (EngineKind const* const kind : registered_engines()) {
        TableOptions options = options_for(*kind);
        options.hash = {};
        auto const run = resolve(options);
        MXK_CHECK(run.ok());
        if (run.ok()) MXK_CHECK(run.value().hashing == kind->hash);
    }
    TableOptions options;
    for (Hashing const hash : {Hashing::Mixed, Hashing::Multiplicative}) { // the thesis' has the remainder only
        options.hash = hash;
        MXK_CHECK(!resolve(options).ok());
    }
}

// By other keys, which such a table places as that hash would place these.
MXK_TEST(bench_table, tables_that_mix_bits_have_the_thesis_hash_too) {
    std::size_t runs = 0;
    for (EngineKind const* const kind : registered_engines()) {
        TableOptions options = options_for(*kind);
        options.hash = Hashing::Modulo;
        MXK_CHECK_EQUAL(resolve(options).ok(), kind->has_modulo || kind->hash == Hashing::Modulo);
        if (!kind->has_modulo) continue;
        for (auto const* const keys : {"random", "sequential", "strided:4096"}) {
            for (auto const* const mix : {"insert,find,erase", "mixed:50/30/20"}) {
                MXK_CHECK(parse_value(keys, options.keys).ok());
                options.mix = phases(mix);
                options.queue = QueueKind::NodeLocal;
                expect_verified(options, *kind);
                ++runs;
            }
        }
    }
    MXK_CHECK(runs >= 5 * 6); // engines of open and cuckoo
}

MXK_TEST(bench_table, contradictions_have_no_engine) {
    TableOptions options;
    options.layout = {"bucketed"};
    options.walk = Walk::Interleaved;
    MXK_CHECK(!resolve(options).ok());
    options = {};
    options.submit = Submit::Batch;
    options.notation = Notation::Coroutine;
    MXK_CHECK(!resolve(options).ok());
}

MXK_TEST(bench_table, the_thesis_tasks_have_the_thesis_defaults) {
    TableOptions options;
    TableRun run = resolve(options).value();
    MXK_CHECK(run.source == QueueKind::Shared);
    MXK_CHECK(run.ahead == 0U);
    MXK_CHECK(run.has_thesis_defaults());
    options = {};
    options.prefetch = 8;
    run = resolve(options).value();
    MXK_CHECK(run.ahead == 8U);
    MXK_CHECK(!run.has_thesis_defaults());
    options = {};
    options.mix = phases("mixed:50/40/10"); // its results depend on which core takes what
    run = resolve(options).value();
    MXK_CHECK(run.source == QueueKind::NodeLocal);
    MXK_CHECK(!run.has_thesis_defaults());
    options = {};
    options.walk = Walk::Interleaved; // not the thesis'
    run = resolve(options).value();
    MXK_CHECK(run.source == QueueKind::NodeLocal);
    MXK_CHECK(!run.ahead);
}

// What an engine would ignore.
MXK_TEST(bench_table, options_that_are_not_used_are_refused) {
    for (EngineKind const* const kind : registered_engines()) {
        auto const is_refused = [&](auto change) {
            TableOptions options = options_for(*kind);
            change(options);
            return !resolve(options).ok();
        };
        bool const is_task_each = runs_tasks(kind->model) && kind->submit == Submit::Task;
        bool const travels = kind->model == Model::Tasks && kind->submit == Submit::Task;
        MXK_CHECK_EQUAL(is_refused([](TableOptions& options) { options.prefetch = 8; }), !is_task_each);
        MXK_CHECK_EQUAL(is_refused([](TableOptions& options) { options.tasks_per_core = 8; }), !is_task_each);
        MXK_CHECK_EQUAL(is_refused([&](TableOptions& options) { options.notation = kind->notation; }), !travels);
        MXK_CHECK_EQUAL(is_refused([&](TableOptions& options) { options.walk = kind->walk; }), !travels);
        MXK_CHECK_EQUAL(is_refused([](TableOptions& options) { options.slice = 100; }),
                        runs_tasks(kind->model) || !Thread::has_slices());
        MXK_CHECK_EQUAL(is_refused([](TableOptions& options) { options.buckets = 1; }), kind->growth != Growth::Never);
    }
}

enum class Fault : std::uint8_t { None, LosesKeys, KeepsErased, LosesValues, SaysNo, LosesWrites, WritesOthers };

Fault fault_to_make = Fault::None; // by the next engine

// Treats one key in eight wrongly.
class WrongAccess : public BucketedAccess {
  public:
    static Result<WrongAccess> create(EngineSetup const& setup) {
        return WrongAccess(MXK_TRY(BucketedAccess::create(setup)), fault_to_make);
    }

    template <Operation operation> bool operate(std::size_t at, std::uint64_t key, Extra extra, Order const& order) {
        if (key % 8 == 0) {
            if (fault_ == Fault::SaysNo) return false;
            if (fault_ == Fault::LosesKeys && operation == Operation::Insert) return true;
            if (fault_ == Fault::KeepsErased && operation == Operation::Erase) return true;
            if (fault_ == Fault::LosesValues && operation == Operation::Insert)
                return region(at).insert(key, 0) == Insert::Inserted;
        }
        return BucketedAccess::operate<operation>(at, key, extra, order);
    }
    bool overwrite(std::size_t at, std::uint64_t key, Extra extra, Order const& order) {
        if (key % 8 == 0) {
            if (fault_ == Fault::LosesWrites) return true;
            if (fault_ == Fault::WritesOthers) return region(at).update(key, value_of(key + 8, order.version));
        }
        return BucketedAccess::overwrite(at, key, extra, order);
    }

  private:
    WrongAccess(BucketedAccess&& right, Fault fault)
        : BucketedAccess(std::move(right))
        , fault_(fault) {}

    Fault fault_;
};

// How many of the operations, and of the keys in the end, are found to be wrong in each phase.
struct Found {
    std::array<std::uint64_t, Phases::max> wrong{};
    std::array<std::uint64_t, Phases::max> lost{};
};

// In the phases of a workload, or in insert, find and erase.
Found found_wrong(Fault fault, char workload = 0) {
    constexpr EngineKind kind{.layout = bucketed_layout, .create = &EngineOwner::create<TaskEngine<WrongAccess>>};
    fault_to_make = fault;
    TableOptions options = options_for(kind);
    if (workload != 0) options.ycsb = Ycsb{workload};
    if (workload == 0) options.mix = phases("insert,find,erase");
    MXK_CHECK(complete_ycsb(options).ok());
    Found found;
    run_all(options, kind, [&](Mix const& phase, TableExperiment::Outcome const& outcome) {
        auto const at = static_cast<std::size_t>(phase.kind) % static_cast<std::size_t>(Mix::Kind::Load);
        found.wrong[at] = outcome.wrong;
        found.lost[at] = outcome.lost;
        MXK_CHECK_EQUAL(outcome.verified(), outcome.wrong == 0 && outcome.lost == 0);
    });
    return found;
}

void check_found(Found const& found, std::array<bool, Phases::max> wrong, std::array<bool, Phases::max> lost) {
    for (std::size_t i = 0; i < Phases::max; ++i) {
        MXK_CHECK_EQUAL(found.wrong[i] != 0, wrong[i]);
        MXK_CHECK_EQUAL(found.lost[i] != 0, lost[i]);
    }
}

MXK_TEST(bench_table, wrong_engines_are_found_out) {
    constexpr std::array<bool, Phases::max> never{};
    check_found(found_wrong(Fault::None), never, never);
    check_found(found_wrong(Fault::LosesKeys), {false, true, true}, {true, true, false});
    check_found(found_wrong(Fault::KeepsErased), never, {false, false, true});
    check_found(found_wrong(Fault::LosesValues), {false, true, false}, {true, true, false});
    check_found(found_wrong(Fault::SaysNo), {true, true, true}, {true, true, false});
}

MXK_TEST(bench_table, engines_that_overwrite_wrongly_are_found_out) {
    constexpr std::array<bool, Phases::max> never{};
    constexpr std::array in_run{false, true, false};
    for (char const workload : {'a', 'f'}) {
        check_found(found_wrong(Fault::None, workload), never, never);
        check_found(found_wrong(Fault::LosesWrites, workload), never, in_run);
        check_found(found_wrong(Fault::WritesOthers, workload), in_run, in_run);
    }
}

} // namespace
} // namespace mxk::bench
