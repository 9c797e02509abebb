// How many cores of a node are awake, how many of them look for work, and how many tasks are queued for the node, in
// one word, so that going to sleep and leaving work are decided by one atomic step each (Falt 2010, section 6.2).
//
//     tasks: 32 bits, signed | awake: 16 bits | free: 16 bits          free: awake and looking for work
//
// Invariant: while a task is queued, a core is awake. Who adds a task counts it first, queues it then, and wakes a
// core last if add() said so: a task that is queued before it is counted could be taken first, and the count would be
// negative for a moment; tasks are the upper bits, so that even this would not borrow from the others.
//
// SleepRule::Loose is the thesis' rule. It loses no task, but a task may be queued while one core sleeps and all
// others are busy. SleepRule::Strict also has a core stay awake as long as nobody else looks for work, and one that
// begins to work while there is more wake another. tests/unit/.../sleep_model_test.cpp has every reachable state of
// both.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/inject.hpp"
#include "base/units.hpp"

namespace mxk::dataflow {

enum class SleepRule : std::uint8_t { Strict, Loose };

// A moment's numbers.
struct ActivityCounts {
    std::uint16_t free = 0;
    std::uint16_t awake = 0;
    std::int32_t tasks = 0;

    bool operator==(ActivityCounts const&) const = default;
};

// Every step of the protocol as a function of numbers, for the word below and for the model check. Each `bool` says
// whether the caller owes a wake: it has counted a sleeping core as awake and free, which nobody else will wake now.
namespace activity {

constexpr bool wakes_one(ActivityCounts& counts, unsigned cores) {
    bool const wakes = counts.free == 0 && counts.awake < cores;
    if (wakes) {
        ++counts.free;
        ++counts.awake;
    }
    return wakes;
}
constexpr bool add(ActivityCounts& counts, std::int32_t tasks, unsigned cores) {
    counts.tasks += tasks;
    return wakes_one(counts, cores);
}
// A free core begins to work; `taken`: tasks of this node's count that it took.
constexpr bool begin(ActivityCounts& counts, std::int32_t taken, unsigned cores, SleepRule rule) {
    --counts.free;
    counts.tasks -= taken;
    return rule == SleepRule::Strict && counts.tasks > 0 && wakes_one(counts, cores);
}
constexpr bool may_sleep(ActivityCounts counts, SleepRule rule) {
    return counts.tasks <= 0 || (rule == SleepRule::Strict ? counts.free > 1 : counts.awake > 1);
}

} // namespace activity

class alignas(cache_line_bytes) Activity {
  public:
    // All `cores` are awake and free.
    explicit Activity(unsigned cores)
        : cores_(cores)
        , word_(packed({static_cast<std::uint16_t>(cores), static_cast<std::uint16_t>(cores), 0})) {}

    // Any core. Relaxed: a moment's numbers; who acts on them does so by a step below.
    [[nodiscard]] ActivityCounts counts() const { return unpacked(word_.load(std::memory_order_relaxed)); }
    [[nodiscard]] unsigned cores() const { return cores_; }

    // Any core. True: the caller owes a wake, after it has queued them.
    [[nodiscard]] bool add(std::int32_t tasks) {
        return step([=, this](ActivityCounts& counts) { return activity::add(counts, tasks, cores_); });
    }
    // Any core: tasks that a core of another node took, or that went there.
    void remove(std::int32_t tasks) {
        step([=](ActivityCounts& counts) {
            counts.tasks -= tasks;
            return false;
        });
    }
    // The caller has made work that is not counted, and asks for help. True: it owes a wake.
    [[nodiscard]] bool ask_for_help() {
        ActivityCounts const now = counts();
        if (now.free != 0 || now.awake == cores_) return false;
        return step([this](ActivityCounts& counts) { return activity::wakes_one(counts, cores_); });
    }

    // A core of the node, free until then. True: it owes a wake.
    [[nodiscard]] bool begin(std::int32_t taken, SleepRule rule) {
        return step([=, this](ActivityCounts& counts) { return activity::begin(counts, taken, cores_, rule); });
    }
    // A core that works takes the next tasks at once. True: it owes a wake.
    [[nodiscard]] bool take_more(std::int32_t taken, SleepRule rule) {
        return step([=, this](ActivityCounts& counts) {
            ++counts.free;
            return activity::begin(counts, taken, cores_, rule);
        });
    }
    // A core of the node: it looks for work from now on.
    void finish() {
        step([](ActivityCounts& counts) {
            ++counts.free;
            return false;
        });
    }

    // A free core. False: it must go on looking. True: it counts as asleep, and says so where wakers look for it
    // (sleepers.hpp).
    [[nodiscard]] bool try_sleep(SleepRule rule) {
        std::uint64_t word = word_.load(std::memory_order_relaxed);
        for (;;) {
            ActivityCounts counts = unpacked(word);
            if (!activity::may_sleep(counts, rule)) return false;
            --counts.free;
            --counts.awake;
            inject::point();
            if (word_.compare_exchange_weak(word, packed(counts), std::memory_order_acq_rel, std::memory_order_relaxed))
                return true;
        }
    }
    // A core that counts as asleep, or did until a waker counted it, wants to be awake without a waker. True: it is
    // counted as awake and free now, by itself. False: all that sleep are counted as awake already, so a waker of its
    // own is on its way.
    [[nodiscard]] bool try_rise() {
        return step([this](ActivityCounts& counts) {
            if (counts.awake == cores_) return false;
            ++counts.awake;
            ++counts.free;
            return true;
        });
    }
    // It has risen, and then found that a waker had come for it as well: takes its own count back.
    void unrise() {
        step([](ActivityCounts& counts) {
            --counts.awake;
            --counts.free;
            return false;
        });
    }

  private:
    static constexpr std::uint64_t packed(ActivityCounts counts) {
        return std::uint64_t{static_cast<std::uint32_t>(counts.tasks)} << 32 | std::uint64_t{counts.awake} << 16 |
               counts.free;
    }
    static constexpr ActivityCounts unpacked(std::uint64_t word) {
        return {.free = static_cast<std::uint16_t>(word),
                .awake = static_cast<std::uint16_t>(word >> 16),
                .tasks = static_cast<std::int32_t>(word >> 32)};
    }

    // acq_rel: the steps of all cores are one chain, so a core that sees a task counted sees what was written before.
    template <typename Change> bool step(Change change) {
        std::uint64_t word = word_.load(std::memory_order_relaxed);
        for (;;) {
            ActivityCounts counts = unpacked(word);
            bool const result = change(counts);
            inject::point();
            if (word_.compare_exchange_weak(word, packed(counts), std::memory_order_acq_rel, std::memory_order_relaxed))
                return result;
        }
    }

    unsigned cores_;
    std::atomic<std::uint64_t> word_;
};

} // namespace mxk::dataflow
