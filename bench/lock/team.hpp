// What the bodies of the lock benchmarks (bodies.hpp, upb_body.hpp) ask of the program that runs them, and what they
// give it. A team is the workers that use locks together, as one of them sees it: in one process a worker is a task on
// a core of its own, over MPI a process. Nothing here knows which.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "base/units.hpp"
#include "locks/fabric/lock_counts.hpp"
#include "locks/fabric/lock_topology.hpp"
#include "locks/lock_kind.hpp"

namespace mxk::bench {

template <typename T>
concept Team = requires(T& team) {
    { team.worker() } -> std::same_as<locks::WorkerNumber>; // its place in the team, from 0 on
    { team.workers() } -> std::same_as<std::size_t>;        // how many there are
    { team.node() } -> std::same_as<std::uint32_t>;         // the worker's, in the locks' topology
    team.barrier(); // until all have come. What others did before is visible; progress() is not needed meanwhile
    { team.now() } -> std::same_as<Cycles>; // of a clock of the worker's own
    { T::ticks(Nanoseconds{}) } -> std::same_as<Cycles>;
    team.progress(); // a turn of a loop that waits outside locks, once for each look
    // One-sided operations of this worker so far; all 0 where they are not counted.
    { team.operations() } -> std::same_as<locks::OneSidedCounts>;
};

// Words of each worker of a team, which all reach, by loads and stores that nothing guards: get() and put() after one
// another lose what comes between. All are 0 at first.
template <typename W>
concept SharedWords = requires(W& words, locks::WorkerNumber worker, std::size_t at, std::uint64_t value) {
    { words.get(worker, at) } -> std::same_as<std::uint64_t>;
    words.put(worker, at, value); // is there for others when it returns
};

// A lock and the caller's node of it. Functions of any kind's form.
struct UsedLock {
    locks::LockForm const* form = nullptr;
    void* lock = nullptr;
    void* node = nullptr;

    void acquire() const { form->lock(lock, node); }
    void release() const { form->unlock(lock, node); }
    // The section under the lock, or by it, if that is given sections.
    template <typename Section> void run(Section section) const {
        if (form->run == nullptr) {
            acquire();
            section();
            release();
        } else {
            form->run(
                lock, node, [](void* it) { (*static_cast<Section*>(it))(); }, &section);
        }
    }
    void repeat(std::uint64_t sections) const { form->repeat(lock, node, sections); }
    [[nodiscard]] locks::LockCounts counts() const { return form->counts(node); }
};

// `iterations_per_look`: of a worker, between two looks at its clock.
struct Timing {
    Cycles warm_up{};
    Cycles measured{};
    std::uint32_t iterations_per_look = 1;
};

// What sections have seen (WatchedSections): of the measured part, but for the first one.
struct SectionCounts {
    std::uint64_t all = 0;          // those of the warm-up, too
    std::uint64_t node_changes = 0; // the section before was another node's
    std::uint64_t max_bypass = 0;   // sections of others from before the lock was asked for until it was there
};

// What one worker has done in the measured part. Plain bytes: goes from process to process.
struct Turn {
    std::uint64_t iterations = 0;
    Cycles elapsed{};
    locks::LockCounts counts{};
    locks::OneSidedCounts operations{};
    SectionCounts sections{};
    std::uint64_t increments = 0; // of CCWB, those of the warm-up, too
};
static_assert(std::is_trivially_copyable_v<Turn>);

} // namespace mxk::bench
