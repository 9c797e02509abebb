// One run of a contended lock by tasks, one on each core of a set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "base/result.hpp"
#include "bench/frame/progress.hpp"
#include "bench/lock/bodies.hpp"
#include "bench/lock/lock_options.hpp"
#include "bench/lock/lock_space.hpp"
#include "bench/lock/task_team.hpp"
#include "bench/lock/turn_statistics.hpp"
#include "kernel/clock.hpp"
#include "kernel/memory/node_vector.hpp"
#include "locks/fabric/stored_topology.hpp"

namespace mxk::bench {

// The form of a kind that is timed on a fabric; one that does not exist: it has none there.
locks::LockForm const& form_on(LockFabric fabric, locks::LockKind const& kind);
// And the one that counts, where there is one.
locks::LockForm const& counting_form_on(LockFabric fabric, locks::LockKind const& kind);
// Those that are measured if none are named.
LockNames default_locks(LockFabric fabric);

// The machine's topology, or one with nodes that are made up. Errors: no memory; more nodes than cores.
Result<locks::StoredTopology> topology_for(LockOptions const& options, std::span<CoreId const> cores);
// The memory of `count` locks, for each worker.
std::size_t region_bytes_for(locks::LockTopology const& topology, std::size_t count);
Result<std::optional<locks::Emulated>> emulated_for(LockOptions const& options, locks::LockTopology const& topology,
                                                    std::size_t count);

struct ContendedRun {
    LockOptions const& options; // fabric, latency and passes of them
    locks::LockForm const& form;
    std::span<CoreId const> cores;
    locks::LockTopology const& topology;
    Timing timing;
    std::size_t words; // of each worker, section_words or more
    bool is_watched;   // sections look whether others are let in
    Progress& progress;
};
struct ContendedEnd {
    NodeVector<Turn> turns;
    TeamOutcome outcome;
    TeamWords words;
    std::size_t region_bytes; // of the lock, in the memory of each worker; emu

    // Whether no two sections were at the same time that others could see, as far as they were watched.
    [[nodiscard]] bool excludes() const { return words.get(0, section_count_word) == outcome.sections.all; }
};

// The lock is made anew. body(team, lock, words, sections) is what a worker does, one of bodies.hpp. Errors: no memory,
// Ctrl-C. The console's task.
template <typename Body> Result<ContendedEnd> run_contended(ContendedRun const& run, Body const& body) {
    LockSpace space(run.topology, MXK_TRY(emulated_for(run.options, run.topology, 1)), run.cores[0],
                    static_cast<locks::Handed>(run.options.passes));
    auto const locks = MXK_TRY(LocksInUse::create(run.form, space, run.cores));
    auto words = MXK_TRY(TeamWords::create(space, run.cores, run.words));
    NodeId const here = Worker::current().node();
    auto turns = MXK_TRY(NodeVector<Turn>::create(run.cores.size(), here));
    for (std::size_t i = 0; i < run.cores.size(); ++i) turns.emplace();
    auto const cycles_of = [&](std::uint32_t nanoseconds) {
        bool const is_emulated = run.options.fabric == LockFabric::Emu;
        return is_emulated ? clock::to_cycles(Nanoseconds{std::uint64_t{nanoseconds}}) : Cycles{};
    };
    Cycles const latency = cycles_of(run.options.latency);
    Cycles const near_latency = cycles_of(run.options.near_latency);
    MXK_TRY(run_team(space, run.cores, run.progress, [&](TaskTeam& team) {
        UsedLock const lock = locks.used(0, team.worker());
        TeamWords::View far(words, team, latency, near_latency);
        if (run.is_watched) {
            TeamWords::View near(words, team); // to look costs nothing that a lock's users would pay
            WatchedSections sections(team, near);
            turns[team.worker()] = body(team, lock, far, sections);
        } else {
            PlainSections sections;
            turns[team.worker()] = body(team, lock, far, sections);
        }
    }));
    auto scratch = MXK_TRY(NodeArray<double>::create(run.cores.size(), here));
    auto const outcome = TeamOutcome::of(turns.span(), scratch.span());
    return ContendedEnd{
        .turns = std::move(turns), .outcome = outcome, .words = std::move(words), .region_bytes = space.region_bytes()};
}

} // namespace mxk::bench
