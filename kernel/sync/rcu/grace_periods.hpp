// Grace periods: when nobody uses any more what has been unlinked before. One at a time, numbered; each waits until
// every core has been quiescent once since it began (tasks/rcu/core_epoch.hpp says when a core is). A core that halts
// is, for as long as it does; the others are told by a bit of their attention word, and the last one that answers ends
// the grace period: nobody polls, and nobody is interrupted for it. A task costs nothing: its worker looks at the
// attention word anyway. (Quiescent-state based reclamation as in McKenney and Slingwine, "Read-Copy Update", 1998;
// that the cores count down is as in NOVA's kernel.)
//
// Each core keeps the callbacks that were given to it: those that have arrived, those that wait for the grace period
// after the one now under way, and those that wait for an earlier one. A callback runs after one to two of them.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/push_stack.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "kernel/memory/per_core.hpp"
#include "kernel/sync/rcu/callback.hpp"

namespace mxk::rcu {

inline constexpr std::size_t lazy_callbacks = 512;
inline constexpr Nanoseconds lazy_time{200'000};
// Of those that are due, how many run in one turn: so that tasks do not wait for longer than some tens of microseconds.
inline constexpr std::size_t callbacks_per_turn = 256;
// With more than that not run yet, all that are due run in one turn, and what the core's tasks add does not outrun it.
inline constexpr std::size_t too_many_callbacks = 30'000;

// A grace period that takes longer is a WARN that names the cores that it waits for.
inline constexpr Nanoseconds stall_time{1'000'000'000};

// A counter that one core at a time writes, and all may read.
class Count {
  public:
    void add(std::uint64_t amount) { set(value() + amount); }
    void raise_to(std::uint64_t value_now) {
        if (value_now > value()) set(value_now);
    }
    [[nodiscard]] std::uint64_t value() const { return value_.load(std::memory_order_relaxed); }

  private:
    void set(std::uint64_t value_now) { value_.store(value_now, std::memory_order_relaxed); }
    std::atomic<std::uint64_t> value_{0};
};

struct CoreStatistics {
    Count called;   // callbacks given to the core, as far as it has seen them
    Count run;      // of these, run
    Count max_turn; // of callbacks run in one turn
    Count answers;  // grace periods that it was told of and has answered
    Count away;     // grace periods that began while it halted
    Count blocked;  // grace periods that had to wait for readers of the core who were preempted, or on Linux ran, in
                    // sections, or for a task that is in one
    Count batches;  // callbacks that became due together
    Count max_batch;
};

struct Statistics {
    Count completed;
    Count hurried;                            // of these, those that somebody wanted Now
    Count cycles;                             // of all, from beginning to end
    Count max_cycles;                         // of one, cycles
    Count stalled;                            // took longer than stall_time
    std::atomic<std::uint64_t> interrupts{0}; // sent to cores, so that threads' slices do not hold one up; relaxed
};

class GracePeriods {
  public:
    // What a core has of them. Its own core, unless a function says otherwise.
    class Core {
      public:
        explicit Core(CoreId core)
            : id_(core) {}

        // Whether there are callbacks that do not run yet.
        [[nodiscard]] bool has_callbacks() const {
            return !waiting_.empty() || !next_.empty() || !ready_.empty() || !arrived_.empty();
        }
        // Any core.
        [[nodiscard]] CoreStatistics const& statistics() const { return statistics_; }
        // Any core: callbacks that were given to it and have not run yet, or nearly so many.
        [[nodiscard]] std::uint64_t pending() const {
            std::uint64_t const run = statistics_.run.value();
            std::uint64_t const called = statistics_.called.value();
            return called > run ? called - run : 0;
        }
        // Any core: it halts, and executes a fence before it goes on. seq_cst.
        [[nodiscard]] bool is_halted() const { return presence_.load(std::memory_order_seq_cst) != Presence::Awake; }
        // Any core: the newest grace period that it need not be waited for.
        [[nodiscard]] std::uint64_t seen() const { return seen_.load(std::memory_order_relaxed); }

      private:
        friend class GracePeriods;
        enum class Presence : std::uint8_t {
            Awake,
            Halted, // but one of its threads is in a section
            Away,   // halted, and quiescent as long as it is
        };

        // All cores.
        std::atomic<std::uint64_t> seen_{0};
        std::atomic<Presence> presence_{Presence::Awake};
        std::atomic<bool> is_listed_{false};
        Core* next_listed_ = nullptr;
        CoreId id_;
        // Whatever runs on the core, or lives on it, adds; the core takes.
        alignas(cache_line_bytes) PushStack<Callback, &Callback::next> arrived_;
        std::atomic<Urgency> urgency_{Urgency::Batched};
        // Its own.
        alignas(cache_line_bytes) CallbackList waiting_; // for waits_for_
        CallbackList next_;                              // for next_for_
        CallbackList ready_;
        std::uint64_t waits_for_ = 0;
        std::uint64_t next_for_ = 0;
        Cycles oldest_{}; // since when something waits that nothing was asked for
        std::uint64_t asked_for_ = 0;
        CoreStatistics statistics_;
    };

    // Of all cores of the machine.
    explicit GracePeriods(PerCore<Core> cores)
        : cores_(std::move(cores)) {}

    [[nodiscard]] Core& of(CoreId core) const { return cores_[core]; }
    [[nodiscard]] PerCore<Core> const& cores() const { return cores_; }
    [[nodiscard]] Statistics const& statistics() const { return statistics_; }

    // Any core. The newest that has begun, and the newest that has ended. acquire: what was protected before the end of
    // the latter was done before what the caller does next.
    [[nodiscard]] std::uint64_t begun() const { return begun_.load(std::memory_order_acquire); }
    [[nodiscard]] std::uint64_t done() const { return done_.load(std::memory_order_acquire); }
    // The time stamp of the beginning of the newest one, for display.
    [[nodiscard]] Cycles begun_at() const { return begun_at_.load(std::memory_order_relaxed); }

    // Any core: the first grace period that ends after everything that is protected now.
    [[nodiscard]] std::uint64_t next() const;

    // `callback` runs on `core`, on which the caller runs or lives, after the next grace period: between two tasks, in
    // the order in which they were given. Tasks, threads and interrupt handlers, in protected sections, too; never
    // blocks.
    void call(CoreId core, Callback& callback, Urgency urgency);

    // Any core, never block. A grace period with this number is wanted.
    void ask_for(std::uint64_t number, Urgency urgency);

    // Below: the worker of `core`.

    // The grace period that the core has been told of and has not answered; 0: none.
    [[nodiscard]] std::uint64_t unanswered(Core const& core) const;
    // It was not quiescent when it had been told of the one under way: somebody is in a section.
    static void note_blocked(Core& core) { core.statistics_.blocked.add(1); }
    // It has been quiescent after it had been told of this one.
    void answer(Core& core, std::uint64_t number);
    // Sorts the callbacks by what has ended since, asks for what they need, and runs those that are due.
    void advance(Core& core, Cycles now);
    // Before the core looks whether it may halt, and after it has; `is_quiescent`: as long as it halts. What waits for
    // company waits no longer.
    void before_halt(Core& core, bool is_quiescent);
    void after_halt(Core& core);
    // Whether callbacks of the core wait for a grace period: it looks for a stall then, after stall_time, too.
    [[nodiscard]] static bool waits(Core const& core) { return !core.waiting_.empty(); }
    // A WARN, once for each grace period, if the one under way takes longer than stall_time.
    void report_stall(Cycles now);
    // What that says of a core which is waited for. Any core, before grace periods are asked for.
    using Describe = void (*)(TextSink& out, CoreId core);
    void describe_with(Describe describe) { describe_.store(describe, std::memory_order_relaxed); }

  private:
    bool is_away(Core const& core) const;
    void take_arrived(Core& core, Cycles now);
    void sort(Core& core, Cycles now, bool may_wait);
    static void tell(Core& core);
    static void make_due(Core& core);
    void run_ready(Core& core);
    void try_to_begin();
    void begin(std::uint64_t number);
    void hurry(std::uint64_t number);
    void count_for(Core& core, std::uint64_t number);
    void count_down();
    void end();
    void enlist(Core& core);

    PerCore<Core> cores_;
    // Wanted >= begun >= done; begun is done, or the next. Who has set busy_ may begin one, and who ends it lets it go.
    alignas(cache_line_bytes) std::atomic<std::uint64_t> begun_{0};
    std::atomic<std::uint64_t> done_{0};
    std::atomic<Cycles> begun_at_{};
    alignas(cache_line_bytes) std::atomic<std::uint64_t> wanted_{0};
    std::atomic<std::uint64_t> hurried_{0}; // the newest that is wanted Now
    std::atomic<bool> busy_{false};
    std::atomic<Describe> describe_{nullptr};
    std::atomic<std::uint64_t> reported_{0};                        // the newest that was reported to stall
    PushStack<Core, &Core::next_listed_> listed_;                   // cores that want to know when one ends
    alignas(cache_line_bytes) std::atomic<std::size_t> missing_{0}; // cores that have not answered, and who begins it
    Statistics statistics_;                                         // who ends one writes
};

} // namespace mxk::rcu
