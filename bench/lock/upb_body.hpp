// What each worker does in UPB (Z. Radovic and E. Hagersten, 2002; A. Uffmann, RMA locks, LMU 2022): how long a lock
// that nobody else wants takes, by where the worker is that wants it, and where the one was that had it last. Four
// workers of two nodes take turns in using many locks, once each: H at the home, L elsewhere on that node, R and S on
// the other node.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/units.hpp"
#include "bench/lock/bodies.hpp"
#include "bench/lock/team.hpp"

namespace mxk::bench {

inline constexpr std::size_t upb_workers = 4; // H, L, R, S: workers 0 to 3
inline constexpr std::size_t upb_scenarios = 9;

// In the order of steps; the last owner is what the step before has left.
struct UpbStep {
    locks::WorkerNumber worker;
    locks::WorkerNumber last;
    std::string_view scenario; // 1, 2, 3: last had by the worker, its node, another node; a, b, c: by H, L, R or S
};
inline constexpr std::array<UpbStep, upb_scenarios> upb_steps{{{0, 3, "3a"},
                                                               {0, 0, "1a"},
                                                               {1, 0, "2b"},
                                                               {1, 1, "1b"},
                                                               {0, 1, "2a"},
                                                               {2, 0, "3c"},
                                                               {2, 2, "1c"},
                                                               {3, 2, "2c"},
                                                               {1, 3, "3b"}}};

// Rows as people read them: by who wants the lock, then by who had it.
inline constexpr std::array<std::string_view, upb_scenarios> upb_rows{"1a", "2a", "3a", "1b", "2b",
                                                                      "3b", "1c", "2c", "3c"};
constexpr std::size_t upb_step_of(std::size_t row) {
    std::size_t step = 0;
    while (upb_steps[step].scenario != upb_rows[row]) ++step;
    return step;
}

// What one worker has done: of the steps that are its own, the time of all locks together, and what that took.
struct UpbTurn {
    std::array<Cycles, upb_scenarios> elapsed{};
    std::array<locks::OneSidedCounts, upb_scenarios> operations{};
    std::uint64_t wrong = 0; // sections that have met another last owner (check_upb())
};

namespace lock_bodies {

template <Team T, typename LockAt, typename Use>
UpbTurn run_upb(T& team, std::size_t count, LockAt const& lock_at, Use const& use) {
    UpbTurn turn;
    auto const use_all = [&](locks::WorkerNumber last) {
        for (std::size_t at = 0; at < count; ++at) use(lock_at(at), at, last);
    };
    team.barrier();
    for (std::size_t at = 0; at < count; ++at) lock_at(at).repeat(1); // warm-up, by all
    team.barrier();
    constexpr locks::WorkerNumber nobody = upb_workers;
    if (team.worker() == 3) use_all(nobody);
    team.barrier();
    for (std::size_t step = 0; step < upb_scenarios; ++step) {
        if (team.worker() == upb_steps[step].worker) {
            locks::OneSidedCounts const before = team.operations();
            Cycles const start = team.now();
            use_all(upb_steps[step].last);
            turn.elapsed[step] = team.now() - start;
            turn.operations[step] = since(before, team.operations());
        }
        team.barrier();
    }
    return turn;
}

} // namespace lock_bodies

// lock_at(i): lock i of `count`, with the caller's node of it.
template <Team T, typename LockAt> UpbTurn run_upb(T& team, std::size_t count, LockAt const& lock_at) {
    return lock_bodies::run_upb(team, count, lock_at,
                                [](UsedLock const& lock, std::size_t, locks::WorkerNumber) { lock.repeat(1); });
}

// The same with sections that look who had the lock before: the elapsed times say nothing then. Words: `count` of the
// home's.
template <Team T, typename LockAt, SharedWords W>
UpbTurn check_upb(T& team, std::size_t count, LockAt const& lock_at, W& words) {
    std::uint64_t wrong = 0;
    UpbTurn turn =
        lock_bodies::run_upb(team, count, lock_at, [&](UsedLock const& lock, std::size_t at, locks::WorkerNumber last) {
            lock.acquire();
            if (last < upb_workers && words.get(0, at) != last) ++wrong;
            words.put(0, at, team.worker());
            lock.release();
        });
    turn.wrong = wrong;
    return turn;
}

} // namespace mxk::bench
