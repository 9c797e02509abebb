// What RH and SHFL locks decide: who is next, how often a node keeps the lock, when waiters look. In a simulation
// (stepped_fabric.hpp), since the model checker does not come to an end with their loops. Each condition of their
// sources is taken for true and for false, each write left out: that is noticed, or named here with why it is there.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "locks/rh_lock.hpp"
#include "locks/shfl_lock.hpp"
#include "tests/model/execution_graph.hpp"
#include "tests/model/grouped_workers.hpp"
#include "tests/model/places.hpp"
#include "tests/model/stepped_fabric.hpp"

namespace mxk::test {

// Of the sources' copies in this program (atomic.hpp).
bool Places::condition(Place const& place, bool is_true) {
    return SteppedWorkers::current().condition(is_true, place.from);
}

namespace {

using namespace locks;

// How a lock was passed on in some runs.
struct Policy {
    std::string error;
    std::uint64_t sections = 0;
    std::uint64_t choices = 0;    // hand-overs while workers of the holder's node, and of another one, waited
    std::uint64_t local = 0;      // of these, those within the node
    std::uint64_t max_passed = 0; // sections of others while one has waited
    std::uint64_t overtaken = 0;  // sections of workers that came while somebody had waited for three sections
    std::uint64_t misses = 0;     // looks that found a change, and the others
    std::uint64_t hits = 0;
    std::vector<Place> places;

    [[nodiscard]] double local_share() const { return static_cast<double>(local) / static_cast<double>(choices); }
    [[nodiscard]] double looks() const { return static_cast<double>(misses + hits) / static_cast<double>(sections); }
    [[nodiscard]] double misses_each() const { return static_cast<double>(misses) / static_cast<double>(sections); }
};

// Workers who want a lock again and again.
struct Want {
    std::size_t workers = 6;
    std::size_t on_each_node = 3;
    std::size_t sections = 60; // of each
    std::uint64_t section_time = 60;
    std::uint64_t pause = 30; // between two, up to
};

template <typename Lock> class PolicyRun {
  public:
    PolicyRun(Want const& want, std::uint64_t seed, Mutant const* mutant)
        : want_(want)
        , workers_(want.workers, want.on_each_node, seed, mutant)
        , groups_(want.workers, want.on_each_node, want.on_each_node)
        , topology_(groups_.view())
        , waits_(want.workers) {}
    void add_to(Policy& policy) {
        auto lock = std::make_unique<Lock>(SteppedSite{&topology_});
        bool const has_ended = workers_.run([&](WorkerNumber self) { use(*lock, self); });
        if (has_ended) {
            policy.sections += want_.sections * want_.workers;
        } else {
            static_cast<void>(lock.release()); // workers are in the middle of it
            policy.error = workers_.error();
        }
        policy.choices += choices_;
        policy.local += local_;
        policy.overtaken += overtaken_;
        policy.max_passed = std::max(policy.max_passed, max_passed_);
        policy.misses += workers_.misses();
        policy.hits += workers_.hits();
        for (Place const& place : workers_.places())
            if (std::ranges::none_of(policy.places, [&](Place const& it) { return it.is_same(place); }))
                policy.places.push_back(place);
    }

  private:
    [[nodiscard]] std::size_t node_of(WorkerNumber worker) const { return worker / want_.on_each_node; }
    void use(Lock& lock, WorkerNumber self) {
        typename Lock::Node node;
        for (std::size_t i = 0; i < want_.sections; ++i) {
            workers_.pass(1 + workers_.random(want_.pause));
            waits_[self] = 0;
            lock.acquire(node);
            enter(self);
            workers_.pass(want_.section_time);
            if (holder_ != self) workers_.fail("two are in a section");
            holder_.reset();
            last_ = self;
            lock.release(node);
        }
    }
    void enter(WorkerNumber self) {
        if (holder_) workers_.fail("two are in a section");
        holder_ = self;
        waits_[self].reset();
        bool near_waits = node_of(self) == node_of(last_);
        bool far_waits = !near_waits;
        bool old_waits = false;
        for (std::size_t other = 0; other < waits_.size(); ++other) {
            if (!waits_[other]) continue;
            (node_of(static_cast<WorkerNumber>(other)) == node_of(last_) ? near_waits : far_waits) = true;
            old_waits = old_waits || *waits_[other] >= 3;
            max_passed_ = std::max(max_passed_, ++*waits_[other]);
        }
        if (near_waits && far_waits) {
            ++choices_;
            if (node_of(self) == node_of(last_)) ++local_;
        }
        if (old_waits && came_last_ == self) ++overtaken_;
        came_last_ = self;
    }

    Want want_;
    SteppedWorkers workers_;
    GroupedWorkers groups_;
    LockTopology topology_;
    std::vector<std::optional<std::uint64_t>> waits_; // sections of others since it came; none: it does not wait
    std::optional<WorkerNumber> holder_;
    WorkerNumber last_ = 0;
    WorkerNumber came_last_ = 0;
    std::uint64_t choices_ = 0;
    std::uint64_t local_ = 0;
    std::uint64_t overtaken_ = 0;
    std::uint64_t max_passed_ = 0;
};

// What is asked of a policy: a number, and its bounds.
struct Bound {
    std::string what;
    double value;
    double min;
    double max;
};

template <typename Lock> Policy policy_of(Want const& want, Mutant const* mutant) {
    Policy policy;
    for (std::uint64_t seed = 1; seed <= 2 && policy.error.empty(); ++seed)
        PolicyRun<Lock>(want, seed, mutant).add_to(policy);
    return policy;
}

// Many want it, and each comes again when others have waited for a while; two or three do; or it is mostly free, and
// was not before.
constexpr Want contended{.workers = 8, .on_each_node = 4, .sections = 30, .section_time = 400, .pause = 1500};
constexpr Want eager{.workers = 8, .on_each_node = 4, .sections = 20, .section_time = 400, .pause = 30};
constexpr Want sometimes{.workers = 6, .on_each_node = 2, .sections = 80, .section_time = 60, .pause = 500};
constexpr Want seldom{.workers = 2, .on_each_node = 1, .sections = 150, .section_time = 50, .pause = 1000};

// "release() condition 2: never", counted in the order of the source.
std::string name_of(Mutant const& mutant, std::vector<Place> const& all) {
    Place const& place = mutant.place;
    std::size_t number = 1;
    for (Place const& other : all)
        if (other.kind == place.kind && function_of(other.from) == function_of(place.from) && other.key() < place.key())
            ++number;
    char const* const what = mutant.mutation == Mutation::Always ? "always" : "never";
    return function_of(place.from) + (mutant.is_condition() ? "() condition " : "() write ") + std::to_string(number) +
           ": " + (mutant.is_condition() ? what : "left out");
}

// `bounds_of(contended, seldom)`: what is asked. `unnoticed`: names of mutants.
template <typename Lock, typename BoundsOf>
void check_policy(BoundsOf bounds_of, std::set<std::string> const& unnoticed) {
    std::vector<Place> places;
    auto const wrong = [&](Mutant const* mutant) -> std::string {
        Policy const many = policy_of<Lock>(contended, mutant);
        if (!many.error.empty()) return many.error;
        Policy const all = policy_of<Lock>(eager, mutant);
        if (!all.error.empty()) return all.error;
        Policy const some = policy_of<Lock>(sometimes, mutant);
        if (!some.error.empty()) return some.error;
        Policy const few = policy_of<Lock>(seldom, mutant);
        if (!few.error.empty()) return few.error;
        if (mutant == nullptr) places = many.places;
        for (Bound const& bound : bounds_of(many, all, few))
            if (bound.value < bound.min || bound.value > bound.max)
                return bound.what + ": " + std::to_string(bound.value) + ", expected " + std::to_string(bound.min) +
                       " to " + std::to_string(bound.max);
        return "";
    };
    ASSERT_EQ(wrong(nullptr), "");
    std::set<std::string> unnoticed_now;
    int mutants = 0;
    for (Place const& place : places) {
        for (Mutation const mutation : {Mutation::Always, Mutation::Never, Mutation::Drop}) {
            Mutant const mutant{place, mutation};
            if (mutant.is_condition() == (mutation == Mutation::Drop)) continue;
            ++mutants;
            if (wrong(&mutant).empty()) unnoticed_now.insert(name_of(mutant, places));
        }
    }
    EXPECT_EQ(unnoticed_now, unnoticed);
    ::testing::Test::RecordProperty("mutants", mutants);
}

// Of `fairness` releases one is fair: it frees the lock for all nodes.
template <std::uint32_t fairness>
void check_rh(double min_local, double max_local, std::set<std::string> const& unnoticed) {
    check_policy<Rh<Stepped, fairness, 32>>(
        [&](Policy const& many, Policy const& /*all*/, Policy const& few) {
            return std::vector<Bound>{{"passed on within the node", many.local_share(), min_local, max_local},
                                      {"looks of waiters, with back-off", many.looks(), 0, 60},
                                      {"changes that they find", many.misses_each(), 0, 13},
                                      {"looks at a free lock", few.looks(), 0, 4}};
        },
        unnoticed);
}
TEST(LockPolicies, Rh1) {
    // All releases are fair: no lock is freed for its node only.
    check_rh<1>(0.3, 0.5,
                {"acquire() condition 2: never", "release() condition 1: always", "wait_here() condition 4: never"});
}
TEST(LockPolicies, Rh2) {
    check_rh<2>(0.5, 0.66, {});
}
TEST(LockPolicies, Rh100) {
    // One of a hundred is: too few to be seen.
    check_rh<100>(0.7, 0.77, {"release() condition 1: never"});
}

template <ShflVariant variant>
void check_shfl(double min_local, double max_local, std::set<std::string> const& unnoticed) {
    check_policy<Shfl<Stepped, variant>>(
        [&](Policy const& many, Policy const& all, Policy const& few) {
            return std::vector<Bound>{{"passed on within the node", many.local_share(), min_local, max_local},
                                      {"sections of others while one waits", double(many.max_passed), 0, 10},
                                      {"the same, where all come again at once", double(all.max_passed), 0, 7},
                                      {"sections of those that came later", double(many.overtaken), 0, 0},
                                      {"looks", many.looks(), 0, 400},
                                      {"looks at a free lock", few.looks(), 0, 6}};
        },
        unnoticed);
}
TEST(LockPolicies, Shfl) {
    check_shfl<ShflVariant{}>(0.65, 0.8,
                              {// only counted
                               "acquire() condition 4: never",
                               // it shuffles more often, or for longer, or others do
                               "shuffle() condition 1: always", "shuffle() condition 9: always",
                               "shuffle() condition 10: never", "shuffle() write 1: left out",
                               "shuffle() write 4: left out", "shuffle() write 8: left out",
                               // what comes next finds that nobody is behind the queue's last
                               "shuffle() condition 4: never",
                               // it tries where it need not
                               "take_flag() condition 3: always", "try_to_steal() condition 1: never"});
}
TEST(LockPolicies, McsTas) {
    // Nobody shuffles; a releaser that knows of the next one tries to empty the queue, in vain.
    check_shfl<ShflVariant{.shuffles = false, .looks_first = false}>(
        0.3, 0.5,
        {"acquire() write 2: left out", "acquire() write 3: left out", "acquire() write 4: left out",
         "leave_queue() condition 1: always"});
}

} // namespace
} // namespace mxk::test
