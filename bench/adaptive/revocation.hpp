// Runs of the mapping database on the cores of a set, in rounds, for `bench adaptive mapping`, `revoke` and
// `revoke-independent`. All cores of a set do their part of a round in one step, and wait for each other; a core that
// waits does what others ask of its TLB.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/result.hpp"
#include "base/spin_wait.hpp"
#include "bench/adaptive/mapped_space.hpp"
#include "bench/adaptive/mapping_options.hpp"
#include "bench/frame/experiment.hpp"
#include "bench/frame/steps.hpp"
#include "kernel/clock.hpp"
#include "tasks/wait_until.hpp"
#include "tasks/workers.hpp"

namespace mxk::bench {

struct MappingRun {
    std::span<CoreId const> cores;
    std::size_t pages;
    std::size_t rounds;
    Progress& progress;
};

// As often as wanted: all cores of a run come here before any goes on.
class RoundBarrier {
  public:
    explicit RoundBarrier(std::size_t cores)
        : cores_(cores) {}

    void meet() {
        Worker::current().flush(); // what this core has sent may be what brings the others here
        // acq_rel, with the load below: what each core has done is visible to all
        std::size_t const round = arrived_.fetch_add(1, std::memory_order_acq_rel) / cores_;
        for (SpinWait wait; arrived_.load(std::memory_order_acquire) / cores_ <= round; wait.turn())
            mapping::coherence()->wait_turn();
    }

  private:
    std::size_t cores_;
    std::atomic<std::size_t> arrived_{0};
};

// What the operations of all rounds took.
class MappingCosts {
  public:
    // One core, while the others do nothing else that counts. `locks`: how often those were taken that count.
    void begin(std::uint64_t locks) {
        before_ = mapping::coherence()->counts();
        locks_before_ = locks;
    }
    void end(std::uint64_t locks) {
        auto const after = mapping::coherence()->counts();
        interrupts_ += after.interrupts - before_.interrupts;
        flushes_ += after.page_flushes + after.full_flushes - before_.page_flushes - before_.full_flushes;
        atomics_ += after.atomics - before_.atomics;
        locks_ += locks - locks_before_;
    }

    // Per operation; `waited`: how many operations had to take one of the locks that were counted.
    void report(Sample& sample, std::uint64_t operations, std::uint64_t waited) const {
        auto const mean = [](std::uint64_t sum, std::uint64_t count) {
            return static_cast<double>(sum) / static_cast<double>(count);
        };
        sample.findings.add("interrupts", mean(interrupts_, operations));
        sample.findings.add("flushes", mean(flushes_, operations));
        sample.findings.add("locks", mean(locks_, waited));
        sample.findings.add("atomics", mean(locks_, waited) + mean(atomics_, operations));
    }

  private:
    mapping::CoherenceCounts before_{};
    std::uint64_t locks_before_ = 0;
    std::uint64_t interrupts_ = 0;
    std::uint64_t flushes_ = 0;
    std::uint64_t atomics_ = 0;
    std::uint64_t locks_ = 0;
};

template <typename Locking>
void await_locks(std::span<MappedSpace<Locking>> spaces, typename MappedSpace<Locking>::Database& database) {
    wait_until([&] {
        for (auto& space : spaces)
            for (auto& object : space.objects())
                if (!database.is_settled(object)) return false;
        return true;
    });
}
// Locks that adapt become those of the core that works with the space: the first one's, or of the core at the space's
// place. Nothing with others. The console's task.
template <typename Locking>
Result<void> claim_all(MappingRun const& run, std::span<MappedSpace<Locking>> spaces,
                       typename MappedSpace<Locking>::Database& database) {
    MXK_TRY(run_steps(run.cores, run.progress, [&](Worker&, std::size_t place) {
        if (place < spaces.size())
            for (auto& object : spaces[place].objects()) database.claim(object);
        return Step::Done;
    }));
    await_locks(spaces, database);
    return {};
}
// And everybody's again.
template <typename Locking>
void share_all(std::span<MappedSpace<Locking>> spaces, typename MappedSpace<Locking>::Database& database) {
    for (auto& space : spaces)
        for (auto& object : space.objects()) database.share(object);
    await_locks(spaces, database);
}

// E3. One space, which all cores of the set use, with as many memory objects as pages; the first core unmaps them all.
template <typename Locking> Result<Sample> run_unmap(MappingRun const& run) {
    using Space = MappedSpace<Locking>;
    typename Space::Database database(*mapping::coherence());
    Space space = MXK_TRY(Space::create(run.pages, 1, workers::of(run.cores.front()).node()));
    RoundBarrier barrier(run.cores.size());
    std::atomic<std::size_t> wrong{0};
    Cycles took{};
    MappingCosts costs;
    std::span const spaces(&space, 1);
    MXK_TRY(claim_all<Locking>(run, spaces, database));
    auto const done = run_steps(run.cores, run.progress, [&](Worker&, std::size_t place) {
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
        }
        mapping::coherence()->leave();
        return Step::Done;
    });
    share_all<Locking>(spaces, database);
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
        spaces.emplace(MXK_TRY(Space::create(1, i == 0 ? run.pages : 1, workers::of(run.cores[i]).node())));
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
    typename Space::Database database(*mapping::coherence());
    auto spaces = MXK_TRY(spaces_of<Locking>(run, database));
    RoundBarrier barrier(run.cores.size());
    std::atomic<std::size_t> wrong{0};
    Cycles took{};
    MappingCosts costs;
    MXK_TRY(claim_all<Locking>(run, spaces.span(), database));
    auto const done = run_steps(run.cores, run.progress, [&](Worker&, std::size_t place) {
        Space& space = spaces[place];
        space.activate();
        auto const locks = [&] { return database.lock_acquisitions(spaces[0].objects()); };
        for (std::size_t round = 0; round < run.rounds; ++round) {
            if (space.writable(space.pages()) != space.pages()) ++wrong;
            barrier.meet();
            if (place == 0) costs.begin(locks());
            barrier.meet();
            Cycles const start = clock::timestamp();
            if (!space.protect(database, space.pages(), mapping::Rights::Read)) ++wrong;
            Cycles const withdrawn = clock::timestamp();
            barrier.meet();
            if (place == 0) {
                Cycles const goes_on = clock::timestamp();
                space.settle(database);
                took = took + (withdrawn - start) + (clock::timestamp() - goes_on);
                costs.end(locks());
            }
            barrier.meet();
            space.settle(database);
            if (space.writable(space.pages()) != 0) ++wrong;
            if (!space.protect(database, space.pages(), mapping::Rights::ReadWrite)) ++wrong;
        }
        mapping::coherence()->leave();
        return Step::Done;
    });
    share_all<Locking>(spaces.span(), database);
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
    typename Space::Database database(*mapping::coherence());
    auto spaces = MXK_TRY(spaces_of<Locking>(run, database));
    RoundBarrier barrier(run.cores.size());
    std::atomic<std::size_t> wrong{0};
    std::atomic<std::uint64_t> took{0}; // cycles of all cores
    MappingCosts costs;
    MXK_TRY(claim_all<Locking>(run, spaces.span(), database));
    auto const done = run_steps(run.cores, run.progress, [&](Worker&, std::size_t place) {
        Space& space = spaces[place];
        space.activate();
        auto const locks = [&] { return database.lock_acquisitions(spaces[0].objects()); };
        if (place == 0) costs.begin(locks());
        barrier.meet();
        std::uint64_t own = 0;
        for (std::size_t round = 0; round < run.rounds; ++round) {
            if (space.writable(1) != 1) ++wrong;
            Cycles const start = clock::timestamp();
            if (!space.protect(database, 1, mapping::Rights::Read)) ++wrong;
            space.settle(database);
            own += raw(clock::timestamp() - start);
            if (space.writable(1) != 0) ++wrong;
            if (!space.protect(database, 1, mapping::Rights::ReadWrite)) ++wrong;
            mapping::coherence()->wait_turn();
        }
        took += own;
        barrier.meet();
        if (place == 0) costs.end(locks());
        mapping::coherence()->leave();
        return Step::Done;
    });
    share_all<Locking>(spaces.span(), database);
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
