// Runs of the mapping database with its locks, for `bench adaptive mapping`, `revoke` and `revoke-independent`. All
// cores of a set do their part of a round in one step, and wait for each other; a core that waits does what others ask
// of its TLB. By messages: owner_revocation.hpp.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/result.hpp"
#include "bench/adaptive/adapted_locks.hpp"
#include "bench/adaptive/mapped_space.hpp"
#include "bench/adaptive/mapping_run.hpp"
#include "bench/frame/steps.hpp"
#include "kernel/clock.hpp"
#include "tasks/workers.hpp"

namespace mxk::bench {

// E3. One space, which all cores of the set use, with as many memory objects as pages; the first core unmaps them all.
template <typename Locking> Result<Sample> run_unmap(MappingRun const& run) {
    using Space = MappedSpace<Locking>;
    auto database = database_of<Locking>(run.pages, run);
    auto const part_of = [](std::size_t object) { return object; };
    Space space = MXK_TRY(Space::create(run.pages, 1, workers::of(run.cores.front()).node(), part_of));
    RoundBarrier barrier(run.cores.size());
    std::atomic<std::size_t> wrong{0};
    Cycles took{};
    MappingCosts costs;
    std::span const spaces(&space, 1);
    auto const step = [&](Worker&, std::size_t place) {
        space.activate();
        for (std::size_t round = 0; round < run.rounds; ++round) {
            if (place == 0 && !space.map_all(database)) ++wrong;
            barrier.meet();
            if (space.writable(run.pages) != run.pages) ++wrong;
            barrier.meet();
            if (place == 0) {
                costs.begin(database.lock_acquisitions(space.objects()));
                Cycles const start = clock::timestamp();
                space.unmap_all(database);
                took = took + (clock::timestamp() - start);
                costs.end(database.lock_acquisitions(space.objects()));
            }
            barrier.meet();
            if (space.writable(run.pages) != 0) ++wrong;
            barrier.meet(); // before the first core maps them again
        }
        mapping::coherence()->leave();
        return Step::Done;
    };
    auto done = adapt_locks<Locking>(run, spaces, database);
    if (done) done = run_steps(run.cores, run.progress, step);
    share_locks<Locking>(spaces, database);
    MXK_TRY(done);
    std::uint64_t const operations = run.rounds * run.pages;
    Sample sample{.value = static_cast<double>(raw(took)) / static_cast<double>(operations),
                  .operations = operations,
                  .verified = wrong == 0};
    costs.report(sample, operations, operations);
    return sample;
}

// The spaces of all cores of a set: one each, on its core's node, with one memory object.
template <typename Locking>
Result<NodeVector<MappedSpace<Locking>>> spaces_of(MappingRun const& run,
                                                   typename MappedSpace<Locking>::Database& database) {
    using Space = MappedSpace<Locking>;
    auto spaces = MXK_TRY(NodeVector<Space>::create(run.cores.size(), workers::of(run.cores.front()).node()));
    for (std::size_t i = 0; i < run.cores.size(); ++i) {
        auto const part_of = [i](std::size_t) { return i; };
        spaces.emplace(MXK_TRY(Space::create(1, i == 0 ? run.pages : 1, workers::of(run.cores[i]).node(), part_of)));
    }
    for (Space& space : spaces)
        if (auto const mapped = space.map_all(database); !mapped) {
            for (Space& other : spaces) other.unmap_all(database);
            return mapped.error();
        }
    return spaces;
}

// E4. All cores withdraw the right to write, the first one of all its pages, the others of one; then the first one sees
// to it that this is authoritative. Both together are its operation.
template <typename Locking> Result<Sample> run_revoke(MappingRun const& run) {
    using Space = MappedSpace<Locking>;
    auto database = database_of<Locking>(run.cores.size(), run);
    auto spaces = MXK_TRY(spaces_of<Locking>(run, database));
    RoundBarrier barrier(run.cores.size());
    std::atomic<std::size_t> wrong{0};
    Cycles took{};
    MappingCosts costs;
    auto const step = [&](Worker&, std::size_t place) {
        Space& space = spaces[place];
        space.activate();
        auto const locks = [&] { return database.lock_acquisitions(spaces[0].objects()); };
        for (std::size_t round = 0; round < run.rounds; ++round) {
            if (space.writable(space.pages()) != space.pages()) ++wrong;
            barrier.meet();
            if (place == 0) costs.begin(locks());
            barrier.meet();
            Cycles const start = clock::timestamp();
            if (!space.protect_first(database, space.pages(), mapping::Rights::Read)) ++wrong;
            Cycles const withdrawn = clock::timestamp();
            barrier.meet();
            if (place == 0) {
                Cycles const goes_on = clock::timestamp();
                space.settle_all(database);
                took = took + (withdrawn - start) + (clock::timestamp() - goes_on);
                costs.end(locks());
            }
            barrier.meet();
            space.settle_all(database);
            if (space.writable(space.pages()) != 0) ++wrong;
            if (!space.protect_first(database, space.pages(), mapping::Rights::ReadWrite)) ++wrong;
        }
        mapping::coherence()->leave();
        return Step::Done;
    };
    auto done = adapt_locks<Locking>(run, spaces.span(), database);
    if (done) done = run_steps(run.cores, run.progress, step);
    share_locks<Locking>(spaces.span(), database);
    for (Space& space : spaces) space.unmap_all(database);
    MXK_TRY(done);
    Sample sample{.value = static_cast<double>(raw(took)) / static_cast<double>(run.rounds),
                  .operations = run.rounds,
                  .verified = wrong == 0};
    costs.report(sample, run.rounds, run.rounds);
    return sample;
}

// E5. Each core withdraws the right to write of its one page, again and again, without waiting for the others.
template <typename Locking> Result<Sample> run_revoke_independent(MappingRun const& run) {
    using Space = MappedSpace<Locking>;
    auto database = database_of<Locking>(run.cores.size(), run);
    auto spaces = MXK_TRY(spaces_of<Locking>(run, database));
    RoundBarrier barrier(run.cores.size());
    std::atomic<std::size_t> wrong{0};
    std::atomic<std::uint64_t> took{0}; // cycles of all cores
    MappingCosts costs;
    auto const step = [&](Worker&, std::size_t place) {
        Space& space = spaces[place];
        space.activate();
        auto const locks = [&] { return database.lock_acquisitions(spaces[0].objects()); };
        if (place == 0) costs.begin(locks());
        barrier.meet();
        std::uint64_t own = 0;
        for (std::size_t round = 0; round < run.rounds; ++round) {
            if (space.writable(1) != 1) ++wrong;
            Cycles const start = clock::timestamp();
            if (!space.protect(database, 0, mapping::Rights::Read)) ++wrong;
            space.settle_all(database);
            own += raw(clock::timestamp() - start);
            if (space.writable(1) != 0) ++wrong;
            if (!space.protect(database, 0, mapping::Rights::ReadWrite)) ++wrong;
            mapping::coherence()->wait_turn();
        }
        took += own;
        barrier.meet();
        if (place == 0) costs.end(locks());
        mapping::coherence()->leave();
        return Step::Done;
    };
    auto done = adapt_locks<Locking>(run, spaces.span(), database);
    if (done) done = run_steps(run.cores, run.progress, step);
    share_locks<Locking>(spaces.span(), database);
    for (Space& space : spaces) space.unmap_all(database);
    MXK_TRY(done);
    std::uint64_t const operations = run.rounds * run.cores.size();
    Sample sample{.value = static_cast<double>(took.load()) / static_cast<double>(operations),
                  .operations = operations,
                  .verified = wrong == 0};
    costs.report(sample, operations, run.rounds);
    return sample;
}

} // namespace mxk::bench
