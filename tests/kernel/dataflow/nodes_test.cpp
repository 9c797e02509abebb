// Requests on several nodes: where they go, what stays there, what the balancer moves or shares.
#include <atomic>

#include "kernel/clock.hpp"
#include "tests/delays.hpp"
#include "tests/kernel/dataflow/on_nodes.hpp"

namespace mxk::dataflow_tests {
namespace {

// The tasks of a request.
template <typename Member, std::size_t count> struct Members : std::array<Member*, count> {
    // Where the request begins.
    template <typename Owner> void create(CoreScheduler& here, Owner& owner) {
        for (Member*& member : *this) {
            member = here.worker().create<Member>(owner, here.core());
            owner.add_task();
        }
    }
    void schedule(CoreScheduler& here) {
        for (Member* const member : *this) member->schedule(here, Binding::Unbound);
    }
    // The console's task, when it has ended.
    void destroy() {
        for (Member* const member : *this) Worker::current().destroy(*member);
    }
};

// Tasks that ask each other and themselves to run: there is always something to do for all cores of a node, so that it
// counts as hot whenever the balancer looks.
struct Crowd : GuardedRequest {
    static constexpr std::size_t count = 12;
    struct Member : ReschedulableTask {
        Member(Crowd& crowd, CoreId home_core)
            : ReschedulableTask(crowd, &Member::work, home_core) {}
        static Outcome work(CoreScheduler& here, ReschedulableTask& task) {
            auto& self = static_cast<Member&>(task);
            auto& crowd = static_cast<Crowd&>(task.request());
            crowd.ran_on[here.node_place()].fetch_add(1, std::memory_order_relaxed);
            for (unsigned i = 0; i < crowd.pauses; ++i) arch::pause();
            if (crowd.stop.load(std::memory_order_acquire)) return Outcome::Ended;
            self.other->schedule(here, Binding::Unbound);
            self.schedule(here, Binding::Unbound);
            return Outcome::Waits;
        }
        Member* other = nullptr;
    };
    explicit Crowd(unsigned its_pauses)
        : GuardedRequest(&Crowd::begin)
        , pauses(its_pauses) {}
    static void begin(CoreScheduler& here, Request& request) {
        auto& self = static_cast<Crowd&>(request);
        self.begun_on.store(here.node_place(), std::memory_order_relaxed);
        self.members.create(here, self);
        for (std::size_t i = 0; i < count; ++i) self.members[i]->other = self.members[(i + 1) % count];
        self.members.schedule(here);
        self.is_running.store(true, std::memory_order_release);
    }
    unsigned pauses;
    Members<Member, count> members{};
    std::atomic<bool> stop{false};
    std::atomic<bool> is_running{false};
    std::atomic<std::uint16_t> begun_on{0};
    std::array<std::atomic<std::uint64_t>, 64> ran_on{};
};

// All of a node's cores sleep.
bool sleeps(dataflow::NodeScheduler const& node) {
    return node.activity.counts().awake == 0;
}

// The console's core is of the first node and looks for work as long as the test waits: requests begin there.
MXK_TEST(dataflow, a_request_stays_on_its_node) {
    on_nodes({.chooses_node = false, .balances = false}, [](Scheduler& scheduler) {
        Crowd crowd(10);
        scheduler.submit(crowd);
        until([&] { return crowd.ran_on[0].load() > 2000; });
        crowd.stop.store(true);
        crowd.wait();
        for (std::size_t node = 1; node < scheduler.nodes().size(); ++node)
            MXK_CHECK_EQUAL(crowd.ran_on[node].load(), 0u);
        crowd.members.destroy();
    });
}

MXK_TEST(dataflow, a_request_that_is_alone_is_shared_with_a_cold_node) {
    on_nodes({.chooses_node = false, .balances = false}, [](Scheduler& scheduler) {
        Crowd crowd(100);
        scheduler.submit(crowd);
        until([&] { return crowd.is_running.load(); });
        // Hot and cold are what the balancer has seen four times in a row; here all but the first node's cores sleep.
        until([&] {
            scheduler.balancer().look_now();
            return scheduler.balancer().counts().shares.value() != 0;
        });
        until([&] {
            std::uint64_t elsewhere = 0;
            for (std::size_t node = 1; node < scheduler.nodes().size(); ++node) elsewhere += crowd.ran_on[node].load();
            return elsewhere > 100;
        });
        MXK_CHECK(crowd.ran_on[0].load() > 0);
        crowd.stop.store(true);
        crowd.wait();
        crowd.members.destroy();
    });
}

// The balancer does not look.
constexpr Nanoseconds never{std::uint64_t{1} << 62};

std::uint64_t ran_elsewhere(Scheduler const& scheduler, Crowd const& crowd) {
    std::uint64_t sum = 0;
    for (std::size_t node = 1; node < scheduler.nodes().size(); ++node) sum += crowd.ran_on[node].load();
    return sum;
}

MXK_TEST(dataflow, all_nodes_serve_a_request_that_begins_alone) {
    on_nodes({.chooses_node = false, .balance_every = never}, [](Scheduler& scheduler) {
        for (unsigned round = 0; round < 20; ++round) {
            Crowd crowd(100);
            scheduler.submit(crowd);
            until([&] { return ran_elsewhere(scheduler, crowd) > 100 && crowd.ran_on[0].load() > 0; });
            crowd.stop.store(true);
            crowd.wait();
            crowd.members.destroy();
        }
        MXK_CHECK_EQUAL(scheduler.balancer().counts().looks.value(), 0u);
        MXK_CHECK_EQUAL(scheduler.balancer().counts().shares.value(), 20 * (scheduler.nodes().size() - 1));
    });
}

MXK_TEST(dataflow, all_nodes_serve_a_request_that_is_alone_once_another_has_ended) {
    on_nodes({.chooses_node = false, .balance_every = never}, [](Scheduler& scheduler) {
        auto const last = static_cast<std::uint16_t>(scheduler.nodes().size() - 1);
        std::array<Crowd*, 64> others{};
        Crowd alone(100);
        // Each node has one of its own, the last one first.
        std::size_t const count = last;
        for (std::size_t at = 0; at < count; ++at) {
            others[at] = new Crowd(3);
            scheduler.submit_to(static_cast<std::uint16_t>(last - at), *others[at]);
        }
        for (std::size_t at = 0; at < count; ++at) until([&] { return others[at]->is_running.load(); });
        scheduler.submit(alone);
        for (std::size_t at = 0; at < count; ++at) {
            others[at]->stop.store(true);
            others[at]->wait();
            others[at]->members.destroy();
            delete others[at];
        }
        until([&] { return ran_elsewhere(scheduler, alone) > 100 && alone.is_running.load(); });
        alone.stop.store(true);
        alone.wait();
        alone.members.destroy();
    });
}

// Requests of some tasks behind one that never has enough, on nodes of one core, too.
MXK_TEST(dataflow, guests_do_not_hold_up_what_comes_to_their_node) {
    struct Small : GuardedRequest {
        struct Member : ReschedulableTask {
            Member(Small& small, CoreId home_core)
                : ReschedulableTask(small, &Member::work, home_core) {}
            static Outcome work(CoreScheduler&, ReschedulableTask& task) {
                return ++static_cast<Member&>(task).turns < 5 ? Outcome::Again : Outcome::Ended;
            }
            unsigned turns = 0;
        };
        Small()
            : GuardedRequest(&Small::begin) {}
        static void begin(CoreScheduler& here, Request& request) {
            auto& self = static_cast<Small&>(request);
            self.members.create(here, self);
            self.members.schedule(here);
        }
        Members<Member, 4> members{};
    };
    auto const all = all_cores();
    // Each node's first core, and all of them.
    auto firsts = NodeVector<CoreId>::create(all.size(), Worker::current().node());
    MXK_REQUIRE(firsts.ok());
    for (CoreId const core : all.span())
        if (std::ranges::find(firsts.value().span(), workers::of(core).node(),
                              [](CoreId other) { return workers::of(other).node(); }) == firsts.value().span().end())
            firsts.value().emplace(core);
    if (firsts.value().size() < 2) MXK_SKIP("needs cores on two nodes, and up to 64 nodes");
    for (auto const cores : std::array<std::span<CoreId const>, 2>{firsts.value().span(), all.span()}) {
        auto scheduler = Scheduler::create(cores, {.chooses_node = false, .balance_every = never});
        MXK_REQUIRE(scheduler.ok());
        std::size_t const nodes = scheduler.value()->nodes().size();
        if (nodes > 64) MXK_SKIP("needs cores on two nodes, and up to 64 nodes");
        Crowd crowd(5);
        scheduler.value()->submit(crowd);
        until([&] { return crowd.is_running.load() && scheduler.value()->node(1).guests() == 1; });
        std::array<Small, 40> small;
        for (std::size_t at = 0; at < small.size(); ++at)
            scheduler.value()->submit_to(static_cast<std::uint16_t>(1 + at % (nodes - 1)), small[at]);
        until([&] { return scheduler.value()->unfinished() == 1; });
        for (Small& each : small) {
            each.wait();
            each.members.destroy();
        }
        crowd.stop.store(true);
        crowd.wait();
        crowd.members.destroy();
        for (dataflow::NodeScheduler const& node : scheduler.value()->nodes())
            MXK_CHECK_EQUAL(node.active() + node.guests() + node.waiting(), 0u);
    }
}

MXK_TEST(dataflow, a_request_stays_on_its_node_until_the_balancer_looks_if_asked) {
    on_nodes({.chooses_node = false, .balance_every = never, .shares_at_once = false}, [](Scheduler& scheduler) {
        Crowd crowd(100);
        scheduler.submit(crowd);
        until([&] { return crowd.ran_on[0].load() > 2000; });
        crowd.stop.store(true);
        crowd.wait();
        crowd.members.destroy();
        MXK_CHECK_EQUAL(ran_elsewhere(scheduler, crowd), 0u);
    });
}

MXK_TEST(dataflow, the_youngest_of_several_requests_moves_to_a_cold_node) {
    on_nodes({.chooses_node = false, .balances = false}, [](Scheduler& scheduler) {
        if (scheduler.node(0).activity.cores() < 2) MXK_SKIP("needs two cores on the first node");
        Crowd first(100);
        Crowd second(100);
        scheduler.submit(first);
        until([&] { return first.is_running.load(); });
        scheduler.submit(second);
        // It waits until no other task is there, so it may go before it has begun, or after.
        until([&] {
            scheduler.balancer().look_now();
            return scheduler.balancer().counts().moves.value() != 0;
        });
        until([&] {
            std::uint64_t elsewhere = 0;
            for (std::size_t node = 1; node < scheduler.nodes().size(); ++node)
                elsewhere += first.ran_on[node].load() + second.ran_on[node].load();
            return elsewhere > 100;
        });
        // Neither can come back to where it was, also if it had not begun there.
        MXK_CHECK(first.place()->was_at(0));
        MXK_CHECK(second.place()->was_at(0));
        first.stop.store(true);
        second.stop.store(true);
        first.wait();
        second.wait();
        first.members.destroy();
        second.members.destroy();
    });
}

// Moves and shares at every moment, while requests begin and end: none is lost (the test would hang), none is left.
void move_at_random(Scheduler& scheduler, unsigned rounds) {
    for (unsigned round = 0; round < rounds; ++round) {
        auto crowds = NodeVector<Crowd>::create(6, Worker::current().node());
        MXK_REQUIRE(crowds.ok());
        for (std::size_t i = 0; i < crowds.value().capacity(); ++i) scheduler.submit(crowds.value().emplace(5U));
        unsigned looks = 0;
        until([&] {
            scheduler.balancer().look_now();
            return ++looks > 30;
        });
        for (Crowd& crowd : crowds.value()) crowd.stop.store(true);
        until([&] {
            scheduler.balancer().look_now();
            return scheduler.unfinished() == 0;
        });
        for (Crowd& crowd : crowds.value()) {
            crowd.wait();
            crowd.members.destroy();
        }
    }
    std::uint32_t left = 0;
    for (dataflow::NodeScheduler& node : scheduler.nodes()) left += node.active() + node.waiting();
    MXK_CHECK_EQUAL(left, 0u);
}
MXK_TEST(dataflow, no_request_is_lost_while_requests_move) {
    on_nodes({}, [](Scheduler& scheduler) { move_at_random(scheduler, 20); });
    on_nodes({.sleep_rule = dataflow::SleepRule::Loose, .chooses_node = false},
             [](Scheduler& scheduler) { move_at_random(scheduler, 20); });
}
MXK_TEST(dataflow, no_request_is_lost_while_requests_move_with_delays) {
    InjectDelays const delays;
    on_nodes({}, [](Scheduler& scheduler) { move_at_random(scheduler, 5); });
}
// A request that goes to the next node as soon as it has begun, where its few tasks end at once.
struct Traveller : GuardedRequest {
    static constexpr std::size_t count = 6;
    struct Member : ReschedulableTask {
        Member(Traveller& traveller, CoreId home_core)
            : ReschedulableTask(traveller, &Member::work, home_core) {}
        static Outcome work(CoreScheduler& /*here*/, ReschedulableTask& task) {
            static_cast<Traveller&>(task.request()).ran.fetch_add(1, std::memory_order_relaxed);
            return Outcome::Ended;
        }
    };
    Traveller()
        : GuardedRequest(&Traveller::begin) {}
    static void begin(CoreScheduler& here, Request& request) {
        auto& self = static_cast<Traveller&>(request);
        self.members.create(here, self);
        self.members.schedule(here);
        Scheduler& scheduler = here.scheduler();
        auto const next = static_cast<std::uint16_t>((here.node_place() + 1U) % scheduler.nodes().size());
        self.has_moved = scheduler.balancer().move_now(self, scheduler.node(next));
    }
    Members<Member, count> members{};
    std::atomic<std::uint64_t> ran{0};
    bool has_moved = false;
};
// A core that is away, as if its processor had been taken from it, until all requests have ended, or for a millisecond
// where they wait for it.
constinit std::atomic<Scheduler*> delayed_scheduler{nullptr};
void wait_for_the_end() {
    static constinit std::atomic<std::uint32_t> calls{0};
    static constinit std::atomic<bool> is_one_away{false};
    // relaxed: a count, and a word of which nothing depends
    if (calls.fetch_add(1, std::memory_order_relaxed) % 17 != 0) return;
    Scheduler* const scheduler = delayed_scheduler.load(std::memory_order_relaxed);
    if (is_one_away.exchange(true, std::memory_order_relaxed)) return;
    Cycles const until = clock::timestamp() + clock::to_cycles(microseconds(1000));
    while (clock::timestamp() < until && scheduler->unfinished() != 0) arch::pause();
    is_one_away.store(false, std::memory_order_relaxed);
}
MXK_TEST(dataflow, a_request_that_moves_may_end_at_once) {
    // A balancer would move some before they begin, and they never go back to where they waited.
    on_nodes({.balances = false}, [](Scheduler& scheduler) {
        delayed_scheduler.store(&scheduler, std::memory_order_relaxed);
        InjectDelays const delays(&wait_for_the_end);
        for (unsigned round = 0; round < 200; ++round) {
            std::array<Traveller, 6> travellers;
            for (Traveller& traveller : travellers) scheduler.submit(traveller);
            for (Traveller& traveller : travellers) {
                traveller.wait();
                MXK_CHECK(traveller.has_moved);
                MXK_CHECK_EQUAL(traveller.ran.load(), Traveller::count);
                traveller.members.destroy();
            }
        }
    });
}

// A shared request that has been moved off both of its nodes stands in the queues of two others, and so does nobody
// else: a request that waits behind it on one of them begins nevertheless.
MXK_TEST(dataflow, a_request_behind_one_that_was_shared_and_moved_begins) {
    on_nodes({.balances = false}, [](Scheduler& scheduler) {
        if (scheduler.nodes().size() < 4) MXK_SKIP("needs four nodes");
        Crowd shared(10);
        scheduler.submit_to(1, shared);
        until([&] { return shared.is_running.load(); });
        MXK_CHECK(scheduler.balancer().share_now(shared, scheduler.node(2)));
        MXK_CHECK(scheduler.balancer().move_now(shared, scheduler.node(3)));
        Traveller behind;
        scheduler.submit_to(3, behind);
        MXK_CHECK(scheduler.balancer().move_now(shared, scheduler.node(0)));
        shared.stop.store(true);
        shared.wait();
        behind.wait();
        MXK_CHECK_EQUAL(behind.ran.load(), Traveller::count);
        shared.members.destroy();
        behind.members.destroy();
        std::uint32_t left = 0;
        for (dataflow::NodeScheduler& node : scheduler.nodes()) left += node.active() + node.waiting();
        MXK_CHECK_EQUAL(left, 0u);
    });
}

// Nothing to do: all cores but the one that waits sleep, and nobody looks at the nodes (checklist 13).
MXK_TEST(dataflow, without_work_cores_sleep_and_nobody_balances) {
    on_nodes({}, [](Scheduler& scheduler) {
        until([&] {
            for (std::size_t node = 1; node < scheduler.nodes().size(); ++node)
                if (!sleeps(scheduler.node(static_cast<std::uint16_t>(node)))) return false;
            return true;
        });
        MXK_CHECK_EQUAL(scheduler.balancer().counts().moves.value(), 0u);
        MXK_CHECK_EQUAL(scheduler.balancer().counts().shares.value(), 0u);
    });
}

} // namespace
} // namespace mxk::dataflow_tests
