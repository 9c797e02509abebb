// A run of the mapping database on the cores of a set, in rounds: what it is given, how its cores meet, and what its
// operations took besides time.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "base/spin_wait.hpp"
#include "base/units.hpp"
#include "bench/frame/experiment.hpp"
#include "bench/frame/progress.hpp"
#include "kernel/memory/mapping/coherence.hpp"
#include "kernel/sync/adaptive/lock_cascade.hpp"
#include "tasks/worker.hpp"

namespace mxk::bench {

struct MappingRun {
    std::span<CoreId const> cores;
    std::size_t pages;
    std::size_t rounds;
    Progress& progress;
    std::optional<Granularity> granularity{}; // of a cascade; none: what fits the number of cores that come to it
};

// As often as wanted: all cores of a run come here before any goes on.
class RoundBarrier {
  public:
    explicit RoundBarrier(std::size_t cores)
        : cores_(cores) {}

    // Of a body that waits in the middle.
    void meet() {
        Worker::current().flush(); // what this core has sent may be what brings the others here
        std::size_t const round = arrive();
        for (SpinWait wait; !have_met(round); wait.turn()) mapping::coherence()->wait_turn();
    }
    // One that waits otherwise: which round this core comes to, and whether all others have.
    [[nodiscard]] std::size_t arrive() {
        // acq_rel, with have_met(): what each core has done is visible to all
        return arrived_.fetch_add(1, std::memory_order_acq_rel) / cores_;
    }
    [[nodiscard]] bool have_met(std::size_t round) const {
        return arrived_.load(std::memory_order_acquire) / cores_ > round;
    }

  private:
    std::size_t cores_;
    std::atomic<std::size_t> arrived_{0};
};

// What the operations of all rounds took.
class MappingCosts {
  public:
    // One core, while the others do nothing else that counts. `locks`: how often those were taken that count;
    // `messages`: tasks that were sent to owners until now.
    void begin(std::uint64_t locks, std::uint64_t messages = 0) {
        before_ = mapping::coherence()->counts();
        locks_before_ = locks;
        messages_before_ = messages;
    }
    void end(std::uint64_t locks, std::uint64_t messages = 0) {
        auto const after = mapping::coherence()->counts();
        interrupts_ += after.interrupts - before_.interrupts;
        flushes_ += after.page_flushes + after.full_flushes - before_.page_flushes - before_.full_flushes;
        atomics_ += after.atomics - before_.atomics;
        locks_ += locks - locks_before_;
        messages_ += messages - messages_before_;
    }

    // Per operation; `waited`: for how many operations locks and messages were counted.
    void report(Sample& sample, std::uint64_t operations, std::uint64_t waited) const {
        auto const mean = [](std::uint64_t sum, std::uint64_t count) {
            return static_cast<double>(sum) / static_cast<double>(count);
        };
        sample.findings.add("interrupts", mean(interrupts_, operations));
        sample.findings.add("flushes", mean(flushes_, operations));
        sample.findings.add("locks", mean(locks_, waited));
        sample.findings.add("atomics", mean(locks_, waited) + mean(atomics_, operations));
        sample.findings.add("messages", mean(messages_, waited));
    }

  private:
    mapping::CoherenceCounts before_{};
    std::uint64_t locks_before_ = 0;
    std::uint64_t messages_before_ = 0;
    std::uint64_t interrupts_ = 0;
    std::uint64_t flushes_ = 0;
    std::uint64_t atomics_ = 0;
    std::uint64_t locks_ = 0;
    std::uint64_t messages_ = 0;
};

} // namespace mxk::bench
