// What each worker does in the benchmarks of locks whose contention is high (A. Uffmann, RMA locks, LMU 2022, chapter
// "benchmarks"): ECSB, nothing but the lock; WBAB, a wait before each acquisition; CCWB, work of which a part is
// critical. For a set time, after a warm-up; all workers begin together and look at their clocks now and then. All
// functions: each worker of the team, at the same time, with its own node of the same lock.
//
// What is timed has no other sections than the benchmark's. Whether the lock keeps others out, who had it before and
// how many went first is found by another run, whose sections do look (WatchedSections).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/units.hpp"
#include "bench/lock/team.hpp"
#include "bench/workload/random.hpp"

namespace mxk::bench {

// What a section does besides: nothing, or what WatchedSections says.
struct PlainSections {
    static constexpr bool are_watched = false;
    static void ask() {}
    static void enter() {}
    static void begin_to_count() {}
    static SectionCounts counts() { return {}; }
};

// Words of the home, worker 0, that sections use: how many there were, and the last one's node, plus 1.
inline constexpr std::size_t section_count_word = 0;
inline constexpr std::size_t section_node_word = 1;
inline constexpr std::size_t section_words = 2;

// Each section counts itself by a load and a store of one word: where a lock lets two in, fewer are counted than there
// were. The sum of counts().all of all workers is what the word has to say afterwards.
template <Team T, SharedWords W> class WatchedSections {
  public:
    static constexpr bool are_watched = true;
    WatchedSections(T& team, W& words)
        : node_(team.node() + 1)
        , words_(words) {}

    // Before the lock is asked for.
    void ask() { seen_ = words_.get(0, section_count_word); }
    void enter() {
        std::uint64_t const before = words_.get(0, section_count_word);
        words_.put(0, section_count_word, before + 1);
        counts_.max_bypass = std::max(counts_.max_bypass, before - seen_);
        if (words_.get(0, section_node_word) != node_) {
            ++counts_.node_changes;
            words_.put(0, section_node_word, node_);
        }
        ++counts_.all;
    }
    void begin_to_count() { counts_ = {.all = counts_.all}; }
    [[nodiscard]] SectionCounts counts() const { return counts_; }

  private:
    std::uint64_t node_;
    W& words_;
    std::uint64_t seen_ = 0;
    SectionCounts counts_;
};

namespace lock_bodies {

// iterate(count) until the time is over, `count` each time.
template <Team T, typename Iterate> Turn repeat_for(T& team, Cycles time, std::uint32_t count, Iterate const& iterate) {
    Turn turn;
    Cycles const start = team.now();
    Cycles const end = start + time;
    Cycles now = start;
    do {
        iterate(count);
        turn.iterations += count;
        now = team.now();
    } while (now < end);
    turn.elapsed = now - start;
    return turn;
}

inline locks::LockCounts since(locks::LockCounts const& before, locks::LockCounts const& now) {
    return {.immediate = now.immediate - before.immediate,
            .delayed = now.delayed - before.delayed,
            .local_releases = now.local_releases - before.local_releases,
            .global_releases = now.global_releases - before.global_releases,
            .cache_releases = now.cache_releases - before.cache_releases};
}
inline locks::OneSidedCounts since(locks::OneSidedCounts const& before, locks::OneSidedCounts const& now) {
    return {.home = now.home - before.home,
            .others = now.others - before.others,
            .near = now.near - before.near,
            .messages = now.messages - before.messages};
}

template <Team T, typename Sections, typename Iterate>
Turn run_timed(T& team, UsedLock const& lock, Timing const& timing, Sections& sections, Iterate const& iterate) {
    team.barrier();
    repeat_for(team, timing.warm_up, timing.iterations_per_look, iterate);
    sections.begin_to_count();
    team.barrier();
    locks::LockCounts const counts = lock.counts();
    locks::OneSidedCounts const operations = team.operations();
    Turn turn = repeat_for(team, timing.measured, timing.iterations_per_look, iterate);
    turn.counts = since(counts, lock.counts());
    turn.operations = since(operations, team.operations());
    turn.sections = sections.counts();
    team.barrier(); // nobody uses the lock any more
    return turn;
}

} // namespace lock_bodies

// Empty sections, one after the other.
template <Team T, typename Sections>
Turn run_ecsb(T& team, UsedLock const& lock, Timing const& timing, Sections& sections) {
    return lock_bodies::run_timed(team, lock, timing, sections, [&](std::uint32_t count) {
        if constexpr (!Sections::are_watched) {
            lock.repeat(count);
        } else {
            for (; count != 0; --count) {
                sections.ask();
                lock.run([&] { sections.enter(); });
            }
        }
    });
}

// `mean`: of the wait of one worker before each acquisition, which is drawn between two thirds and four thirds of it.
// With a mean of 0 it is ECSB. `makes_progress`: a waiter calls team.progress(), without which those who need its
// memory may have to wait, too.
struct Waits {
    Cycles mean{};
    bool makes_progress = true;
    std::uint64_t seed = 1;
};

template <Team T, typename Sections>
Turn run_wbab(T& team, UsedLock const& lock, Timing const& timing, Waits const& waits, Sections& sections) {
    if (waits.mean == Cycles{}) return run_ecsb(team, lock, timing, sections);
    std::uint64_t const shortest = raw(waits.mean) * 2 / 3;
    Random random(waits.seed + team.worker());
    return lock_bodies::run_timed(team, lock, timing, sections, [&](std::uint32_t count) {
        for (; count != 0; --count) {
            Cycles const end = team.now() + Cycles{shortest + random.below(shortest + 1)};
            while (team.now() < end)
                if (waits.makes_progress) team.progress();
            sections.ask();
            lock.run([&] { sections.enter(); });
        }
    });
}

// The work of an iteration: a number of increments, drawn between a minimum and twice that, of which `critical` are
// made in the section. An increment is a load and a store of a word of the worker's partner, which nobody else changes;
// with `is_shared` those in the section are of words of the home, which all change.
struct Work {
    std::uint32_t critical = 0;
    bool is_shared = false;
    std::uint64_t seed = 1;

    // As many increments as put the point up to which the work scales perfectly at 3 critical ones: twice the workers.
    static constexpr std::uint64_t minimum(std::size_t workers) { return 2 * workers; }
    // Words of each worker. `max_critical`: of all runs that use them.
    static constexpr std::size_t words(std::size_t workers, std::uint32_t max_critical) {
        return shared_words_at(workers, max_critical) + max_critical;
    }
    static constexpr std::size_t shared_words_at(std::size_t workers, std::uint32_t max_critical) {
        return section_words + std::max<std::size_t>(2 * minimum(workers), max_critical);
    }
};
inline constexpr std::uint32_t max_critical_work = 5;

template <Team T, typename Sections, SharedWords W>
Turn run_ccwb(T& team, UsedLock const& lock, Timing const& timing, Work const& work, W& words, Sections& sections) {
    std::size_t const workers = team.workers();
    auto const partner = static_cast<locks::WorkerNumber>((team.worker() + workers / 2) % workers);
    std::size_t const shared_at = Work::shared_words_at(workers, max_critical_work);
    std::uint64_t const minimum = Work::minimum(workers);
    std::uint64_t increments = 0;
    auto const increment = [&](locks::WorkerNumber worker, std::size_t at) {
        words.put(worker, at, words.get(worker, at) + 1);
        ++increments;
    };
    Random random(work.seed + team.worker());
    Turn turn = lock_bodies::run_timed(team, lock, timing, sections, [&](std::uint32_t count) {
        for (; count != 0; --count) {
            std::uint64_t const total = minimum + random.below(minimum + 1);
            sections.ask();
            lock.run([&] {
                sections.enter();
                for (std::uint32_t i = 0; i < work.critical; ++i) {
                    if (work.is_shared)
                        increment(0, shared_at + i);
                    else
                        increment(partner, section_words + i);
                }
            });
            for (std::uint64_t i = work.critical; i < total; ++i) increment(partner, section_words + i);
        }
    });
    turn.increments = increments;
    return turn;
}

// Of all increments that these words have kept: what all workers' Turn::increments come to, if none was lost. One
// caller, after all have ended.
template <SharedWords W> std::uint64_t sum_of_increments(W& words, std::size_t workers) {
    std::uint64_t sum = 0;
    for (std::size_t worker = 0; worker < workers; ++worker)
        for (std::size_t at = section_words; at < Work::words(workers, max_critical_work); ++at)
            sum += words.get(static_cast<locks::WorkerNumber>(worker), at);
    return sum;
}

} // namespace mxk::bench
