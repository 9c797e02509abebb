// Every engine runs the workloads of YCSB, is verified in both phases, and what it may not run is refused by name.
#include <array>

#include "tests/kernel/bench_table_runs.hpp"

namespace mxk::bench {
namespace {

TableOptions with_workload(EngineKind const& kind, char letter) {
    TableOptions options = options_for(kind);
    options.ycsb = Ycsb{letter};
    options.queue = QueueKind::NodeLocal;
    return options;
}

MXK_TEST(bench_table, every_engine_is_verified_in_every_workload) {
    std::size_t turn = 0;
    for (EngineKind const* const kind : registered_engines()) {
        if (is_unsafe(kind)) continue;
        constexpr std::array others{'b', 'c', 'd'};
        for (char const letter : {'a', 'f', others[turn++ % others.size()]}) {
            TableOptions options = with_workload(*kind, letter);
            options.operations /= 2;
            MXK_CHECK(complete_ycsb(options).ok());
            // Only a table of keys may not.
            bool const may = resolve(options).ok();
            MXK_CHECK(may || !kind->layout.keeps_values);
            if (!may) continue;
            std::uint64_t total = 0;
            run_all(options, *kind, [&](Mix const&, TableExperiment::Outcome const& outcome) {
                MXK_CHECK_EQUAL(outcome.wrong, 0);
                MXK_CHECK_EQUAL(outcome.lost, 0);
                MXK_CHECK_EQUAL(outcome.in_table, outcome.expected_in_table);
                total += outcome.operations;
            });
            // d keeps a twentieth of the keys of each slice for its run.
            std::uint64_t const both = 2 * options.operations;
            MXK_CHECK(total <= both && total >= both - options.operations / 20);
            MXK_CHECK_EQUAL(total == both, letter != 'd');
        }
    }
}

// Owners that change, and tables that grow, while values are overwritten.
MXK_TEST(bench_table, workloads_are_verified_while_owners_change) {
    if (workers::count() < 2) return;
    char letter = 'a'; // by turns
    for (EngineKind const* const kind : registered_engines()) {
        bool const is_partitioned = kind->growth != Growth::Never && kind->probe == Probe::Local;
        if (!is_partitioned || kind->model != Model::Tasks || !kind->layout.keeps_values) continue;
        TableOptions options = with_workload(*kind, letter);
        options.initial_slots = 64;
        options.owners = {1, 2, 1};
        MXK_CHECK(complete_ycsb(options).ok());
        run_all_on(first_cores(2).span(), options, *kind,
                   [](Mix const&, TableExperiment::Outcome const& outcome) { MXK_CHECK(outcome.verified()); });
        letter = letter == 'a' ? 'f' : 'a';
    }
}

MXK_TEST(bench_table, workloads_have_all_distributions) {
    for (EngineKind const* const kind : registered_engines()) {
        if (kind->layout.name != "bucketed" || kind->submit != Submit::Batch || kind->growth != Growth::Never) continue;
        for (auto const* const distribution : {"uniform", "zipf:1.2", "latest", "hotset:0.1:0.9"}) {
            for (char const letter : {'a', 'd', 'f'}) {
                TableOptions options = with_workload(*kind, letter);
                MXK_CHECK(parse_value(distribution, options.distribution).ok());
                MXK_CHECK(complete_ycsb(options).ok());
                run_all(options, *kind,
                        [](Mix const&, TableExperiment::Outcome const& outcome) { MXK_CHECK(outcome.verified()); });
            }
        }
    }
}

} // namespace
} // namespace mxk::bench
