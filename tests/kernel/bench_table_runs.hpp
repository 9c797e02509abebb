// Runs of `bench table` on some cores, small enough for a test.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>

#include "bench/table/engine.hpp"
#include "bench/table/table_experiment.hpp"
#include "kernel/testing.hpp"
#include "tasks/workers.hpp"

namespace mxk::bench {

inline constexpr std::uint64_t few = 2000;

// Of threads fewer: they wait for each other.
inline std::uint32_t some_cores(EngineKind const& kind) {
    std::size_t const max = runs_tasks(kind.model) ? 4 : kind.locking == Locking::None ? 1 : 2;
    return static_cast<std::uint32_t>(std::min(workers::count(), max));
}

inline NodeVector<CoreId> first_cores(std::uint32_t count) {
    auto cores = NodeVector<CoreId>::create(count, Worker::current().node());
    for (std::uint32_t i = 0; i < count; ++i) cores.value().emplace(core_id(i));
    return std::move(cores).value();
}

inline TableOptions options_for(EngineKind const& kind) {
    TableOptions options;
    // Of threads that all want one semaphore each waits to be woken for each operation, across emulated cores.
    options.operations = runs_tasks(kind.model) ? few : few / 10;
    options.model = kind.model;
    options.layout = {kind.layout.name};
    options.hash = kind.hash;
    if (runs_tasks(kind.model)) options.submit = kind.submit;
    if (kind.reads != Reads::Travel) options.reads = kind.reads;
    if (kind.model == Model::Tasks && kind.submit == Submit::Task) {
        options.tasks_per_core = 7;
        options.notation = kind.notation;
        options.walk = kind.walk;
    }
    options.locking = kind.locking;
    if (kind.locking && changes(*kind.locking)) options.switch_every = 10;
    if (kind.probe != Probe::Local) options.probe = kind.probe;
    if (kind.rehash != Rehash::Regions) options.rehash = kind.rehash;
    if (kind.place != Place::Instruction) options.place = kind.place;
    if (kind.growth == Growth::Always) options.initial_slots = 64;
    return options;
}

inline Phases phases(std::string_view text) {
    Phases result;
    MXK_CHECK(parse_value(text, result).ok());
    return result;
}

// Runs all phases so often on these cores, at this rate, and calls check(phase, outcome) after each.
template <typename Check>
void run_all_on(std::span<CoreId const> cores, TableOptions const& options, EngineKind const& kind, Check check,
                int runs = 1, double rate = 0) {
    FixedText<1> nowhere;
    console::Invocation const invocation(nowhere);
    Progress progress(invocation);
    TableRun const table_run(options, &kind);
    auto experiment = TableExperiment::create(table_run, cores);
    MXK_CHECK(experiment.ok());
    for (int run = 0; experiment.ok() && run < runs; ++run) {
        bool const is_prepared = experiment.value().prepare(progress).ok();
        MXK_CHECK(is_prepared);
        if (!is_prepared) return;
        for (Mix const& phase : options.mix.list()) {
            auto const outcome = experiment.value().run(phase, progress, rate);
            MXK_CHECK(outcome.ok());
            if (outcome.ok()) check(phase, outcome.value());
        }
    }
}

template <typename Check> void run_all(TableOptions const& options, EngineKind const& kind, Check check, int runs = 1) {
    run_all_on(first_cores(some_cores(kind)).span(), options, kind, check, runs);
}

inline bool is_unsafe(EngineKind const* kind) {
    return kind->model == Model::ThreadsUnsafe;
}

} // namespace mxk::bench
