// Engines of threads (thesis section 3.2.1, Algorithm 3.4): one or several on each core of a run, each of which takes
// one of the core's instructions after the other and carries it out on the table that all of them share. The table
// keeps them apart, or does not. While one waits for a semaphore, another one of its core runs.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "bench/table/engine.hpp"
#include "bench/table/two_phase.hpp"
#include "kernel/memory/per_core.hpp"
#include "tasks/threads/semaphore.hpp"
#include "tasks/threads/thread.hpp"
#include "tasks/worker.hpp"

namespace mxk::bench {

// What the threads of one core have in common in a phase, which they may interrupt each other in; on its own lines.
struct CoreThreads {
    std::atomic<std::size_t> left{0};    // that have not ended yet
    std::atomic<std::uint64_t> wrong{0}; // operations of those that have
};

// What a thread has of the table for one phase, if the table wants to know who works on it. begin(): how many
// operations come before end() and the next begin(). At the end of the phase there are fewer, and no end().
struct NoVisitor {
    static std::uint64_t begin() { return UINT64_MAX; }
    static void end() {}
};
template <typename Access> auto visitor_of(Access& access, bool is_first) {
    if constexpr (requires { access.visitor(is_first); })
        return access.visitor(is_first);
    else
        return NoVisitor();
}

// One of a core's threads. It lives as long as this, and waits between two phases.
template <typename Access> class alignas(cache_line_bytes) InstructionThread {
  public:
    // The console's task.
    // `is_first`: of all of the run.
    InstructionThread(std::size_t place, bool is_first, CoreThreads& together)
        : place_(place)
        , is_first_(is_first)
        , together_(together)
        , arrival_(Worker::current().core()) {}
    InstructionThread(InstructionThread const&) = delete;
    InstructionThread& operator=(InstructionThread const&) = delete;
    ~InstructionThread() {
        if (!thread_) return;
        run_ = nullptr;
        may_go_.post();
    }

    // Waits until it is there: a system below may take its time to bring a new thread to its core, which is not to be
    // measured. Errors: no memory for it. The console's task.
    Result<void> create(ThreadOptions const& options) {
        thread_.emplace(MXK_TRY(Thread::create(options, *this)));
        Worker::current().run_until([this] { return arrival_.has_come; });
        return {};
    }

    // Between two phases. `run`: of the next one.
    void prepare(TwoPhaseRun<Access> const& run) { run_ = &run; }
    // Once for each phase; a task.
    void start() { may_go_.post(); }

    // The thread's body.
    void operator()() {
        send_task(arrival_, arrival_.home);
        for (may_go_.wait(); run_ != nullptr; may_go_.wait()) run_phase(*run_);
    }

  private:
    struct Arrival : Task {
        explicit Arrival(CoreId console)
            : Task([](Worker&, Task& task) { static_cast<Arrival&>(task).has_come = true; }, console) {}
        bool has_come = false;
    };

    void run_phase(TwoPhaseRun<Access> const& run) const {
        together_.wrong.fetch_add(operate(run), std::memory_order_relaxed);
        // acq_rel: the last one has the counts of the others, and ends for all
        if (together_.left.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
        CoreRun& here = run.cores.run(place_);
        here.count_wrong(together_.wrong.load(std::memory_order_relaxed));
        here.end();
    }

    // All of the core's instructions that others do not take. How many went wrong.
    std::uint64_t operate(TwoPhaseRun<Access> const& run) const {
        std::uint64_t wrong = 0;
        auto visitor = visitor_of(run.access, is_first_);
        while (operate_some(run, visitor.begin(), wrong)) visitor.end();
        return wrong;
    }
    // Up to `count` of them; false: there are no more. A function of its own, with nothing in it that ends with it: the
    // loop is the same whatever the visitor does.
    [[gnu::noinline]] bool operate_some(TwoPhaseRun<Access> const& run, std::uint64_t count,
                                        std::uint64_t& wrong) const {
        for (; count != 0; --count) {
            auto const next = take_next(run, place_);
            if (next.instruction == nullptr) return false;
            if (!run_one(run.access, next)) [[unlikely]]
                ++wrong;
        }
        return true;
    }

    static bool run_one(Access& access, NextInstruction<Access> const& next) {
        return dispatch(next.instruction->operation, [&](auto operation) {
            constexpr Operation method = overwrites(operation) ? Operation::Update : Operation{operation};
            return carry_out<method>(access, next.owner, next.instruction->key, next.extra, *next.instruction);
        });
    }

    std::size_t place_;
    bool is_first_;
    CoreThreads& together_;
    Arrival arrival_;
    Semaphore may_go_{0};
    TwoPhaseRun<Access> const* run_ = nullptr; // null: there will be no more
    std::optional<Thread> thread_;             // last: is joined before the others go
};

template <typename Access> class ThreadEngine final : public AccessEngine<Access> {
  public:
    using AccessEngine<Access>::AccessEngine;
    Result<void> make(EngineSetup const& setup) {
        using Threads = PerCore<InstructionThread<Access>>;
        std::size_t const each = setup.run.threads_each;
        cores_ = MXK_TRY(PerCore<CoreThreads>::with_room(setup.owners.size(), setup.owners.front().node));
        threads_ = MXK_TRY(Threads::with_room(each * setup.owners.size(), setup.owners.front().node));
        for (std::size_t at = 0; at < setup.owners.size(); ++at) {
            Owner const& owner = setup.owners[at];
            CoreThreads& together = *MXK_TRY(cores_.add(owner.node));
            for (std::size_t i = 0; i < each; ++i) {
                InstructionThread<Access>& thread = *MXK_TRY(threads_.add(owner.node, at, at + i == 0, together));
                MXK_TRY(thread.create({.core = owner.core, .name = "bench table", .slice = setup.run.thread_slice}));
            }
        }
        return {};
    }

    void prepare(PhaseCores const& cores) override {
        run_.emplace(this->access(), cores);
        for (CoreThreads& together : cores_) {
            // relaxed, both: threads are started behind this
            together.left.store(threads_each(), std::memory_order_relaxed);
            together.wrong.store(0, std::memory_order_relaxed);
        }
        for (auto& thread : threads_) thread.prepare(*run_);
    }
    void prepare_core(Worker&, std::size_t) override {}
    void start_core(Worker&, std::size_t at) override {
        std::size_t const each = threads_each();
        for (std::size_t i = at * each; i < (at + 1) * each; ++i) threads_[i].start();
    }

  private:
    [[nodiscard]] std::size_t threads_each() const { return threads_.size() / cores_.size(); }

    std::optional<TwoPhaseRun<Access>> run_; // of the phase
    PerCore<CoreThreads> cores_;             // by place
    // By place, all of a core one behind the other. Last: they go before what they use.
    PerCore<InstructionThread<Access>> threads_;
};

} // namespace mxk::bench
