// What visits a dynamic lock or a cascade from all cores in a test: tasks or threads, which change its state at random
// while they do; now and then one of them is alone for a while. Each visit adds to a counter by a load
// and a store, and looks whether somebody else is inside: a lock that lets two in shows it there, or loses counts.
//
// Target: locked(part, visit) calls visit() under the lock, and says whether it had to take one; may_lock();
// change(random); is_stable(); Scope: what a thread has while it visits.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "bench/workload/random.hpp"
#include "kernel/clock.hpp"
#include "kernel/memory/node_vector.hpp"
#include "kernel/testing.hpp"
#include "tasks/rcu/lock_wait.hpp"
#include "tasks/threads/thread.hpp"
#include "tasks/wait_until.hpp"
#include "tasks/workers.hpp"
#include "tests/delays.hpp"
#include "tests/kernel/thread_group.hpp"

namespace mxk {

// Plain, so that ThreadSanitizer watches the lock, too; or in relaxed steps, for a lock that is broken on purpose.
template <bool is_watched> class VisitCounter {
  public:
    void visit() {
        set(count_, get(count_) + 1);
        set(inside_, get(inside_) + 1);
        if (get(count_) % 16 == 0) RandomDelay::point();
        if (get(inside_) != 1) overlaps_.fetch_add(1, std::memory_order_relaxed);
        set(inside_, get(inside_) - 1);
    }
    // When nobody visits.
    [[nodiscard]] std::uint64_t count() const { return get(count_); }
    [[nodiscard]] std::uint64_t overlaps() const { return overlaps_.load(std::memory_order_relaxed); }

  private:
    static std::uint64_t get(std::uint64_t const& word) {
        return is_watched ? word : __atomic_load_n(&word, __ATOMIC_RELAXED);
    }
    static void set(std::uint64_t& word, std::uint64_t value) {
        if constexpr (is_watched)
            word = value;
        else
            __atomic_store_n(&word, value, __ATOMIC_RELAXED);
    }

    alignas(cache_line_bytes) std::uint64_t count_ = 0;
    std::uint64_t inside_ = 0;
    std::atomic<std::uint64_t> overlaps_{0};
};

// Of all visitors of a test.
struct VisitPlan {
    std::size_t parts;
    std::uint64_t visits;      // of each
    std::uint32_t max_between; // changes of state by one visitor: every 1 to so many visits
    std::uint32_t visits_alone = 0;
    std::uint32_t max_times_alone = 0; // of all of them together, or nearly
    // Once this has passed and somebody came without a lock, nobody is alone any more: a change that is waited for
    // takes milliseconds, or hundreds where other programs have the processors.
    Nanoseconds time_alone{0};
    Cycles begun{clock::timestamp()};
    Cycles until{~std::uint64_t{0}}; // or until that time
    std::atomic<bool> is_enough{false};
    static constexpr std::size_t nobody = ~std::size_t{0};
    std::atomic<std::size_t> alone{nobody}; // the visitor whom all others stay away for
    std::atomic<std::uint32_t> times_alone{0};
    std::atomic<bool> was_unlocked{false}; // by some visitor who was alone

    [[nodiscard]] bool may_begin_alone() const {
        return times_alone.load(std::memory_order_relaxed) < max_times_alone && may_be_alone();
    }
    [[nodiscard]] bool may_be_alone() const {
        return !was_unlocked.load(std::memory_order_relaxed) ||
               clock::timestamp() - begun < clock::to_cycles(time_alone);
    }
    [[nodiscard]] bool is_over() const {
        return is_enough.load(std::memory_order_relaxed) || clock::timestamp() >= until;
    }
};

// What one visitor does, however it runs.
template <typename Target, typename Counter> class LockVisitor {
  public:
    LockVisitor(Target& target, NodeVector<Counter>& counters, VisitPlan& plan, std::size_t number)
        : target_(&target)
        , counters_(&counters)
        , plan_(&plan)
        , number_(number)
        , left_(plan.visits)
        , random_(inner_tests::seed() * 1000 + number)
        , until_change_(between()) {}

    [[nodiscard]] bool has_ended() const { return left_ == 0 || plan_->is_over(); }
    [[nodiscard]] std::uint64_t visits() const { return plan_->visits - left_; }
    [[nodiscard]] std::uint64_t changes() const { return changes_; }
    [[nodiscard]] std::uint64_t unlocked() const { return unlocked_; }
    Target& target() const { return *target_; }

    void visit() {
        std::size_t const part = random_.below(plan_->parts);
        Counter& counter = (*counters_)[part];
        bool const was_alone = alone_ != 0;
        bool const was_locked = target_->locked(part, [&] { counter.visit(); });
        unlocked_ += was_locked ? 0U : 1U;
        if (!was_locked && was_alone) plan_->was_unlocked.store(true, std::memory_order_relaxed);
        --left_;
        if (counter.overlaps() != 0) plan_->is_enough.store(true, std::memory_order_relaxed);
        if (was_alone) --alone_;
        if (was_alone && (alone_ == 0 || has_ended() || !plan_->may_be_alone())) {
            alone_ = 0;
            plan_->alone.store(VisitPlan::nobody, std::memory_order_relaxed);
        }
        if (--until_change_ != 0) return;
        waits_ = target_->change(random_);
        changes_ += waits_ ? 1U : 0U;
        until_change_ = alone_ != 0 ? 1 + random_.below(50) : between();
        std::size_t expected = VisitPlan::nobody;
        if (!has_ended() && random_.below(32) == 0 && plan_->may_begin_alone() &&
            plan_->alone.compare_exchange_strong(expected, number_, std::memory_order_relaxed)) {
            plan_->times_alone.fetch_add(1, std::memory_order_relaxed);
            alone_ = plan_->visits_alone;
            waits_ = true;
        }
    }
    // It is alone, and nobody need come until the change under way has come about: that before, or one of its own.
    [[nodiscard]] bool awaits_change() const {
        return alone_ != 0 && waits_ && !target_->is_stable() && !plan_->is_over();
    }

    // Somebody else is to be alone for a while.
    [[nodiscard]] bool stays_away() const {
        std::size_t const alone = plan_->alone.load(std::memory_order_relaxed);
        return alone != VisitPlan::nobody && alone != number_ && !plan_->is_over();
    }

  private:
    std::uint64_t between() { return 1 + random_.below(plan_->max_between); }

    Target* target_;
    NodeVector<Counter>* counters_;
    VisitPlan* plan_;
    std::size_t number_;
    std::uint64_t left_;
    bool waits_ = false;
    std::uint32_t alone_ = 0; // further visits for which it is alone
    bench::Random random_;
    std::uint64_t until_change_;
    std::uint64_t changes_ = 0; // begun by this one
    std::uint64_t unlocked_ = 0;
};

inline constexpr int visits_at_once = 16;

// A task that comes back again and again, and goes home at its end.
template <typename Visitor> struct VisitingTask : Task {
    VisitingTask(Visitor its_visitor, std::size_t& its_left)
        : Task(&VisitingTask::run, Worker::current().core())
        , visitor(its_visitor)
        , left_at_home(&its_left) {}

    static void run(Worker& worker, Task& task) {
        auto& self = static_cast<VisitingTask&>(task);
        if (self.visitor.stays_away() || self.visitor.awaits_change()) return worker.append(self);
        for (int i = 0; i < visits_at_once; ++i) {
            if (self.visitor.has_ended()) {
                self.body = [](Worker&, Task& at_home) { --*static_cast<VisitingTask&>(at_home).left_at_home; };
                return worker.append(self, self.home);
            }
            if (!self.visitor.target().may_lock()) {
                return self.later.append(self, self.visitor.target().lock());
            }
            self.visitor.visit();
            if (self.visitor.awaits_change()) break;
        }
        worker.append(self);
    }

    Visitor visitor;
    std::size_t* left_at_home;
    DelayedVisit later;
};

// What came of a test's visits.
struct VisitOutcome {
    std::uint64_t visits = 0;
    std::uint64_t counted = 0;
    std::uint64_t overlaps = 0;
    std::uint64_t changes = 0;
    std::uint64_t unlocked = 0; // visits

    [[nodiscard]] bool is_exact() const { return visits == counted && overlaps == 0; }
};

template <typename Counter> class VisitTest {
  public:
    explicit VisitTest(std::size_t parts)
        : counters_(NodeVector<Counter>::create(parts, Worker::current().node())) {
        MXK_CHECK(counters_.ok());
        if (!counters_) return;
        for (std::size_t i = 0; i < parts; ++i) counters_.value().emplace();
    }

    // A task on each core.
    template <typename Target> VisitOutcome by_tasks(Target& target, VisitPlan& plan) {
        using Visitor = LockVisitor<Target, Counter>;
        VisitOutcome outcome;
        std::size_t left = workers::count();
        auto tasks = NodeVector<VisitingTask<Visitor>>::create(left, Worker::current().node());
        MXK_CHECK(tasks.ok());
        if (!tasks || !counters_) return outcome;
        for (std::size_t i = 0; i < workers::count(); ++i)
            Worker::current().append(tasks.value().emplace(Visitor(target, counters_.value(), plan, i), left),
                                     core_id(i));
        wait_until([&] { return left == 0 && target.is_stable(); });
        for (auto& task : tasks.value()) {
            add(outcome, task.visitor);
        }
        count(outcome);
        return outcome;
    }

    // Two threads on each core.
    template <typename Target> VisitOutcome by_threads(Target& target, VisitPlan& plan) {
        struct Body {
            LockVisitor<Target, Counter> visitor;
            void operator()() {
                while (!visitor.has_ended()) {
                    {
                        [[maybe_unused]] typename Target::Scope scope;
                        for (int i = 0; i < visits_at_once && !visitor.has_ended() && !visitor.awaits_change(); ++i)
                            visitor.visit();
                    }
                    while (visitor.awaits_change() || visitor.stays_away()) this_thread::yield();
                }
            }
        };
        VisitOutcome outcome;
        std::size_t const threads = 2 * workers::count();
        auto bodies = NodeVector<Body>::create(threads, Worker::current().node());
        MXK_CHECK(bodies.ok());
        if (!bodies || !counters_) return outcome;
        ThreadGroup group(threads);
        for (std::size_t i = 0; i < threads; ++i)
            group.start({.core = core_id(i % workers::count()), .name = "visitor", .slice = Nanoseconds{200'000}},
                        bodies.value().emplace(Body{LockVisitor<Target, Counter>(target, counters_.value(), plan, i)}));
        group.join();
        wait_until([&] { return target.is_stable(); });
        for (auto& body : bodies.value()) add(outcome, body.visitor);
        count(outcome);
        return outcome;
    }

  private:
    template <typename Visitor> static void add(VisitOutcome& outcome, Visitor const& visitor) {
        outcome.visits += visitor.visits();
        outcome.changes += visitor.changes();
        outcome.unlocked += visitor.unlocked();
    }
    void count(VisitOutcome& outcome) const {
        for (Counter const& counter : counters_.value()) {
            outcome.counted += counter.count();
            outcome.overlaps += counter.overlaps();
        }
    }

    Result<NodeVector<Counter>> counters_;
};

} // namespace mxk
