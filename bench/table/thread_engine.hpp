// Engines of threads (thesis section 3.2.1, Algorithm 3.4): one on each core of a run, which takes one instruction
// after the other and carries each out on the table that all of them share. The table keeps them apart, or does not.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <utility>

#include "bench/table/access_engine.hpp"
#include "bench/table/two_phase.hpp"
#include "kernel/memory/node_vector.hpp"
#include "tasks/threads/semaphore.hpp"
#include "tasks/threads/thread.hpp"
#include "tasks/worker.hpp"

namespace mxk::bench {

// One core's thread. It lives as long as this, and waits between two phases.
template <typename Access> class alignas(cache_line_bytes) InstructionThread {
  public:
    // The console's task.
    explicit InstructionThread(std::size_t place)
        : place_(place)
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
        for (may_go_.wait(); run_ != nullptr; may_go_.wait()) work_off(*run_);
    }

  private:
    struct Arrival : Task {
        explicit Arrival(CoreId console)
            : Task([](Worker&, Task& task) { static_cast<Arrival&>(task).has_come = true; }, console) {}
        bool has_come = false;
    };

    void work_off(TwoPhaseRun<Access> const& run) const {
        CoreRun& here = *run.cores[place_];
        for (auto next = take_next(run, place_); next.instruction != nullptr; next = take_next(run, place_))
            if (!carry_out(run.access, next)) [[unlikely]]
                here.count_wrong();
        here.end();
    }

    static bool carry_out(Access& access, NextInstruction<Access> const& next) {
        switch (next.instruction->operation) {
        case Operation::Insert: return operate<Operation::Insert>(access, next);
        case Operation::Find: return operate<Operation::Find>(access, next);
        case Operation::Erase: break;
        }
        return operate<Operation::Erase>(access, next);
    }
    template <Operation operation> static bool operate(Access& access, NextInstruction<Access> const& next) {
        return access.template operate<operation>(next.owner, next.instruction->key, next.extra,
                                                  next.instruction->expected);
    }

    std::size_t place_;
    Arrival arrival_;
    Semaphore may_go_{0};
    TwoPhaseRun<Access> const* run_ = nullptr; // null: there will be no more
    std::optional<Thread> thread_;             // last: is joined before the others go
};

template <typename Access> class ThreadEngine final : public AccessEngine<Access> {
  public:
    struct Parts {
        Access access;
        NodeVector<NodeVector<InstructionThread<Access>>> threads; // by core, one on each one's node
    };
    static Result<Parts> make(EngineSetup const& setup) {
        Parts parts{MXK_TRY(Access::create(setup)), {}};
        using Threads = NodeVector<InstructionThread<Access>>;
        parts.threads = MXK_TRY(NodeVector<Threads>::create(setup.owners.size(), setup.owners.front().node));
        for (std::size_t at = 0; at < setup.owners.size(); ++at) {
            Owner const& owner = setup.owners[at];
            auto& thread = parts.threads.emplace(MXK_TRY(Threads::create(1, owner.node))).emplace(at);
            MXK_TRY(thread.create({.core = owner.core, .name = "bench table", .slice = thread_slice(setup.options)}));
        }
        return parts;
    }
    explicit ThreadEngine(Parts parts)
        : AccessEngine<Access>(std::move(parts.access))
        , threads_(std::move(parts.threads)) {}

    void prepare(std::span<CoreRun* const> cores) override {
        run_.emplace(this->access(), cores);
        for (auto const& thread : threads_) thread[0].prepare(*run_);
    }
    void prepare_core(Worker&, std::size_t) override {}
    void start_core(Worker&, std::size_t at) override { threads_[at][0].start(); }

  private:
    std::optional<TwoPhaseRun<Access>> run_;                    // of the phase
    NodeVector<NodeVector<InstructionThread<Access>>> threads_; // last: they go before what they use
};

} // namespace mxk::bench
