// Every state that the protocol of sleeping and waking can reach (tasks/dataflow/activity.hpp), by search: a producer
// that adds tasks one by one, workers that look, sleep, work and wake, tasks that queue others which are not counted,
// and mail that ends a sleep at any moment. The counts change by the functions that the kernel runs; the steps between
// are those of the kernel, one at a time. A task that is queued without a fence is in its core's store buffer, where no
// other core sees it, until that core executes a locked instruction, or any time before; only that it is still there
// after another core has polled in vain is left out.
#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <unordered_set>

#include <gtest/gtest.h>

#include "tasks/dataflow/activity.hpp"

namespace mxk::dataflow {
namespace {

enum class Rule : std::uint8_t {
    Strict,
    Loose,
    Split, // the failing example of Falt's thesis (program 6.1): the test and what follows from it are two steps
};
enum class Order : std::uint8_t { CountFirst, QueueFirst };
// What is left out, to see that it is found.
enum class Without : std::uint8_t {
    Nothing,
    Fence,    // between queueing what is not counted, and the look at who is awake
    LastLook, // at what is queued, of a core that lies down
    Rest      // the look of one that begins to work at what is left
};

enum class At : std::uint8_t {
    Looking,    // free
    FoundNone,  // free
    Passed,     // Split only: may sleep by what it saw
    Counted,    // asleep by the counts, not where wakers look for it
    Lying,      // where wakers look for it
    Rising,     // mail came
    Risen,      // it has counted itself
    AwaitsWake, // all that sleep are counted, so a waker comes
    LooksAgain, // the same, about to look at what is queued and not counted
    Took,       // has a task, not yet begun
    TookOwn,    // one that is not counted
    OwesWake,   // counted
    Began,      // about to look at what is left
    Queued,     // it has just queued a task that is not counted
    Asks,       // for help with it
    Working
};
enum class Producer : std::uint8_t { Idle, Counted, CountedOwes, QueuedOwes, QueuedUncounted };

constexpr unsigned max_workers = 3;

struct State {
    ActivityCounts counts;
    std::uint8_t queued = 0; // and counted
    std::uint8_t own = 0;    // and not counted
    std::uint8_t to_add = 0;
    std::uint8_t to_queue = 0; // by tasks that run
    std::uint8_t done = 0;
    std::uint8_t mails = 0;
    Producer producer = Producer::Idle;
    std::array<At, max_workers> at{};
    std::array<bool, max_workers> is_awake{};
    std::array<std::uint8_t, max_workers> buffered{}; // tasks that only their core sees

    bool operator==(State const&) const = default;
};

struct Hash {
    std::size_t operator()(State const& state) const {
        std::uint64_t hash = 0xcbf2'9ce4'8422'2325;
        auto const add = [&hash](std::uint64_t value) { hash = (hash ^ value) * 0x100'0000'01b3; };
        for (std::uint32_t const number :
             {static_cast<std::uint32_t>(state.counts.tasks), std::uint32_t{state.counts.awake},
              std::uint32_t{state.counts.free}, std::uint32_t{state.queued}, std::uint32_t{state.to_add},
              std::uint32_t{state.own}, std::uint32_t{state.to_queue}, std::uint32_t{state.done},
              std::uint32_t{state.mails}, static_cast<std::uint32_t>(state.producer)})
            add(number);
        for (unsigned i = 0; i < max_workers; ++i) {
            add(static_cast<std::uint64_t>(state.at[i]));
            add(state.is_awake[i] ? 1 : 0);
            add(state.buffered[i]);
        }
        return hash ^ hash >> 29;
    }
};

struct Found {
    std::size_t states = 0;
    std::size_t frozen = 0;    // nothing can happen any more, and a task is not done
    std::size_t stranded = 0;  // a task waits, a worker sleeps, and all others are busy for as long as they like
    std::size_t below = 0;     // a negative count
    std::size_t uncovered = 0; // a task is queued and counted, and all sleep with no waker on its way
};

class Search {
  public:
    Search(unsigned workers, unsigned tasks, unsigned mails, Rule rule, Order order, unsigned uncounted = 0,
           Without without = Without::Nothing)
        : workers_(workers)
        , tasks_(tasks + uncounted)
        , rule_(rule)
        , order_(order)
        , without_(without) {
        State first;
        first.counts = {.free = static_cast<std::uint16_t>(workers), .awake = static_cast<std::uint16_t>(workers)};
        first.to_add = static_cast<std::uint8_t>(tasks);
        first.to_queue = static_cast<std::uint8_t>(uncounted);
        first.mails = static_cast<std::uint8_t>(mails);
        first.is_awake.fill(true);
        reach(first);
    }

    Found run() {
        while (!waiting_.empty()) {
            State const state = waiting_.front();
            waiting_.pop_front();
            ++found_.states;
            judge(state);
            moved_ = false;
            step_producer(state);
            for (unsigned i = 0; i < workers_; ++i) step_worker(state, i);
            if (!moved_ && state.done + state.to_queue < tasks_) ++found_.frozen;
        }
        return found_;
    }

  private:
    void reach(State const& state) {
        moved_ = true;
        if (seen_.insert(state).second) waiting_.push_back(state);
    }
    [[nodiscard]] SleepRule sleep_rule() const { return rule_ == Rule::Strict ? SleepRule::Strict : SleepRule::Loose; }

    void judge(State const& state) {
        if (state.counts.tasks < 0) ++found_.below;
        bool does_any_sleep = false;
        bool is_rest_busy = true;
        for (unsigned i = 0; i < workers_; ++i) {
            bool const sleeps = state.at[i] == At::Lying && !state.is_awake[i];
            does_any_sleep = does_any_sleep || sleeps;
            is_rest_busy = is_rest_busy && (sleeps || state.at[i] == At::Working);
        }
        bool const is_quiet = state.queued + state.own > 0 && state.producer == Producer::Idle;
        if (is_quiet && does_any_sleep && is_rest_busy) ++found_.stranded;
        if (is_quiet && state.counts.awake == 0) ++found_.uncovered;
    }

    // Wakes the first that lies there; if none does yet, there is no step: the waker goes on looking.
    template <typename Then> void wake(State const& state, Then then) {
        for (unsigned i = 0; i < workers_; ++i) {
            if (state.is_awake[i]) continue;
            State next = state;
            next.is_awake[i] = true;
            then(next);
            return reach(next);
        }
    }

    void step_producer(State const& state) {
        State next = state;
        switch (state.producer) {
        case Producer::Idle:
            if (state.to_add == 0) return;
            --next.to_add;
            if (order_ == Order::CountFirst) {
                next.producer = activity::add(next.counts, 1, workers_) ? Producer::CountedOwes : Producer::Counted;
            } else {
                ++next.queued;
                next.producer = Producer::QueuedUncounted;
            }
            return reach(next);
        case Producer::Counted:
        case Producer::CountedOwes:
            ++next.queued;
            next.producer = state.producer == Producer::Counted ? Producer::Idle : Producer::QueuedOwes;
            return reach(next);
        case Producer::QueuedUncounted:
            next.producer = activity::add(next.counts, 1, workers_) ? Producer::QueuedOwes : Producer::Idle;
            return reach(next);
        case Producer::QueuedOwes: return wake(state, [](State& woken) { woken.producer = Producer::Idle; });
        }
    }

    static void drain(State& state, unsigned i) {
        state.own = static_cast<std::uint8_t>(state.own + state.buffered[i]);
        state.buffered[i] = 0;
    }
    [[nodiscard]] bool may_ask(ActivityCounts counts) const { return counts.free == 0 && counts.awake != workers_; }

    void step_worker(State const& state, unsigned i) {
        State next = state;
        if (state.buffered[i] != 0) {
            drain(next, i);
            reach(next);
            next = state;
        }
        auto const go = [&](At where) {
            next.at[i] = where;
            reach(next);
        };
        switch (state.at[i]) {
        case At::Looking:
            // It has polled for longer than anything stays in a store buffer; what is queued and not counted it leaves
            // to the core that has queued it.
            if (state.queued == 0 && std::ranges::all_of(state.buffered, [](std::uint8_t tasks) { return tasks == 0; }))
                go(At::FoundNone);
            if (state.own != 0) {
                --next.own;
                return go(At::TookOwn);
            }
            if (state.queued == 0) return;
            --next.queued;
            return go(At::Took);
        case At::FoundNone:
            if (!activity::may_sleep(state.counts, sleep_rule())) return go(At::Looking);
            if (rule_ == Rule::Split) return go(At::Passed);
            [[fallthrough]];
        case At::Passed:
            --next.counts.free;
            --next.counts.awake;
            return go(At::Counted);
        case At::Counted:
            next.is_awake[i] = false;
            return go(without_ == Without::LastLook ? At::Lying : At::LooksAgain);
        case At::LooksAgain: return go(state.own != 0 ? At::Rising : At::Lying);
        case At::Lying:
            if (state.is_awake[i]) return go(At::Looking); // a waker has counted it
            if (state.mails == 0) return;
            --next.mails;
            return go(At::Rising);
        case At::Rising:
            if (state.is_awake[i]) return go(At::Looking);
            if (state.counts.awake == workers_) return go(At::AwaitsWake);
            ++next.counts.awake;
            ++next.counts.free;
            return go(At::Risen);
        case At::Risen:
            if (state.is_awake[i]) { // a waker was faster, and has counted it, too
                --next.counts.awake;
                --next.counts.free;
            }
            next.is_awake[i] = true;
            return go(At::Looking);
        case At::AwaitsWake:
            if (state.is_awake[i]) go(At::Looking);
            return;
        case At::Took: return go(activity::begin(next.counts, 1, workers_, sleep_rule()) ? At::OwesWake : At::Began);
        case At::TookOwn: return go(activity::begin(next.counts, 0, workers_, sleep_rule()) ? At::OwesWake : At::Began);
        case At::OwesWake: return wake(state, [i](State& woken) { woken.at[i] = At::Working; });
        case At::Began:
            return go(rule_ == Rule::Strict && without_ != Without::Rest && may_ask(state.counts) && state.own != 0
                          ? At::Asks
                          : At::Working);
        case At::Queued:
            if (state.counts.free == 0 && state.counts.awake == workers_) return go(At::Working); // all are busy
            if (without_ != Without::Fence) drain(next, i);
            return go(At::Asks);
        case At::Asks:
            if (!may_ask(state.counts)) return go(At::Working);
            drain(next, i); // by the locked instruction
            return go(activity::wakes_one(next.counts, workers_) ? At::OwesWake : At::Working);
        case At::Working:
            if (state.to_queue != 0) {
                --next.to_queue;
                ++next.buffered[i];
                go(At::Queued);
                next = state;
            }
            drain(next, i);
            ++next.counts.free;
            ++next.done;
            return go(At::Looking);
        }
    }

    unsigned workers_;
    unsigned tasks_;
    Rule rule_;
    Order order_;
    Without without_;
    bool moved_ = false;
    Found found_;
    std::unordered_set<State, Hash> seen_;
    std::deque<State> waiting_;
};

TEST(DataflowSleepModel, NoTaskIsLostAndNoneWaitsWhileACoreSleeps) {
    for (unsigned workers = 1; workers <= max_workers; ++workers) {
        Found const found = Search(workers, workers + 1, 2, Rule::Strict, Order::CountFirst).run();
        EXPECT_EQ(found.frozen, 0u) << workers;
        EXPECT_EQ(found.below, 0u) << workers;
        EXPECT_EQ(found.uncovered, 0u) << workers;
        EXPECT_EQ(found.stranded, 0u) << workers;
        RecordProperty("states_" + std::to_string(workers), std::to_string(found.states));
    }
}

// Bound tasks, and unbound ones of a request that is one node's alone.
TEST(DataflowSleepModel, NoTaskThatIsNotCountedWaitsWhileACoreSleeps) {
    for (unsigned workers = 1; workers <= max_workers; ++workers) {
        Found const found = Search(workers, 2, 1, Rule::Strict, Order::CountFirst, 3).run();
        EXPECT_EQ(found.frozen, 0u) << workers;
        EXPECT_EQ(found.below, 0u) << workers;
        EXPECT_EQ(found.stranded, 0u) << workers;
        RecordProperty("states_" + std::to_string(workers), std::to_string(found.states));
    }
}
TEST(DataflowSleepModel, EachStepForTasksThatAreNotCountedIsNeeded) {
    for (Without const without : {Without::Fence, Without::LastLook, Without::Rest}) {
        Found const found = Search(3, 2, 0, Rule::Strict, Order::CountFirst, 2, without).run();
        EXPECT_GT(found.stranded, 0u) << static_cast<int>(without);
    }
}

TEST(DataflowSleepModel, TheThesisRuleLosesNoTaskButLetsOneWait) {
    Found const found = Search(3, 4, 2, Rule::Loose, Order::CountFirst).run();
    EXPECT_EQ(found.frozen, 0u);
    EXPECT_EQ(found.below, 0u);
    EXPECT_EQ(found.uncovered, 0u);
    EXPECT_GT(found.stranded, 0u);
}

TEST(DataflowSleepModel, TestAndDecrementInTwoStepsFreeze) {
    EXPECT_GT(Search(2, 3, 0, Rule::Split, Order::CountFirst).run().frozen, 0u);
}

TEST(DataflowSleepModel, QueueingBeforeCountingMakesTheCountNegative) {
    EXPECT_GT(Search(2, 3, 0, Rule::Strict, Order::QueueFirst).run().below, 0u);
}

} // namespace
} // namespace mxk::dataflow
