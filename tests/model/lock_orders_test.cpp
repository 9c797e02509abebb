// The orders of the locks, docs/locks-orders.md: in all executions that the memory model of C++ allows, sections of
// some threads follow each other, no record is used by two at a time, nobody waits for ever, and nodes and caches pass
// the lock on as often as they may. If one order, one store or one count in the lock's source is left out or wrong, or
// one condition is none, that is noticed; what is not is named here, and why it is there.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "locks/abortable_mcs_lock.hpp"
#include "locks/ahmcs_lock.hpp"
#include "locks/clh_lock.hpp"
#include "locks/clh_numa_lock.hpp"
#include "locks/cohort_lock.hpp"
#include "locks/d_mcs_lock.hpp"
#include "locks/hemlock.hpp"
#include "locks/hmcs_lock.hpp"
#include "locks/mcs_lock.hpp"
#include "locks/rma_mcs_lock.hpp"
#include "locks/tas_lock.hpp"
#include "locks/ticket_lock.hpp"
#include "locks/tts_lock.hpp"
#include "tests/model/lock_program.hpp"
#include "tests/unit/long_tests.hpp"

namespace mxk::test::orders {
namespace {

using namespace locks;
using M = Modelled;

using Uses = std::vector<LockUse>;
constexpr std::size_t max_executions = 200'000;
constexpr std::size_t max_if_long = 5'000'000; // as many as there is time for

Uses of_one_node() {
    return {{.sections = {2, 2}},
            {.sections = {2, 2}, .keeps_nodes = true},
            {.sections = {1, 1, 1}},
            {.sections = {2, 2}, .locks = 2},
            {.sections = {1, 1}, .turns = 1},
            {.sections = {1, 1, 1}, .turns = 1},
            {.sections = {2, 1, 1}, .keeps_nodes = true},
            {.sections = {2, 2, 1}, .locks = 2}};
}
// `turns`: of two threads that wait; of three it would be a great many executions.
Uses of_nodes(std::size_t turns) {
    return {{.sections = {2, 2}, .on_each_node = 2, .turns = turns},
            {.sections = {2, 2}, .on_each_node = 2, .max_passes = 2, .turns = turns, .keeps_nodes = true},
            {.sections = {2, 2}, .on_each_node = 1, .keeps_nodes = true},
            {.sections = {1, 1, 1}, .on_each_node = 2},
            {.sections = {1, 1, 1}, .on_each_node = 1, .turns = turns},
            {.sections = {1, 1, 2}, .on_each_node = 2, .keeps_nodes = true}};
}
// Waiters that may give up at any turn, and those behind them.
Uses of_givers(Uses uses) {
    uses.push_back({.sections = {1, 1}, .give_up = {1}});
    uses.push_back({.sections = {1, 1}, .give_up = {1}, .patience = 1});
    uses.push_back({.sections = {2, 2}, .give_up = {1}});
    uses.push_back({.sections = {1, 1, 1}, .give_up = {1}});
    uses.push_back({.sections = {1, 1, 1}, .give_up = {1, 2}});
    uses.push_back({.sections = {2, 1, 1}, .keeps_nodes = true, .give_up = {0}});
    return uses;
}
Uses of_givers_on_nodes(std::size_t turns) {
    Uses uses = of_nodes(turns);
    for (std::size_t const on_each_node : {std::size_t{1}, std::size_t{2}, std::size_t{3}}) {
        uses.push_back({.sections = {1, 1, 1}, .on_each_node = on_each_node, .give_up = {1}});
        uses.push_back({.sections = {1, 1, 1}, .on_each_node = on_each_node, .give_up = {1, 2}});
    }
    uses.push_back({.sections = {1, 1}, .on_each_node = 2, .give_up = {1}, .patience = 1});
    uses.push_back({.sections = {2, 1}, .on_each_node = 2, .keeps_nodes = true, .give_up = {0}});
    uses.push_back({.sections = {1, 1, 2}, .on_each_node = 2, .turns = turns, .keeps_nodes = true, .give_up = {1}});
    uses.push_back({.sections = {2, 1, 1}, .on_each_node = 2, .turns = turns, .keeps_nodes = true, .give_up = {0}});
    return uses;
}
// Minutes for some locks.
Uses long_uses(bool has_nodes) {
    if (!has_nodes) return {{.sections = {2, 2, 2}}, {.sections = {2, 2, 2}, .locks = 2}, {.sections = {1, 1, 1, 1}}};
    return {{.sections = {2, 2, 2}, .on_each_node = 2}, {.sections = {1, 1, 1, 1}, .on_each_node = 2}};
}

using Names = std::set<std::string>;
// What is not noticed, since it only takes longer: a releaser that knows of the next one tries to empty the queue, in
// vain; one that sees another in the tail tries, too; waiters do not look before they try, or say each time that they
// wait.
Names const slower_mcs{"mcs, is_last() condition: always", "mcs, release() condition 1: always",
                       "mcs, release() condition 2: always"};
Names const slower_d_mcs{"d_mcs, release() condition 1: always"};
Names const slower_tts{"tts, acquire() condition 2: never", "tts, try_acquire() condition 1: never",
                       "tts, try_acquire() condition 3: always", "tts, try_acquire() condition 3: never"};
Names const slower_tas{"tas, try_acquire() condition 1: never"};
Names const slower_node_tts{"tts, acquire() condition 2: never", "tts, say_that_others_wait() condition: always"};
// And what is only counted.
Names const slower_rma_mcs{"rma_mcs, acquire() condition 1: always", "rma_mcs, acquire() condition 1: never",
                           "rma_mcs, release() condition 4: always",
                           "rma_mcs, release_upper_lock() condition 1: always"};
Names const slower_abortable{"abortable_mcs, acquire_unless() condition 4: always",
                             "abortable_mcs, acquire_unless() condition 4: never",
                             "abortable_mcs, release() condition 2: always"};
// Whether there is somebody to pass to is found out when it is tried; the rest is counted.
Names const hints_of_cohorts{"abortable_mcs, alone() condition: never", "cohort, release() condition 1: always",
                             "cohort, acquire_unless() condition 3: always",
                             "cohort, acquire_unless() condition 3: never"};
// The machine's lock is taken past the one that has just come to a lower one. And what Hmcs notices: here it would take
// three sections of a thread and two of another one.
Names const hints_of_levels{"ahmcs, are_free() condition 1: always", "ahmcs, are_free() condition 3: always",
                            "mcs of a node, enter() store 1: left out"};
Names operator+(Names a, Names const& b) {
    a.insert(b.begin(), b.end());
    return a;
}

class LockOrders {
  public:
    LockOrders(ModelledLock const& lock, Uses uses)
        : lock_(lock)
        , uses_(std::move(uses)) {}

    // `unnoticed`: names of mutants.
    void check(Names const& unnoticed) {
        Places::forget();
        for (LockUse const& use : uses_) {
            LockExploration explored = tried(use, max_executions);
            EXPECT_TRUE(explored.is_complete) << explored.executions;
            known_.push_back({use, explored.executions, std::move(explored.outcomes)});
        }
        // What costs less is tried first.
        std::ranges::stable_sort(known_, {}, &Known::executions);
        std::set<std::string> unnoticed_now;
        std::vector<Mutant> const mutants = Places::mutants();
        for (Mutant const& mutant : mutants) {
            Places::set(&mutant);
            SCOPED_TRACE(Places::name(mutant));
            if (!is_noticed()) unnoticed_now.insert(Places::name(mutant));
            Places::set(nullptr);
        }
        EXPECT_EQ(unnoticed_now, unnoticed);
        if (tests_are_long())
            for (LockUse const& use : long_uses(uses_.front().on_each_node < max_model_threads))
                tried(use, max_if_long);
        ::testing::Test::RecordProperty("executions", static_cast<int>(executions_));
        ::testing::Test::RecordProperty("mutants", static_cast<int>(mutants.size()));
        auto const conditions = std::ranges::count_if(mutants, &Mutant::is_condition);
        ::testing::Test::RecordProperty("conditions", static_cast<int>(conditions));
    }
    // A lock that is told that it may be passed on once more than it may.
    void check_passes() {
        bool is_noticed = false;
        for (LockUse const& use : uses_) {
            if (!use.give_up.empty()) continue;
            LockUse more = use;
            more.sections = {2, 2, 1};
            more.on_each_node = 3;
            if (is_noticed) break;
            auto const found = explore(lock_, more, max_executions, static_cast<Handed>(use.max_passes + 1));
            is_noticed = !found.error.empty();
        }
        EXPECT_TRUE(is_noticed);
    }

  private:
    LockExploration tried(LockUse const& use, std::size_t max) {
        LockExploration explored = explore(lock_, use, max, use.max_passes);
        EXPECT_EQ(explored.error, "") << explored.trace;
        executions_ += explored.executions;
        return explored;
    }
    // By an error, or because sections follow each other in ways that the lock does not know, or not in all it knows.
    bool is_noticed() {
        for (auto const& [use, executions, outcomes] : known_) {
            LockExploration const explored = explore(lock_, use, max_executions, use.max_passes, &outcomes);
            if (!explored.error.empty()) return true;
            EXPECT_TRUE(explored.is_complete) << executions << " executions without a mutant";
            if (explored.outcomes != outcomes) return true;
        }
        return false;
    }

    struct Known {
        LockUse use;
        std::size_t executions;
        std::set<Outcome> outcomes;
    };

    ModelledLock const& lock_;
    Uses uses_;
    std::vector<Known> known_;
    std::size_t executions_ = 0;
};

template <typename Lock> void check_flat(Names const& unnoticed = {}) {
    static constexpr ModelledLock lock = modelled_lock<Lock>();
    LockOrders(lock, lock.acquire_unless != nullptr ? of_givers(of_one_node()) : of_one_node()).check(unnoticed);
}
template <typename Lock> void check_tree(Names const& unnoticed = {}, std::size_t turns = 0) {
    static constexpr ModelledLock lock = modelled_lock<Lock>();
    LockOrders orders(lock, lock.acquire_unless != nullptr ? of_givers_on_nodes(turns) : of_nodes(turns));
    orders.check(unnoticed);
    if (lock.passes != nullptr) orders.check_passes();
}

TEST(LockOrders, Mcs) {
    check_flat<Mcs<M>>(slower_mcs);
}
TEST(LockOrders, AbortableMcs) {
    check_flat<AbortableMcs<M>>(slower_abortable + Names{"abortable_mcs, acquire_unless() condition 2: never"});
}
TEST(LockOrders, DMcs) {
    check_flat<DMcs<M, DMcsStep::Published>>(slower_d_mcs);
}
TEST(LockOrders, Clh) {
    check_flat<Clh<M>>();
}
TEST(LockOrders, ClhNuma) {
    check_flat<ClhNuma<M>>();
}
TEST(LockOrders, Hemlock) {
    check_flat<Hemlock<M>>();
}
TEST(LockOrders, HemlockWritesToLook) {
    check_flat<Hemlock<M, {.writes_to_look = true}>>();
}
TEST(LockOrders, HemlockOverlaps) {
    check_flat<Hemlock<M, {.overlaps = true}>>();
}
TEST(LockOrders, HemlockAhead) {
    check_flat<Hemlock<M, {.ahead = true}>>();
}
TEST(LockOrders, HemlockWritesToLookAhead) {
    check_flat<Hemlock<M, {.writes_to_look = true, .ahead = true}>>();
}
TEST(LockOrders, HemlockInline) {
    check_flat<InlineHemlock<M>>();
}
TEST(LockOrders, Ticket) {
    check_flat<Ticket<M>>();
}
TEST(LockOrders, Tas) {
    check_flat<Tas<M>>(slower_tas);
}
TEST(LockOrders, Tts) {
    check_flat<Tts<M>>(slower_tts);
}

template <typename F> using FlatTas = Tas<F>;
template <typename F> using FlatMcs = Mcs<F>;
template <typename F> using FlatTicket = Ticket<F>;
template <typename F> using NodeMcs = Mcs<F>;
template <typename F> using NodeTicket = Ticket<F>;
template <typename F> using NodeTts = Tts<F>;
template <typename F> using NodeClh = Clh<F>;
template <typename F> using FlatAbortable = AbortableMcs<F>;
template <typename F> using NodeAbortable = AbortableMcs<F>;
template <typename F> using NodeHemlock = Hemlock<F, {.writes_to_look = true, .ahead = true}>;
template <typename F>
using EncodedHemlock = Hemlock<F, {.writes_to_look = true, .ahead = true, .counts_in_word = true}>;

TEST(LockOrders, CohortMcsMcs) {
    check_tree<Cohort<M, FlatMcs, NodeMcs>>(slower_mcs);
}
TEST(LockOrders, CohortMcsMcsHome) {
    check_tree<Cohort<M, FlatMcs, NodeMcs, PassCount::Home>>(slower_mcs);
}
TEST(LockOrders, CohortMcsMcsNode) {
    check_tree<Cohort<M, FlatMcs, NodeMcs, PassCount::Node>>(slower_mcs);
}
TEST(LockOrders, CohortMcsMcsPlain) {
    check_tree<Cohort<M, FlatMcs, NodeMcs, PassCount::Plain>>(slower_mcs);
}
TEST(LockOrders, CohortMcsTicket) {
    check_tree<Cohort<M, FlatMcs, NodeTicket>>(slower_mcs);
}
TEST(LockOrders, CohortMcsClh) {
    check_tree<Cohort<M, FlatMcs, NodeClh>>(slower_mcs);
}
TEST(LockOrders, CohortMcsTts) {
    check_tree<Cohort<M, FlatMcs, NodeTts>>(slower_mcs + slower_node_tts, 1);
}
TEST(LockOrders, CohortMcsHemlock) {
    check_tree<Cohort<M, FlatMcs, EncodedHemlock>>(slower_mcs);
}
template <typename F> using NodeInlineHemlock = InlineHemlock<F>;
TEST(LockOrders, CohortMcsHemlockInline) {
    check_tree<Cohort<M, FlatMcs, NodeInlineHemlock>>(slower_mcs);
}
TEST(LockOrders, CohortMcsHemlockPlain) {
    check_tree<Cohort<M, FlatMcs, NodeHemlock, PassCount::Plain>>(slower_mcs);
}
// The upper lock is one word, and orders all that it protects; no record of a node's workers is in it.
Names const upper_orders_all{"mcs of a node, try_acquire() cas: without acquire"};
TEST(LockOrders, CohortTicketMcs) {
    check_tree<Cohort<M, FlatTicket, NodeMcs>>(slower_mcs + upper_orders_all);
}
TEST(LockOrders, CohortTicketTicket) {
    check_tree<Cohort<M, FlatTicket, NodeTicket>>();
}
TEST(LockOrders, CohortAbortableMcs) {
    check_tree<Cohort<M, FlatAbortable, NodeAbortable>>(slower_abortable + hints_of_cohorts);
}
TEST(LockOrders, CohortTasAbortableMcs) {
    check_tree<Cohort<M, FlatTas, NodeAbortable>>(slower_abortable + hints_of_cohorts + slower_tas +
                                                      Names{"abortable_mcs of a node, release() cas: without release"},
                                                  1);
}
TEST(LockOrders, CohortTasMcs) {
    check_tree<Cohort<M, FlatTas, NodeMcs>>(
        slower_mcs + slower_tas + upper_orders_all + Names{"mcs of a node, release() cas: without release"}, 1);
}
Uses of_caches() {
    return {{.sections = {2, 2}, .on_each_node = 2},
            {.sections = {2, 2}, .on_each_node = 2, .in_each_cache = 1},
            {.sections = {2, 2}, .on_each_node = 1, .keeps_nodes = true},
            {.sections = {1, 1, 1}, .on_each_node = 2},
            {.sections = {1, 1, 1}, .on_each_node = 2, .in_each_cache = 1},
            {.sections = {1, 1, 1}, .on_each_node = 3, .in_each_cache = 2},
            {.sections = {1, 1, 2}, .on_each_node = 2, .keeps_nodes = true}};
}
Uses of_levels() {
    constexpr Level cache = Level::Cache;
    constexpr Level node = Level::Node;
    constexpr Level machine = Level::Machine;
    return {{.sections = {4}, .keeps_nodes = true},
            {.sections = {2, 1}},
            {.sections = {1, 1}, .on_each_node = 1},
            {.sections = {1, 2, 1}, .keeps_nodes = true, .levels = {machine, machine, machine}},
            {.sections = {2, 2}, .keeps_nodes = true},
            {.sections = {1, 1, 1}, .in_each_cache = 2, .levels = {cache, node, machine}},
            {.sections = {1, 1, 1}, .in_each_cache = 2, .levels = {cache, cache, node}}};
}
TEST(LockOrders, Hmcs) {
    static constexpr ModelledLock lock = modelled_lock<Hmcs<M>>();
    LockOrders orders(lock, of_caches());
    orders.check(slower_mcs);
    orders.check_passes();
}
TEST(LockOrders, Ahmcs) {
    static constexpr ModelledLock lock = modelled_lock<Ahmcs<M>>();
    LockOrders orders(lock, of_levels());
    orders.check(slower_mcs + hints_of_levels);
    orders.check_passes();
}
TEST(LockOrders, RmaMcs) {
    check_tree<RmaMcs<M>>(slower_rma_mcs);
}

} // namespace
} // namespace mxk::test::orders
