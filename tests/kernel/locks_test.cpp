// All kinds of locks that are registered (locks): no two are inside at once, everybody has his turn, two
// locks may be held at once; and the one-sided operations are those that the kind promises. On 1, 2 and 4 made-up
// nodes.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <source_location>
#include <span>
#include <string_view>

#include "arch/machine.hpp"
#include "base/inject.hpp"
#include "base/lock.hpp"
#include "bench/workload/random.hpp"
#include "kernel/clock.hpp"
#include "kernel/sync/adaptive/dynamic_lock.hpp"
#include "kernel/testing.hpp"
#include "locks/ahmcs_lock.hpp"
#include "locks/clh_lock.hpp"
#include "locks/cohort_lock.hpp"
#include "locks/delegation_lock.hpp"
#include "locks/fabric/emulated.hpp"
#include "locks/fabric/stored_topology.hpp"
#include "locks/hemlock.hpp"
#include "locks/hmcs_lock.hpp"
#include "locks/lock_kind.hpp"
#include "locks/mcs_lock.hpp"
#include "locks/tas_lock.hpp"
#include "locks/ticket_lock.hpp"
#include "tasks/run_on.hpp"
#include "tasks/threads/thread.hpp"
#include "tasks/workers.hpp"
#include "tests/delays.hpp"
#include "tests/kernel/all_cores.hpp"
#include "tests/kernel/lock_visitors.hpp"
#include "tests/kernel/made_lock.hpp"
#include "tests/kernel/made_up_nodes.hpp"
#include "tests/kernel/thread_group.hpp"
#include "tests/model/fabric_records.hpp"

namespace mxk {
namespace {

using locks::Emulated;
using locks::LockForm;
using locks::LockKind;
using locks::OneSidedCounts;

constexpr std::size_t region_bytes = 64 * KiB;

// What users of two locks of a kind do: a section under the first one, now and then with one under the second in it, or
// under the second alone.
class LockGate {
  public:
    LockGate(LockForm const& form, void const* site, std::size_t users)
        : outer_(form, site, users)
        , inner_(form, site, users) {}

    [[nodiscard]] bool is_there() const { return outer_.is_there() && inner_.is_there(); }
    void section(std::size_t user, bench::Random& random) {
        std::uint64_t const which = random.below(8);
        if (which != 0) {
            outer_.lock(user);
            outer_counter_.visit();
            if (which == 1) inner_section(user);
            outer_.unlock(user);
        } else {
            inner_section(user);
        }
        inner_sections_.fetch_add(which <= 1 ? 1 : 0, std::memory_order_relaxed);
        outer_sections_.fetch_add(which != 0 ? 1 : 0, std::memory_order_relaxed);
    }
    // When all have ended.
    [[nodiscard]] bool is_exact() const {
        return outer_counter_.count() == outer_sections_.load(std::memory_order_relaxed) &&
               inner_counter_.count() == inner_sections_.load(std::memory_order_relaxed) &&
               outer_counter_.overlaps() == 0 && inner_counter_.overlaps() == 0;
    }
    // Each section under the first lock is counted as one that found it free or waited.
    [[nodiscard]] bool has_counted_all(std::size_t users) const {
        locks::LockCounts counts;
        for (std::size_t user = 0; user < users; ++user) counts += outer_.counts(user);
        return counts.immediate + counts.delayed == outer_sections_.load(std::memory_order_relaxed);
    }

  private:
    void inner_section(std::size_t user) {
        inner_.lock(user);
        inner_counter_.visit();
        inner_.unlock(user);
    }

    MadeLock outer_;
    MadeLock inner_;
    VisitCounter<true> outer_counter_;
    VisitCounter<true> inner_counter_;
    std::atomic<std::uint64_t> outer_sections_{0};
    std::atomic<std::uint64_t> inner_sections_{0};
};

// A task on each core. Whether all was as it should be.
bool pass_by_tasks(LockGate& gate, std::span<CoreId const> cores, std::uint64_t sections) {
    struct User {
        bench::Random random;
        std::uint64_t left;
    };
    auto users = NodeVector<User>::create(cores.size(), Worker::current().node());
    if (!users || !gate.is_there()) return false;
    for (std::size_t i = 0; i < cores.size(); ++i)
        users.value().emplace(User{bench::Random(inner_tests::seed() * 1000 + i), sections});
    bool const has_run = run_on(cores, [&](Worker&, std::size_t place) {
        User& user = users.value()[place];
        for (int i = 0; i < 16 && user.left != 0; ++i, --user.left) gate.section(place, user.random);
        return user.left == 0 ? Step::Done : Step::Again;
    });
    return has_run && gate.is_exact();
}

// Two threads on each core: on Linux there are more waiters than cores then.
bool pass_by_threads(LockGate& gate, std::uint64_t sections) {
    struct Body {
        LockGate& gate;
        std::size_t user;
        std::uint64_t sections;
        void operator()() {
            bench::Random random(inner_tests::seed() * 1000 + user);
            for (std::uint64_t i = 0; i < sections; ++i) gate.section(user, random);
        }
    };
    std::size_t const threads = 2 * workers::count();
    auto bodies = NodeVector<Body>::create(threads, Worker::current().node());
    if (!bodies || !gate.is_there()) return false;
    ThreadGroup group(threads);
    for (std::size_t i = 0; i < threads; ++i)
        group.start({.core = core_id(i % workers::count()), .name = "lock user", .slice = Nanoseconds{200'000}},
                    bodies.value().emplace(Body{gate, i, sections}));
    group.join();
    return gate.is_exact();
}

void report(LockKind const& kind, std::string_view form, std::size_t nodes) {
    FixedText<160> text;
    format(text, "{} ({}) on {} nodes lets two in, or loses one", kind.name, form, nodes);
    inner_tests::fail_check(text.view(), std::source_location::current());
}

// Of each user, for each kind and fabric, and each number of nodes where that is something to the kind.
void check_all_kinds(std::uint64_t sections) {
    auto const cores = all_cores();
    InjectDelays const delays;
    for (std::size_t const nodes : {std::size_t{1}, std::size_t{2}, std::size_t{4}}) {
        if (nodes > cores.size()) break;
        MadeUpNodes made(cores.span(), nodes, region_bytes);
        MXK_REQUIRE(made.is_there());
        bool has_failed = false;
        locks::SmpSite const site(made.topology(), has_failed);
        locks::OneSided::Site const emulated_site(made.emulated());
        for (LockKind const* const kind : locks::registered_lock_kinds()) {
            if (kind->forms.smp.is_there() && (nodes == 1 || kind->has_nodes)) {
                {
                    LockGate gate(kind->forms.smp, &site, cores.size());
                    MXK_REQUIRE(!has_failed);
                    if (!pass_by_tasks(gate, cores.span(), sections)) report(*kind, "tasks", nodes);
                }
                LockGate gate(kind->forms.smp, &site, 2 * cores.size());
                MXK_REQUIRE(!has_failed);
                if (!pass_by_threads(gate, sections / 2)) report(*kind, "threads", nodes);
            }
            if (nodes == 2 && kind->forms.counting.is_there()) {
                LockGate gate(kind->forms.counting, &site, cores.size());
                MXK_REQUIRE(gate.is_there() && !has_failed);
                if (!pass_by_tasks(gate, cores.span(), sections)) report(*kind, "counting", nodes);
                MXK_CHECK(gate.has_counted_all(cores.size()));
            }
            if (kind->forms.emulated.is_there() && (nodes == 1 || !kind->of_one_node)) {
                made.emulated().forget_locks();
                LockGate gate(kind->forms.emulated, &emulated_site, cores.size());
                MXK_REQUIRE(!made.emulated().has_failed());
                if (!pass_by_tasks(gate, cores.span(), sections)) report(*kind, "one-sided", nodes);
            }
        }
    }
}

// Of each user.
std::uint64_t short_sections() {
    bool const is_crowded = inject::enabled || Worker::current().polling_time() == Nanoseconds{0};
    std::uint64_t const all = arch::describe_machine().is_emulated() ? 80 : is_crowded ? 320 : 4'000;
    return std::max<std::uint64_t>(all / workers::count(), 8);
}
MXK_TEST(locks, all_kinds_exclude_and_let_everybody_in) {
    check_all_kinds(short_sections());
}
MXK_LONG_TEST(locks, all_kinds_exclude_and_let_everybody_in_long) {
    check_all_kinds(200'000);
}

// Half of the users wait for no more than a few turns: the others, and they themselves later, have the lock all the
// same, and each try is counted once if it has it.
MXK_TEST(locks, waiters_give_up_at_any_moment) {
    auto const cores = all_cores();
    InjectDelays const delays;
    std::uint64_t const sections = short_sections();
    std::size_t kinds = 0;
    for (std::size_t const nodes : {std::size_t{1}, std::size_t{2}}) {
        if (nodes > cores.size()) break;
        MadeUpNodes made(cores.span(), nodes, region_bytes);
        MXK_REQUIRE(made.is_there());
        bool has_failed = false;
        locks::SmpSite const site(made.topology(), has_failed);
        for (LockKind const* const kind : locks::registered_lock_kinds()) {
            if (kind->forms.counting.lock_unless == nullptr) continue;
            kinds += nodes == 1 ? 1 : 0;
            MadeLock lock(kind->forms.counting, &site, cores.size() + 1);
            MXK_REQUIRE(lock.is_there() && !has_failed);
            std::size_t const another = cores.size(); // of this core
            lock.lock(another);
            bool const gives_up = !lock.lock_unless(
                0, [](void*) { return true; }, nullptr);
            lock.unlock(another);
            VisitCounter<true> counter;
            std::atomic<std::uint64_t> had{0};
            MXK_CHECK(run_on(cores.span(), [&](Worker&, std::size_t user) {
                bench::Random random(inner_tests::seed() + user);
                for (std::uint64_t i = 0; i < sections; ++i) {
                    std::uint64_t turns = user % 2 == 0 ? ~std::uint64_t{0} : random.below(3);
                    auto const is_over = [](void* left) { return (*static_cast<std::uint64_t*>(left))-- == 0; };
                    if (!lock.lock_unless(user, is_over, &turns)) continue;
                    counter.visit();
                    lock.unlock(user);
                    had.fetch_add(1, std::memory_order_relaxed);
                }
                return Step::Done;
            }));
            locks::LockCounts counts;
            for (std::size_t user = 0; user < cores.size(); ++user) counts += lock.counts(user);
            bool const is_right = gives_up && counter.count() == had.load() && counter.overlaps() == 0 &&
                                  had.load() >= sections && counts.immediate + counts.delayed == had.load();
            if (!is_right) report(*kind, "giving up", nodes);
        }
    }
    MXK_CHECK(kinds >= 15);
}

// What locks of the kernel stand beneath (base/lock.hpp): a guard, and a dynamic lock that is enabled.
template <typename LockType, typename... Arguments>
void check_lock_of_kernel(std::span<CoreId const> cores, std::uint64_t sections, bool const& has_failed,
                          Arguments const&... arguments) {
    static_assert(Lock<LockType>);
    LockType lock(arguments...);
    DynamicLock<LockType> dynamic(arguments...);
    MXK_REQUIRE(!has_failed);
    VisitCounter<true> counter;
    VisitCounter<true> dynamic_counter;
    MXK_CHECK(run_on(cores, [&](Worker&, std::size_t) {
        for (std::uint64_t i = 0; i < sections; ++i) {
            {
                LockGuard const guard(lock);
                counter.visit();
            }
            LockGuard const guard(dynamic);
            dynamic_counter.visit();
        }
        return Step::Done;
    }));
    MXK_CHECK_EQUAL(counter.count(), sections * cores.size());
    MXK_CHECK_EQUAL(dynamic_counter.count(), sections * cores.size());
    MXK_CHECK_EQUAL(counter.overlaps() + dynamic_counter.overlaps(), 0U);
}

template <typename F> using McsOf = locks::Mcs<F>;
MXK_TEST(locks, algorithms_are_locks_of_the_kernel) {
    using locks::KernelLock;
    using locks::Smp;
    auto const cores = all_cores();
    auto const topology = locks::StoredTopology::of_machine();
    MXK_REQUIRE(topology.ok());
    bool has_failed = false;
    auto const view = topology.value().view();
    locks::SmpSite const site(view, has_failed);
    std::uint64_t const sections = short_sections();
    check_lock_of_kernel<McsLock>(cores.span(), sections, has_failed);
    check_lock_of_kernel<KernelLock<locks::Tas<Smp>>>(cores.span(), sections, has_failed);
    check_lock_of_kernel<KernelLock<locks::Ticket<Smp>>>(cores.span(), sections, has_failed);
    check_lock_of_kernel<KernelLock<locks::Clh<Smp>>>(cores.span(), sections, has_failed);
    check_lock_of_kernel<KernelLock<locks::Hemlock<Smp>>>(cores.span(), sections, has_failed);
    check_lock_of_kernel<KernelLock<locks::Cohort<Smp, McsOf, McsOf>>>(cores.span(), sections, has_failed, site);
}

// Sections that another core executes give what they would give under a lock.
MXK_TEST(locks, delegated_sections_are_executed_once_and_alone) {
    auto const cores = all_cores();
    InjectDelays const delays;
    locks::DelegationLock lock;
    VisitCounter<true> counter;
    std::uint64_t sum = 0; // of numbers that each user knows
    std::uint64_t const sections = 10 * short_sections();
    std::atomic<std::uint64_t> expected{0};
    MXK_CHECK(run_on(cores, [&](Worker&, std::size_t place) {
        bench::Random random(inner_tests::seed() + place);
        for (std::uint64_t i = 0; i < sections; ++i) {
            std::uint64_t const number = random.below(1000);
            std::uint64_t own = 0; // what the section leaves to its user
            auto section = [&] {
                counter.visit();
                sum += number;
                ++own;
            };
            lock.run(section);
            MXK_CHECK_EQUAL(own, 1U);
            expected.fetch_add(number, std::memory_order_relaxed);
        }
        return Step::Done;
    }));
    MXK_CHECK_EQUAL(counter.count(), sections * cores.size());
    MXK_CHECK_EQUAL(counter.overlaps(), 0U);
    MXK_CHECK_EQUAL(sum, expected.load(std::memory_order_relaxed));
}

// Two workers of made-up nodes with a lock whose operations are counted. Worker 0 has the lock's home.
class CountedUse {
  public:
    CountedUse(LockKind const& kind, Emulated& emulated, CoreId first, CoreId second)
        : kind_(kind)
        , emulated_(emulated)
        , cores_{first, second}
        , site_(emulated)
        , lock_(kind.forms.emulated, &site_, 2) {}

    // Each alone; then the second one waits for the first.
    void check() {
        MXK_REQUIRE(lock_.is_there() && !emulated_.has_failed());
        run_on(std::span(cores_).first(1), [&](Worker&, std::size_t) {
            expect_counts("acquire", kind_.operations.acquire, cores_[0], [&] { lock_.lock(0); });
            expect_counts("release", kind_.operations.release, cores_[0], [&] { lock_.unlock(0); });
            return Step::Done;
        });
        if (!kind_.operations.join) return;
        std::atomic<bool> is_held{false};
        run_on(cores_, [&](Worker&, std::size_t place) {
            if (place == 0) {
                OneSidedCounts const before = emulated_.counts_of(worker(1));
                lock_.lock(0);
                is_held.store(true, std::memory_order_release);
                // The second one has joined when it has done what it has to.
                OneSidedCounts joined = before;
                joined += *kind_.operations.join;
                Cycles const deadline = clock::timestamp() + clock::to_cycles(Nanoseconds{10'000'000'000});
                for (SpinWait wait; emulated_.counts_of(worker(1)) != joined && clock::timestamp() < deadline;)
                    wait.turn();
                expect_counts("hand over", kind_.operations.hand_over, cores_[0], [&] { lock_.unlock(0); });
            } else {
                for (SpinWait wait; !is_held.load(std::memory_order_acquire);) wait.turn();
                expect_counts("join", kind_.operations.join, cores_[1], [&] { lock_.lock(1); });
                lock_.unlock(1);
            }
            return Step::Done;
        });
    }

  private:
    [[nodiscard]] locks::WorkerNumber worker(std::size_t place) const {
        return static_cast<locks::WorkerNumber>(index(cores_[place]));
    }
    template <typename Operation>
    void expect_counts(std::string_view what, std::optional<OneSidedCounts> const& expected, CoreId core,
                       Operation operation) {
        auto const worker = static_cast<locks::WorkerNumber>(index(core));
        OneSidedCounts counts = emulated_.counts_of(worker);
        if (expected) counts += *expected;
        operation();
        OneSidedCounts const now = emulated_.counts_of(worker);
        if (!expected || now == counts) return;
        FixedText<240> text;
        format(text, "{}, {}: {} more at the home, {} on other nodes, {} on its own, {} messages than promised",
               kind_.name, what, static_cast<std::int64_t>(now.home - counts.home),
               static_cast<std::int64_t>(now.others - counts.others), static_cast<std::int64_t>(now.near - counts.near),
               static_cast<std::int64_t>(now.messages - counts.messages));
        inner_tests::fail_check(text.view(), std::source_location::current());
    }

    LockKind const& kind_;
    Emulated& emulated_;
    std::array<CoreId, 2> cores_;
    locks::OneSided::Site site_;
    MadeLock lock_;
};

// A lock that one core uses alone is had at once, each time, and counts that.
MXK_TEST(locks, nobody_waits_for_a_lock_that_is_free) {
    constexpr std::size_t sections = 20;
    std::size_t counted = 0;
    locks::StoredTopology const topology = MXK_REQUIRE_VALUE(locks::StoredTopology::of_machine());
    locks::LockTopology const view = topology.view();
    bool has_failed = false;
    locks::SmpSite const site(view, has_failed);
    for (LockKind const* const kind : locks::registered_lock_kinds()) {
        if (!kind->forms.counting.is_there()) continue;
        MadeLock lock(kind->forms.counting, &site, 1);
        MXK_CHECK(!has_failed);
        if (!lock.is_there() || has_failed) return;
        for (std::size_t i = 0; i < sections; ++i) {
            lock.lock(0);
            lock.unlock(0);
        }
        MXK_CHECK_EQUAL(lock.counts(0).delayed, 0);
        MXK_CHECK_EQUAL(lock.counts(0).immediate, sections);
        ++counted;
    }
    MXK_CHECK(counted > 30);
}

MXK_TEST(locks, one_sided_operations_are_those_that_are_promised) {
    auto const cores = all_cores();
    if (cores.size() < 4) MXK_SKIP("needs four cores, two for each made-up node");
    MadeUpNodes of_one(cores.span(), 1, region_bytes);
    MadeUpNodes of_two(cores.span(), 2, region_bytes);
    MXK_REQUIRE(of_one.is_there() && of_two.is_there());
    for (LockKind const* const kind : locks::registered_lock_kinds()) {
        if (!kind->forms.emulated.is_there()) continue;
        MXK_CHECK(kind->operations.acquire.has_value());
        Emulated& emulated = (kind->of_one_node ? of_one : of_two).emulated();
        emulated.forget_locks();
        CountedUse(*kind, emulated, last_core(), core_id(1)).check();
    }
}

// What a pass of a cohort's lock within a node takes, by where passes are counted. More passes than sections are
// allowed, so that each release with a waiter stays in the node.
MXK_TEST(locks, passes_within_a_node_take_what_their_count_takes) {
    auto const cores = all_cores();
    if (cores.size() < 4) MXK_SKIP("needs four cores, two for each made-up node");
    MadeUpNodes made(cores.span(), 2, region_bytes);
    MXK_REQUIRE(made.is_there());
    struct Placement {
        std::string_view kind;
        OneSidedCounts of_pass;
        OneSidedCounts of_change; // of the upper lock, from release to release
    };
    constexpr std::array placements{
        Placement{"c-mcs-mcs-home", {.home = 1}, {.home = 3}},
        Placement{"c-mcs-mcs-node", {.near = 1}, {.home = 2, .near = 1}},
        Placement{"c-mcs-mcs-plain", {}, {.home = 2}},
        Placement{"c-mcs-mcs", {}, {.home = 2}},
    };
    std::array const users{core_id(cores.size() - 2), last_core()}; // of node 1
    constexpr std::uint64_t sections = 100;
    for (Placement const& placement : placements) {
        for (LockKind const* const kind : locks::registered_lock_kinds()) {
            if (kind->name != placement.kind) continue;
            made.emulated().forget_locks();
            locks::OneSided::Site site(made.emulated());
            site.set_max_passes(locks::max_passes);
            MadeLock lock(kind->forms.emulated, &site, users.size());
            MXK_REQUIRE(lock.is_there() && !made.emulated().has_failed());
            auto const count_all = [&] {
                OneSidedCounts all;
                for (CoreId const core : users)
                    all += made.emulated().counts_of(static_cast<locks::WorkerNumber>(index(core)));
                return all;
            };
            OneSidedCounts expected = count_all();
            MXK_CHECK(run_on(users, [&](Worker&, std::size_t place) {
                for (std::uint64_t i = 0; i < sections; ++i) {
                    lock.lock(place);
                    RandomDelay::point(); // so that the other one has time to wait
                    lock.unlock(place);
                }
                return Step::Done;
            }));
            locks::LockCounts releases = lock.counts(0);
            releases += lock.counts(1);
            MXK_CHECK_EQUAL(releases.local_releases + releases.global_releases, sections * users.size());
            for (std::uint64_t i = 0; i < releases.local_releases; ++i) expected += placement.of_pass;
            for (std::uint64_t i = 0; i < releases.global_releases; ++i) expected += placement.of_change;
            MXK_CHECK(count_all() == expected);
        }
    }
}

// One memory that counts the waiters which have joined a queue.
struct JoinedSmp : locks::CountingSmp {
    using Near = JoinedSmp;
    class Wait : public SpinWait {
      public:
        // After the waiter has told the one before.
        template <typename Part> explicit Wait(Part const& /*part*/) { joined.fetch_add(1, std::memory_order_release); }
    };
    static bool await(std::uint64_t joins) {
        Cycles const deadline = clock::timestamp() + clock::to_cycles(Nanoseconds{10'000'000'000});
        SpinWait wait;
        while (joined.load(std::memory_order_acquire) != joins) {
            if (clock::timestamp() > deadline) return false;
            wait.turn();
        }
        return true;
    }
    static inline std::atomic<std::uint64_t> joined{0};
};

// Each holder waits until all others are queued again: a cache passes the lock on as often as it may, and then the
// node does. One node of two caches, two workers in each.
template <typename Lock> void check_shares(locks::MaxPasses max) {
    using Node = typename locks::KernelLock<Lock>::Node;
    auto const cores = all_cores();
    if (cores.size() < 4) MXK_SKIP("needs four cores, two for each made-up cache");
    auto const used = cores.span().first(4);
    auto const topology = locks::StoredTopology::made_up(used, 1);
    MXK_REQUIRE(topology.ok());
    auto const view = topology.value().view();
    bool has_failed = false;
    locks::SmpSite site(view, has_failed);
    site.set_max_passes(max);
    locks::KernelLock<Lock> lock(site);
    MXK_REQUIRE(!has_failed);
    std::uint64_t const of_cache = max.in_cache + 1;
    std::uint64_t const of_node = of_cache * (max.in_node + 1);
    std::uint64_t const sections = 8 * of_node;
    std::uint64_t begun = 0;
    std::array<locks::LockCounts, 4> counts{};
    JoinedSmp::joined.store(0);
    MXK_CHECK(run_on(used, [&](Worker&, std::size_t user) {
        Node node;
        for (bool is_counted = true; is_counted;) {
            lock.lock(node);
            std::uint64_t const section = begun++;
            is_counted = section < sections;
            // The releaser before has joined again, and the next one of its cache the node's queue, if it left that.
            if (is_counted && !JoinedSmp::await(3 + section + section / of_cache)) {
                MXK_CHECK(false);
                is_counted = false;
            }
            if (!is_counted) counts[user] = node.count.counts;
            lock.unlock(node);
        }
        return Step::Done;
    }));
    locks::LockCounts all;
    for (locks::LockCounts const& of_user : counts) all += of_user;
    MXK_CHECK_EQUAL(all.local_releases + all.global_releases, sections);
    MXK_CHECK_EQUAL(all.cache_releases, sections / of_cache * max.in_cache);
    MXK_CHECK_EQUAL(all.local_releases - all.cache_releases, sections / of_node * max.in_node);
}
MXK_TEST(locks, caches_and_nodes_keep_a_wanted_lock_as_often_as_they_may) {
    check_shares<locks::Hmcs<JoinedSmp>>({2, 3});
    check_shares<locks::Hmcs<JoinedSmp>>({5, 1});
}

// Four users come one after the other while the first has the lock, each to enter at that level. Where each enters the
// next time.
std::array<locks::Level, 4> levels_after(locks::Level level) {
    using Lock = locks::Ahmcs<JoinedSmp>;
    std::array<locks::Level, 4> levels{};
    auto const cores = all_cores();
    auto const used = cores.span().first(levels.size());
    auto const topology = locks::StoredTopology::made_up(used, 1);
    MXK_CHECK(topology.ok());
    if (!topology) return levels;
    auto const view = topology.value().view();
    bool has_failed = false;
    locks::KernelLock<Lock> lock{locks::SmpSite(view, has_failed)};
    MXK_CHECK(!has_failed);
    if (has_failed) return levels;
    JoinedSmp::joined.store(0);
    std::atomic<bool> is_held{false};
    MXK_CHECK(run_on(used, [&](Worker&, std::size_t user) {
        Lock::Node node;
        node.level = level;
        SpinWait wait;
        while (user != 0 && !is_held.load(std::memory_order_acquire)) wait.turn();
        if (user != 0) MXK_CHECK(JoinedSmp::await(user - 1));
        lock.lock(node);
        is_held.store(true, std::memory_order_release);
        if (user == 0) MXK_CHECK(JoinedSmp::await(used.size() - 1));
        lock.unlock(node);
        levels[user] = node.level;
        return Step::Done;
    }));
    return levels;
}
// Of one user alone; operations on others' words are counted.
struct CountedSmp : test::FabricRecords<CountedSmp> {
    using Near = CountedSmp;
    using Count = locks::NoCounts;
    using Site = locks::SmpSite;
    using Wait = locks::Smp::Wait;
    static constexpr bool is_one_memory = true;
    template <typename V> using Plain = V;
    template <typename Record> using Ref = Record*;
    template <typename T> using PerGroup = locks::PerGroup<CountedSmp, T>;
    template <typename V> struct Word : AtomicWord<V> {
        using Base = AtomicWord<V>;
        using Base::Base;
        V swap(V value, std::memory_order order) { return ++operations, Base::swap(value, order); }
        V cas(V expected, V desired, std::memory_order order) {
            return ++operations, Base::cas(expected, desired, order);
        }
        [[nodiscard]] V read(std::memory_order order) const { return ++operations, Base::read(order); }
        void put(V value, std::memory_order order) { ++operations, Base::put(value, order); }
    };
    static locks::WorkerNumber self() { return locks::Smp::self(); }
    static void fail(char const* /*what*/) { panic("a lock uses a record that is nowhere"); }
    static inline std::uint64_t operations = 0;
};
template <typename Lock> std::uint64_t operations_of_section(Lock& lock, typename Lock::Node& node) {
    CountedSmp::operations = 0;
    lock.acquire(node);
    lock.release(node);
    return CountedSmp::operations;
}

// One level nearer to the cache where another one was before and one behind; to the machine where nobody was: a lock
// that is free takes what MCS takes then.
MXK_TEST(locks, users_of_ahmcs_enter_where_there_are_others) {
    using locks::Level;
    auto const topology = locks::StoredTopology::of_machine();
    MXK_REQUIRE(topology.ok());
    auto const view = topology.value().view();
    bool has_failed = false;
    locks::SmpSite const site(view, has_failed);
    locks::Ahmcs<CountedSmp> lock(site);
    locks::Mcs<CountedSmp> mcs(site);
    MXK_REQUIRE(!has_failed);
    locks::Ahmcs<CountedSmp>::Node node;
    locks::Mcs<CountedSmp>::Node of_mcs;
    arch::hold_core();
    std::uint64_t const by_mcs = operations_of_section(mcs, of_mcs);
    for (Level const next : {Level::Node, Level::Machine, Level::Machine}) {
        bool const is_new = node.level != Level::Machine;
        std::uint64_t const operations = operations_of_section(lock, node);
        MXK_CHECK_EQUAL(operations, by_mcs + (is_new ? 2U : 0U)); // two looks
        MXK_CHECK(node.level == next && node.entered == Level::Machine);
    }
    arch::release_core();
    if (workers::count() < 4) MXK_SKIP("needs four cores for a crowd");
    constexpr Level machine = Level::Machine;
    MXK_CHECK((levels_after(machine) == std::array{machine, Level::Node, Level::Node, machine}));
    // The first takes the machine's lock, the second acquires the node's.
    MXK_CHECK((levels_after(Level::Node) == std::array{Level::Node, Level::Node, Level::Cache, Level::Node}));
}

} // namespace
} // namespace mxk
