// Locks whose state changes while tasks and threads of all cores visit them (kernel/sync/adaptive): no visit overlaps
// another one, whatever state it met. A window that is one grace period shorter is none at all: such a lock must be
// found out.
#include <algorithm>
#include <cstdint>
#include <optional>

#include "arch/machine.hpp"
#include "base/inject.hpp"
#include "base/spin_lock.hpp"
#include "kernel/clock.hpp"
#include "kernel/sync/adaptive/dynamic_lock.hpp"
#include "kernel/sync/adaptive/lock_cascade.hpp"
#include "kernel/sync/adaptive/visit.hpp"
#include "kernel/testing.hpp"
#include "locks/mcs_lock.hpp"
#include "tests/delays.hpp"
#include "tests/kernel/lock_visitors.hpp"

namespace mxk {
namespace {

constexpr LockRank outer_rank = lock_bands::application.rank(4);
constexpr LockRank inner_rank = lock_bands::application.rank(5);

// Closes before those who have come before it have gone.
struct ShortWindow {
    static constexpr bool closes_at_once = false;
    static void close_later(rcu::Callback& callback, rcu::Urgency) { callback.function(callback); }
};

// An emulator's cores share the host's, so that one waits long for another.
bool is_emulated() {
    return arch::describe_machine().is_emulated();
}

// ThreadScope: of a thread that visits it.
template <typename LockType, typename ThreadScope = NoScope> class DynamicTarget {
  public:
    using Scope = ThreadScope;
    template <typename... Arguments>
    explicit DynamicTarget(Arguments... arguments)
        : lock_(arguments...) {}

    LockType& lock() { return lock_; }
    [[nodiscard]] bool may_lock() { return lock_.may_lock(); }
    [[nodiscard]] bool is_stable() const { return lock_.is_stable(); }
    template <typename Visit> bool locked(std::size_t, Visit visit) {
        typename LockType::Node node;
        lock_.lock(node);
        visit();
        lock_.unlock(node);
        return node.is_locked;
    }
    bool change(bench::Random& random) {
        if (random.below(4) != 0) return lock_.disable(urgency(random));
        lock_.enable(urgency(random));
        return true;
    }
    static rcu::Urgency urgency(bench::Random& random) {
        return random.below(2) == 0 ? rcu::Urgency::Expedited : rcu::Urgency::Next;
    }

  private:
    LockType lock_;
};

template <typename Cascade, typename ThreadScope = NoScope> class CascadeTarget {
  public:
    using Scope = ThreadScope;
    explicit CascadeTarget(std::size_t parts)
        : cascade_(parts, Worker::current().node(), outer_rank, inner_rank) {}

    Cascade& lock() { return cascade_; }
    [[nodiscard]] bool may_lock() { return cascade_.may_lock(); }
    [[nodiscard]] bool is_stable() const { return cascade_.is_stable(); }
    template <typename Visit> bool locked(std::size_t part, Visit visit) {
        typename Cascade::Node node;
        cascade_.lock(part, node);
        visit();
        cascade_.unlock(node);
        return !node.is_alone;
    }
    bool change(bench::Random& random) {
        switch (random.below(3)) {
        case 0: return cascade_.coarsen();
        case 1: return cascade_.claim();
        default: break;
        }
        auto const begun = cascade_.refine();
        MXK_CHECK(begun.ok());
        return begun.ok() && begun.value();
    }

  private:
    Cascade cascade_;
};

struct Visits {
    std::uint64_t count; // of all visitors
    std::uint32_t max_between;
};

// Of each visitor. A grace period of many emulated cores may take a second: there few are waited for.
VisitPlan plan_of(std::size_t parts, Visits visits, std::size_t visitors) {
    return {.parts = parts,
            .visits = std::max<std::uint64_t>(visits.count / visitors, 100),
            .max_between = visits.max_between,
            .visits_alone = is_emulated() ? 50U : 500U,
            .max_times_alone = is_emulated() ? 1U : ~0U,
            .time_alone = Nanoseconds{1'000'000'000}};
}

void check_outcome(VisitOutcome const& outcome, std::uint64_t visits) {
    MXK_CHECK_EQUAL(outcome.visits, visits);
    MXK_CHECK_EQUAL(outcome.counted, outcome.visits);
    MXK_CHECK_EQUAL(outcome.overlaps, 0U);
    MXK_CHECK(outcome.changes > 0);
    MXK_CHECK(outcome.unlocked > 0 || is_emulated()); // there a grace period may outlast the visits
    MXK_CHECK(outcome.unlocked < outcome.visits);
}
template <typename Target> void check_tasks(Target& target, std::size_t parts, Visits visits) {
    std::size_t const visitors = workers::count();
    VisitTest<VisitCounter<true>> test(parts);
    VisitPlan plan = plan_of(parts, visits, visitors);
    check_outcome(test.by_tasks(target, plan), plan.visits * visitors);
}
template <typename Target> void check_threads(Target& target, std::size_t parts, Visits visits) {
    std::size_t const visitors = 2 * workers::count();
    VisitTest<VisitCounter<true>> test(parts);
    VisitPlan plan = plan_of(parts, visits, visitors);
    check_outcome(test.by_threads(target, plan), plan.visits * visitors);
}

Visits share_of(Visits all, std::uint64_t locks) {
    return {all.count / locks, all.max_between};
}

void visit_dynamic_locks(Visits by_tasks, Visits by_threads) {
    std::optional<InjectDelays> delays;
    if (is_emulated()) delays.emplace(); // with a sanitizer a grace period would outlast the visits
    DynamicTarget<DynamicLock<SpinLock>> spinning(outer_rank);
    check_tasks(spinning, 1, share_of(by_tasks, 2));
    DynamicTarget<DynamicLock<McsLock>> queued;
    check_tasks(queued, 1, share_of(by_tasks, 2));
    DynamicTarget<DynamicLock<SpinLock, ThreadVisit>> spinning_threads(outer_rank);
    check_threads(spinning_threads, 1, share_of(by_threads, 3));
    DynamicTarget<DynamicLock<McsLock, ThreadVisit>> queued_threads;
    check_threads(queued_threads, 1, share_of(by_threads, 3));
    DynamicTarget<DynamicLock<SpinLock, ScopedVisit>, VisitScope> scoped_threads(outer_rank);
    check_threads(scoped_threads, 1, share_of(by_threads, 3));
}
void visit_cascades(Visits by_tasks, Visits by_threads) {
    std::optional<InjectDelays> delays;
    if (is_emulated()) delays.emplace();
    constexpr std::size_t parts = 3;
    CascadeTarget<LockCascade<SpinLock>> spinning(parts);
    check_tasks(spinning, parts, by_tasks);
    CascadeTarget<LockCascade<McsLock, ThreadVisit>> queued(parts);
    check_threads(queued, parts, share_of(by_threads, 2));
    CascadeTarget<LockCascade<SpinLock, ScopedVisit>, VisitScope> scoped(parts);
    check_threads(scoped, parts, share_of(by_threads, 2));
}

// Ten times fewer where cores share processors, also with sanitizers: there a change takes milliseconds.
bool is_crowded() {
    return inject::enabled || Worker::current().polling_time() == Nanoseconds{0};
}
Visits short_by_tasks() {
    if (is_emulated()) return {2'400, 50};
    return is_crowded() ? Visits{100'000, 200} : Visits{1'000'000, 1000};
}
// Threads of the operating system that spin, two for a processor, wait for one that was preempted inside: beside other
// programs their visits take a hundred times as long as those of tasks.
Visits short_by_threads() {
    Visits const by_tasks = short_by_tasks();
    return {by_tasks.count / 10, std::max(by_tasks.max_between / 10, 20U)};
}
constexpr Visits long_by_tasks{1'000'000'000, 10'000};
constexpr Visits long_by_threads{100'000'000, 10'000};

MXK_TEST(adaptive, visits_exclude_each_other_while_the_state_changes) {
    visit_dynamic_locks(short_by_tasks(), short_by_threads());
}
MXK_LONG_TEST(adaptive, visits_exclude_each_other_while_the_state_changes_long) {
    visit_dynamic_locks(long_by_tasks, long_by_threads);
}
MXK_TEST(adaptive, visits_exclude_each_other_while_the_granularity_changes) {
    visit_cascades(short_by_tasks(), short_by_threads());
}
MXK_LONG_TEST(adaptive, visits_exclude_each_other_while_the_granularity_changes_long) {
    visit_cascades(long_by_tasks, long_by_threads);
}

// Until it is found out, up to a minute; four where cores share processors, and a change of state takes a second.
template <typename Target> bool is_found_out(Target& target, std::size_t parts) {
    VisitTest<VisitCounter<false>> test(parts);
    std::uint64_t const seconds = is_crowded() ? 240 : 60;
    VisitPlan plan{.parts = parts,
                   .visits = ~std::uint64_t{0} >> 1,
                   .max_between = 16,
                   .until = clock::timestamp() + clock::to_cycles(Nanoseconds{seconds * 1'000'000'000})};
    return !test.by_threads(target, plan).is_exact();
}
MXK_TEST(adaptive, a_window_that_is_too_short_is_found_out) {
    if (workers::count() == 1) MXK_SKIP("one core, whose visits do not overlap");
    if (is_emulated()) MXK_SKIP("an emulator, whose cores seldom interleave so closely");
    DynamicTarget<DynamicLock<SpinLock, ThreadVisit, ShortWindow>> lock(outer_rank);
    MXK_CHECK(is_found_out(lock, 1));
    CascadeTarget<LockCascade<SpinLock, ThreadVisit, ShortWindow>> cascade(3);
    MXK_CHECK(is_found_out(cascade, 3));
}

MXK_TEST(adaptive, a_disabled_lock_is_its_owners_until_it_is_enabled) {
    DynamicLock<SpinLock> lock(outer_rank);
    MXK_CHECK(lock.is_enabled());
    MXK_CHECK(lock.disable());
    MXK_CHECK(!lock.disable()); // a change is under way
    MXK_CHECK(lock.may_lock());
    wait_until([&] { return lock.is_stable(); });
    MXK_CHECK(lock.is_disabled());
    MXK_CHECK(lock.may_lock());
    DynamicLock<SpinLock>::Node node;
    lock.lock(node);
    MXK_CHECK(!node.is_locked);
    lock.enable(); // while its owner is inside
    MXK_CHECK(!lock.is_stable());
    lock.unlock(node);
    lock.lock(node);
    MXK_CHECK(node.is_locked); // also the owner, from now on
    lock.unlock(node);
    wait_until([&] { return lock.is_stable(); });
    MXK_CHECK(lock.is_enabled());
}

MXK_TEST(adaptive, a_change_that_is_cancelled_leaves_the_lock_enabled) {
    DynamicLock<SpinLock> lock(outer_rank);
    MXK_CHECK(lock.disable());
    lock.enable();
    MXK_CHECK(lock.is_enabled());
    MXK_CHECK(!lock.disable()); // the callback of the first one is still to come
    wait_until([&] { return lock.is_stable(); });
    MXK_CHECK(lock.is_enabled());
    MXK_CHECK(lock.disable());
    wait_until([&] { return lock.is_stable(); });
    MXK_CHECK(lock.is_disabled());
}

MXK_TEST(adaptive, a_policy_disables_the_lock_of_one_visitor) {
    DynamicLock<SpinLock> lock(outer_rank);
    VisitorPolicy policy({.visits = 16, .time = Nanoseconds{100'000}, .max_time = Nanoseconds{1'000'000'000}});
    lock.set_policy(&policy);
    auto const visit_until_disabled = [&] {
        wait_until([&] {
            LockGuard const guard(lock);
            return lock.is_disabled();
        });
    };
    visit_until_disabled();
    if (workers::count() == 1) return;
    // Somebody else comes, soon: from then on it takes twice the time.
    struct Other : Task {
        Other(DynamicLock<SpinLock>& its_lock)
            : Task(&Other::run, Worker::current().core())
            , lock(&its_lock) {}
        static void run(Worker& worker, Task& task) {
            auto& self = static_cast<Other&>(task);
            if (!self.lock->may_lock()) return self.later.append(task, *self.lock);
            { LockGuard const guard(*self.lock); }
            self.body = [](Worker&, Task& at_home) { static_cast<Other&>(at_home).is_back = true; };
            worker.append(self, self.home);
        }
        DynamicLock<SpinLock>* lock;
        DelayedVisit later;
        bool is_back = false;
    };
    Other other(lock);
    Worker::current().append(other, core_id(workers::count() - 1));
    wait_until([&] { return other.is_back; });
    MXK_CHECK(lock.is_enabled());
    MXK_CHECK_EQUAL(raw(policy.time()), 200'000U);
    visit_until_disabled();
}

} // namespace
} // namespace mxk
