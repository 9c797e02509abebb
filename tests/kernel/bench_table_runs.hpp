// Runs of `bench table` on some cores, small enough for a test.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "bench/table/engine.hpp"
#include "bench/table/table_experiment.hpp"
#include "kernel/testing.hpp"
#include "tasks/workers.hpp"

namespace mxk::bench {

inline constexpr std::uint64_t few = 3000;

// Of threads fewer: they wait for each other.
inline std::uint32_t some_cores(EngineKind const& kind) {
    std::size_t const most = kind.model == Model::Tasks ? 4 : 2;
    return static_cast<std::uint32_t>(std::min(workers::count(), most));
}

inline TableOptions options_for(EngineKind const& kind) {
    TableOptions options;
    // Of threads that all want one semaphore each waits to be woken for each operation, across emulated cores.
    options.operations = kind.model == Model::Tasks ? few : few / 10;
    options.tasks_per_core = 7;
    options.model = kind.model;
    options.layout = kind.layout;
    options.submit = kind.submit;
    options.notation = kind.notation;
    options.walk = kind.walk;
    options.probe = kind.probe;
    options.hash = kind.hash;
    if (kind.growth == Growth::Always) options.initial_slots = 64;
    return options;
}

inline Phases phases(std::string_view text) {
    Phases result;
    MXK_CHECK(parse_value(text, result).ok());
    return result;
}

// Runs all phases twice, and calls check(phase, outcome) after each.
template <typename Check> void run_all(TableOptions const& options, EngineKind const& kind, Check check) {
    FixedText<1> nowhere;
    console::Invocation const invocation(nowhere);
    Progress progress(invocation);
    auto experiment = TableExperiment::create(options, kind, some_cores(kind));
    MXK_CHECK(experiment.ok());
    for (int run = 0; experiment.ok() && run < 2; ++run) {
        MXK_CHECK(experiment.value().prepare(progress).ok());
        for (Mix const& phase : options.mix.list()) {
            auto const outcome = experiment.value().run(phase, progress);
            MXK_CHECK(outcome.ok());
            if (outcome.ok()) check(phase, outcome.value());
        }
    }
}

inline bool is_unsafe(EngineKind const* kind) {
    return kind->model == Model::ThreadsUnsafe;
}

} // namespace mxk::bench
