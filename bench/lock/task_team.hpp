// A team (team.hpp) of tasks, one on each core of a set, each of which keeps its core until it has done its part; or,
// where memory is emulated, of simulated workers that stand for them.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "base/result.hpp"
#include "base/units.hpp"
#include "bench/frame/core_barrier.hpp"
#include "bench/frame/steps.hpp"
#include "bench/lock/lock_space.hpp"
#include "bench/lock/team.hpp"
#include "kernel/clock.hpp"
#include "kernel/memory/node_vector.hpp"
#include "locks/fabric/simulated_workers.hpp"
#include "tasks/worker.hpp"

namespace mxk::bench {

class TaskTeam {
  public:
    TaskTeam(LockSpace const& space, std::span<CoreId const> cores, std::size_t place, CoreBarrier& barrier)
        : space_(space)
        , cores_(cores)
        , place_(static_cast<locks::WorkerNumber>(place))
        , barrier_(barrier) {}

    [[nodiscard]] locks::WorkerNumber worker() const { return place_; }
    [[nodiscard]] std::size_t workers() const { return cores_.size(); }
    // Of one of the team, in the locks' topology.
    [[nodiscard]] locks::WorkerNumber number_of(locks::WorkerNumber worker) const {
        return static_cast<locks::WorkerNumber>(index(cores_[worker]));
    }
    [[nodiscard]] std::uint32_t node() const { return space_.topology().node_of(number_of(place_)); }
    void barrier() {
        if (simulated_ != nullptr) return simulated_->barrier();
        barrier_.arrive_and_wait();
    }
    [[nodiscard]] Cycles now() const {
        if (simulated_ == nullptr) return clock::timestamp();
        simulated_->pass(look); // with all that an iteration does besides
        return clock::to_cycles(simulated_->now());
    }
    static Cycles ticks(Nanoseconds time) { return clock::to_cycles(time); }
    // Others may need the processor.
    void progress() {
        if (simulated_ != nullptr) return simulated_->pass(look);
        if (++turns_ % 64 == 0 && processors_may_be_taken)
            offer_processor();
        else
            __builtin_ia32_pause();
    }
    [[nodiscard]] locks::OneSidedCounts operations() const { return space_.operations_of(cores_[place_]); }

  private:
    static constexpr Nanoseconds look = locks::EmulatedTimes{}.look;
    LockSpace const& space_;
    std::span<CoreId const> cores_;
    locks::WorkerNumber place_;
    CoreBarrier& barrier_;
    locks::SimulatedWorkers* simulated_ = locks::SimulatedWorkers::current();
    std::uint32_t turns_ = 0;
};
static_assert(Team<TaskTeam>);

// body(team) on each of the cores, at the same time. Errors: no memory, Ctrl-C, which counts at its end. The console's
// task.
template <typename Body>
Result<void> run_team(LockSpace& space, std::span<CoreId const> cores, Progress const& progress, Body body) {
    CoreBarrier barrier(cores.size());
    if (space.emulated() != nullptr) {
        auto const simulate = [&](std::size_t place) {
            TaskTeam team(space, cores, place, barrier);
            body(team);
        };
        MXK_TRY(locks::SimulatedWorkers::run(cores, simulate));
        return progress.check();
    }
    return run_steps(cores, progress, [&](Worker&, std::size_t place) {
        TaskTeam team(space, cores, place, barrier);
        body(team);
        return Step::Done;
    });
}

// The words of a team of tasks (SharedWords), in each one's memory. All are 0 at first.
class TeamWords {
    struct alignas(cache_line_bytes) Line {
        std::atomic<std::uint64_t> words[cache_line_bytes / sizeof(std::uint64_t)];
    };
    static constexpr std::size_t words_of_line = cache_line_bytes / sizeof(std::uint64_t);

  public:
    // Errors: no memory.
    static Result<TeamWords> create(LockSpace const& space, std::span<CoreId const> cores, std::size_t words) {
        TeamWords made;
        std::size_t const lines = (words + words_of_line - 1) / words_of_line;
        made.of_workers_ = MXK_TRY(NodeVector<NodeVector<Line>>::create(cores.size(), Worker::current().node()));
        for (CoreId const core : cores) {
            NodeId const memory = space.topology().memory_of(static_cast<locks::WorkerNumber>(index(core)));
            auto& of_worker = made.of_workers_.emplace(MXK_TRY(NodeVector<Line>::create(lines, memory)));
            for (std::size_t line = 0; line < lines; ++line)
                for (auto& word : of_worker.emplace().words) word.store(0, std::memory_order_relaxed);
        }
        return made;
    }

    // As one worker of the team sees them: with `emulated`, each takes an operation's time.
    class View {
      public:
        View(TeamWords const& words, TaskTeam const& team, locks::Emulated* emulated = nullptr)
            : words_(words)
            , team_(team)
            , emulated_(emulated) {}
        // relaxed, both: what one worker does is made visible to another one by locks and barriers
        [[nodiscard]] std::uint64_t get(locks::WorkerNumber worker, std::size_t at) const {
            visit(worker);
            return words_.word(worker, at).load(std::memory_order_relaxed);
        }
        void put(locks::WorkerNumber worker, std::size_t at, std::uint64_t value) const {
            visit(worker);
            words_.word(worker, at).store(value, std::memory_order_relaxed);
        }

      private:
        void visit(locks::WorkerNumber worker) const {
            if (emulated_ != nullptr) emulated_->visit(team_.number_of(worker));
        }
        TeamWords const& words_;
        TaskTeam const& team_;
        locks::Emulated* emulated_;
    };

    // While nobody else uses them.
    [[nodiscard]] std::uint64_t get(locks::WorkerNumber worker, std::size_t at) const {
        return word(worker, at).load(std::memory_order_relaxed);
    }
    void put(locks::WorkerNumber worker, std::size_t at, std::uint64_t value) const {
        word(worker, at).store(value, std::memory_order_relaxed);
    }

  private:
    [[nodiscard]] std::atomic<std::uint64_t>& word(locks::WorkerNumber worker, std::size_t at) const {
        return of_workers_[worker][at / words_of_line].words[at % words_of_line];
    }
    NodeVector<NodeVector<Line>> of_workers_;
};
static_assert(SharedWords<TeamWords> && SharedWords<TeamWords::View>);

} // namespace mxk::bench
