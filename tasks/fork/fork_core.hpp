// Fork and join: a function that runs on a core forks another one, which an idle core may steal and run at the same
// time, and joins it: takes it back and runs it itself, or waits until the thief is done. Meanwhile it runs what the
// thief has forked (leapfrogging: Wagner and Calder, 1993), so that a stack is no deeper than the program's recursion,
// and no task waits for one below it. Forked are jobs on the stack of the one that joins them, one behind the other.
//
// What is forked waits for nothing but what it forks itself: for no task, thread, grace period or lock that is held for
// long. Its core serves no queue meanwhile, and one that waits for it neither.
//
// Coroutines fork the other way round (forked.hpp): what is forked runs at once, and what stands in the deque is the
// continuation of the one that has forked it. Their frames do not lie on the core's stack, so that no depth is too
// deep. A core that waits for the outermost one runs whatever others have forked, in up to four such waits.
//
// A core steals where its worker looks for work besides its own queue (WorkSource): tasks that were sent to a core are
// never stolen. It begins with cores that share its last cache, then its node.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "arch/core_local.hpp"
#include "base/panic.hpp"
#include "kernel/memory/node_array.hpp"
#include "kernel/topology/topology.hpp"
#include "tasks/fork/fork_failure.hpp"
#include "tasks/fork/frame_stack.hpp"
#include "tasks/fork/sleep_count.hpp"
#include "tasks/fork/work_deque.hpp"
#include "tasks/queue/work_source.hpp"
#include "tasks/worker.hpp"

namespace mxk {

class ForkCore;
class ForkFrame;

// Something that was forked. Lives until it is joined.
//
//     waiting (in its core's deque) -> running on core n -> done
//
// Nobody waits for one that is detached (a coroutine's continuation, forked.hpp): it may be gone once it has run.
class ForkJob {
  public:
    using Body = void (*)(ForkCore& core, ForkJob& job);
    struct Detached {};
    explicit ForkJob(Body body)
        : body_(body) {}
    ForkJob(Body body, Detached)
        : body_(body)
        , state_(detached) {}
    ForkJob(ForkJob const&) = delete;
    ForkJob& operator=(ForkJob const&) = delete;

    // On the core that has it.
    void run(ForkCore& core) { body_(core, *this); }

  private:
    friend class ForkCore;
    static constexpr std::uint32_t waiting = 0;
    static constexpr std::uint32_t done = ~std::uint32_t{0}; // else the thief's number and one
    static constexpr std::uint32_t detached = done - 1;

    Body body_;
    std::atomic<std::uint32_t> state_{waiting};
};

// How far what was stolen has come.
enum class StealDistance : std::uint8_t { Cache, Node, Beyond };

class alignas(cache_line_bytes) ForkCore final : public WorkSource {
  public:
    // One for each core, which steals from now on where its worker finds nothing else; in memory of its node. After
    // workers::create(), before the cores run. Errors: no memory.
    static Result<void> create(topology::Topology const& topology);
    // There are none any more. After every core has stopped.
    static void forget();
    // From now on only these cores steal (but what a core waits for); none given: all do, as at the beginning. What the
    // others run they finish. Any thread, at any time; one at a time.
    static void limit_to(std::span<CoreId const> cores);

    // The calling core's, in a task; null in a thread, and where there are no cores.
    static ForkCore* current() {
        return arch::runs_task() ? static_cast<ForkCore*>(Worker::current().forks()) : nullptr;
    }
    // Of a thread alone, which nobody helps: everything runs on it.
    ForkCore() = default;
    ForkCore(Worker& worker, std::uint32_t number, NodeArray<std::uint16_t> others)
        : worker_(&worker)
        , number_(number)
        , others_(std::move(others)) {}

    // Forks `right`, calls left(core), and joins: calls right(core) itself, or has waited for it. `core`: the one that
    // it runs on. Both may fork in turn. The calling core's own. What they throw is thrown here, the left one's first;
    // where the left one throws, the right one does not begin any more. Blocks, as a body that takes its time.
    template <typename Left, typename Right> [[gnu::always_inline]] void both(Left&& left, Right&& right) {
        struct Job : ForkJob {
            explicit Job(Right& its_function)
                : ForkJob([](ForkCore& thief, ForkJob& job) {
                    auto& self = static_cast<Job&>(job);
                    self.failure.keep_from([&] { self.function(thief); });
                })
                , function(its_function) {}
            Right& function;
            ForkFailure failure;
        };
        // Where left() throws.
        struct Joined {
            ForkCore& core;
            ForkJob* job;
            ~Joined() {
                if (job != nullptr && !core.take_back(*job)) core.wait_for(*job);
            }
        };
        Job job(right);
        if (!fork(job)) [[unlikely]] {
            left(*this);
            right(*this);
            return;
        }
        {
            Joined joined{*this, &job};
            left(*this);
            joined.job = nullptr;
        }
        if (take_back(job)) [[likely]]
            return static_cast<void>(right(*this));
        wait_for(job);
        job.failure.throw_again();
    }

    // Whether everything that this core has forked is gone: then a further fork would give idle cores something.
    [[nodiscard]] bool has_none_to_steal() const { return deque_.looks_empty(); }

    // A fork by hand: false where there is no room. They are joined in the opposite order, by take_back() and, if
    // that is false, wait_for().
    [[nodiscard]] bool fork(ForkJob& job) {
        if (!deque_.push(job)) [[unlikely]]
            return false;
        if (sleepers_.any()) [[unlikely]]
            wake_one();
        return true;
    }
    // True: it was not stolen, and the caller runs it, or not.
    [[nodiscard]] bool take_back(ForkJob& job) {
        ForkJob* const own = deque_.pop();
        if (own == nullptr) [[unlikely]]
            return false;
        expect(own == &job, "what was forked last is joined first");
        return true;
    }
    [[gnu::noinline]] void wait_for(ForkJob& job);

    // Coroutines (forked.hpp): where their frames lie that this core makes now; null: there is no memory.
    [[nodiscard]] FrameStack* frames() {
        if (frames_ == nullptr) [[unlikely]]
            frames_ = spare_frames_ != nullptr ? take_spare() : FrameStack::create(worker_->node());
        return frames_;
    }
    // The frame on its top is this core's from now on; what it had is empty.
    void adopt(FrameStack& frames) {
        if (frames_ != nullptr) give_back(*frames_);
        frames_ = &frames;
    }
    // The frame on its top belongs to others.
    void leave_frames() { frames_ = nullptr; }
    [[nodiscard]] bool has_frames(FrameStack const& frames) const { return frames_ == &frames; }
    // What runs here next.
    void run_next(ForkFrame& frame) { next_frame_ = &frame; }
    // The outermost one, until it is done, wherever it ends. Meanwhile others' jobs.
    void run_to_end(ForkFrame& frame, std::atomic<bool> const& is_done);
    void run_frames(ForkFrame& first);

    // For its life the core makes frames on another stack: what runs below has its own.
    class OwnFrames {
      public:
        explicit OwnFrames(ForkCore& core)
            : core_(core)
            , below_(std::exchange(core.frames_, nullptr)) {}
        OwnFrames(OwnFrames const&) = delete;
        OwnFrames& operator=(OwnFrames const&) = delete;
        ~OwnFrames() {
            if (core_.frames_ != nullptr) core_.give_back(*core_.frames_);
            core_.frames_ = below_;
        }

      private:
        ForkCore& core_;
        FrameStack* below_;
    };

    // What interrupts and other cores want of this core now: between the pieces of a loop.
    void attend() {
        if (worker_ != nullptr) worker_->attend_now();
    }

    // What is the outermost on this core begins and ends here: idle cores look for jobs while there is any.
    class Scope {
      public:
        explicit Scope(ForkCore& core)
            : core_(core) {
            if (core_.depth_++ == 0) scopes_.fetch_add(1, std::memory_order_relaxed);
        }
        Scope(Scope const&) = delete;
        Scope& operator=(Scope const&) = delete;
        ~Scope() {
            if (--core_.depth_ == 0) scopes_.fetch_sub(1, std::memory_order_relaxed);
        }

      private:
        ForkCore& core_;
    };

    // A task that waits for other cores' tasks in the middle of its body, whose core runs others meanwhile, which may
    // wait in turn, each above the one before on the core's stack.
    class TaskWait {
      public:
        explicit TaskWait(ForkCore& core)
            : core_(core)
            , is_allowed_(core.depth_ == 0 && core.task_waits_ < deepest) {
            if (is_allowed_) ++core.task_waits_;
        }
        TaskWait(TaskWait const&) = delete;
        TaskWait& operator=(TaskWait const&) = delete;
        ~TaskWait() {
            if (is_allowed_) --core_.task_waits_;
        }
        // Not within what is forked, which waits for nothing else, and no more than the stack has room for.
        [[nodiscard]] bool is_allowed() const { return is_allowed_; }

      private:
        static constexpr std::uint32_t deepest = 8;
        ForkCore& core_;
        bool is_allowed_;
    };

    // Jobs that this core has stolen. Any core.
    [[nodiscard]] std::uint64_t steals(StealDistance distance) const {
        return steals_[static_cast<std::size_t>(distance)].value();
    }

    // WorkSource.
    bool run(Worker& worker) override;
    bool has_work() override;
    bool begin_sleep() override;
    void end_sleep() override;

  private:
    void execute(ForkJob& job, std::uint32_t victim);
    template <typename StillWanted> bool steal_from(std::uint32_t victim, StillWanted still_wanted);
    bool steal_from_any();
    [[nodiscard]] bool may_steal() const;
    void wake_one();
    [[nodiscard]] bool is_any_left() const;
    FrameStack* take_spare();
    void give_back(FrameStack& frames);

    // Cores that sleep or are about to, and outermost calls: both are read often, and written seldom.
    alignas(cache_line_bytes) static constinit SleepCount sleepers_;
    static constinit std::atomic<std::uint32_t> scopes_;

    WorkDeque deque_;
    FrameStack* frames_ = nullptr; // of the coroutines that run here
    ForkFrame* next_frame_ = nullptr;
    FrameStack* spare_frames_ = nullptr; // a list
    std::uint32_t spare_count_ = 0;
    std::uint32_t waits_ = 0;      // for coroutines, one below the other
    std::uint32_t task_waits_ = 0; // likewise
    Worker* worker_ = nullptr;     // null: a thread alone
    std::uint32_t number_ = 0;
    std::uint32_t depth_ = 0;                                      // of scopes
    std::size_t next_ = 0;                                         // of others_, to be looked at
    std::array<std::size_t, 2> ends_{};                            // of others_ that share the last cache, the node
    NodeArray<std::uint16_t> others_;                              // the nearest first
    std::array<OwnerCounter, 3> steals_;                           // by distance
    std::atomic<bool> is_barred_{false};                           // by limit_to()
    alignas(cache_line_bytes) std::atomic<bool> is_asleep_{false}; // others look at it
};

} // namespace mxk
