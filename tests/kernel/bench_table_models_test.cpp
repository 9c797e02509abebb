// Tasks, threads, and threads without semaphores: what only some of them have, and what only one of them may do.
#include <ranges>

#include "tasks/threads/semaphore.hpp"
#include "tasks/threads/thread.hpp"
#include "tests/kernel/bench_table_runs.hpp"

namespace mxk::bench {
namespace {

// Two threads that insert into the same bucket at the same time: one of the entries is lost. Whether they meet is
// timing, so there are several runs until it happens: on two processors of their own nearly every run of two cores has
// lost some (a few buckets with chains of a thousand). Where twelve cores shared two processors, 5 of 45 tests needed
// 20 runs or more, and one needed 92: from there on another 40 runs without any are about as likely as not, so 2000 are
// a false alarm in 1e-14.
MXK_TEST(bench_table, threads_without_semaphores_lose_entries) {
    if (workers::count() < 2) return;
    constexpr int max_runs = 2000;
    for (EngineKind const* const kind : registered_engines() | std::views::filter(is_unsafe)) {
        TableOptions options = options_for(*kind);
        options.operations = 3000;
        options.buckets = 0.001;
        std::uint64_t lost = 0;
        for (int run = 0; run < max_runs && lost == 0; run += 2)
            run_all(
                options, *kind, [&](Mix const&, TableExperiment::Outcome const& outcome) { lost += outcome.lost; }, 2);
        MXK_CHECK(lost > 0);
    }
}

// What is lost is counted, and nothing else is wrong: on one core nothing is.
MXK_TEST(bench_table, what_threads_without_semaphores_lose_is_counted) {
    for (EngineKind const* const kind : registered_engines() | std::views::filter(is_unsafe)) {
        TableOptions options = options_for(*kind);
        options.operations = 5 * few;
        options.buckets = 0.004;
        options.mix = phases("insert,find,erase");
        std::uint64_t lost = 0;
        run_all(options, *kind, [&](Mix const& phase, TableExperiment::Outcome const& outcome) {
            if (phase.kind == Mix::Kind::Insert) {
                MXK_CHECK_EQUAL(outcome.wrong, 0);
                MXK_CHECK_EQUAL(outcome.in_table + outcome.lost, outcome.expected_in_table);
                lost = outcome.lost;
            } else if (phase.kind == Mix::Kind::Find) {
                MXK_CHECK_EQUAL(outcome.wrong, lost);
                MXK_CHECK_EQUAL(outcome.lost, lost);
            } else {
                MXK_CHECK_EQUAL(outcome.in_table, outcome.lost); // what erases have brought back
            }
            if (workers::count() == 1) MXK_CHECK(outcome.verified());
        });
    }
}

// Several of a core, that is: without locks there is one.
bool has_threads(EngineKind const* kind) {
    return !runs_tasks(kind->model) && kind->locking != Locking::None;
}

// They interrupt each other, and wait for each other's semaphores; what goes wrong is counted once.
MXK_TEST(bench_table, several_threads_of_a_core_share_its_instructions) {
    for (EngineKind const* const kind : registered_engines() | std::views::filter(has_threads)) {
        for (QueueKind const queue : {QueueKind::Shared, QueueKind::PerCore}) {
            TableOptions options = options_for(*kind);
            options.threads_per_core = 3;
            options.queue = queue;
            if (queue == QueueKind::PerCore) options.slices = SliceKind::Packed;
            options.mix = phases("insert,find,erase");
            MXK_CHECK(resolve(options).ok());
            run_all(options, *kind, [&](Mix const& phase, TableExperiment::Outcome const& outcome) {
                if (phase.kind == Mix::Kind::Insert)
                    MXK_CHECK_EQUAL(outcome.in_table + outcome.lost, outcome.expected_in_table);
                if (!is_unsafe(kind)) MXK_CHECK(outcome.verified());
            });
        }
    }
}

// Which of them takes an instruction is not known beforehand.
MXK_TEST(bench_table, several_threads_of_a_core_take_no_phases_whose_order_matters) {
    TableOptions options;
    options.model = Model::Threads;
    options.mix = phases("mixed:50/30/20");
    MXK_CHECK(resolve(options).ok());
    options.threads_per_core = 1;
    MXK_CHECK(resolve(options).ok());
    options.threads_per_core = 2;
    MXK_CHECK(!resolve(options).ok());
}

MXK_TEST(bench_table, what_only_tasks_or_only_threads_have_is_refused) {
    auto const is_refused = [](auto change) {
        TableOptions options;
        change(options);
        return !resolve(options).ok();
    };
    for (Model const model : {Model::Threads, Model::ThreadsUnsafe}) {
        auto const has_not = [&](auto change) {
            MXK_CHECK(is_refused([&](TableOptions& options) {
                options.model = model;
                change(options);
            }));
        };
        MXK_CHECK(!is_refused([&](TableOptions& options) { options.model = model; }));
        MXK_CHECK_EQUAL(is_refused([&](TableOptions& options) {
                            options.model = model;
                            options.slice = 10;
                        }),
                        !Thread::has_slices());
        has_not([](TableOptions& options) { options.submit = Submit::Batch; });
        has_not([](TableOptions& options) { options.notation = Notation::Coroutine; });
        has_not([](TableOptions& options) { options.walk = Walk::Interleaved; });
        has_not([](TableOptions& options) { options.prefetch = 8; });
        has_not([](TableOptions& options) { options.owners = {1}; });
        has_not([](TableOptions& options) { options.latency = true; });
        has_not([](TableOptions& options) { options.task_times = true; });
        has_not([](TableOptions& options) { options.layout = {"bucketed"}; });
    }
    MXK_CHECK(is_refused([](TableOptions& options) { options.semaphore = SemaphoreKind::Fast; }));
    MXK_CHECK(is_refused([](TableOptions& options) { options.slice = 1000; }));
    MXK_CHECK(is_refused([](TableOptions& options) { options.threads_per_core = 2; }));
    MXK_CHECK(is_refused([](TableOptions& options) {
        options.model = Model::ThreadsUnsafe;
        options.semaphore = SemaphoreKind::Fast;
    }));
    MXK_CHECK(is_refused([](TableOptions& options) {
        options.model = Model::ThreadsUnsafe;
        options.layout = {"open"};
    }));
    MXK_CHECK_EQUAL(is_refused([](TableOptions& options) {
                        options.model = Model::Threads;
                        options.semaphore = SemaphoreKind::Syscall;
                    }),
                    !Semaphore::supports(SemaphoreKind::Syscall));
}

} // namespace
} // namespace mxk::bench
