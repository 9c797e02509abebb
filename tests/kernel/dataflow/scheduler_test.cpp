// The scheduler of requests on real cores: tasks run alone and as often as asked, in the order that the discipline
// says; requests begin when nothing else is to be done; no task is left while cores sleep.
#include <array>
#include <atomic>

#include "bench/workload/random.hpp"
#include "kernel/clock.hpp"
#include "tasks/run_on.hpp"
#include "tasks/wait_until.hpp"
#include "tests/delays.hpp"
#include "tests/kernel/dataflow/requests.hpp"

namespace mxk::dataflow_tests {
namespace {

template <typename Test> void with_scheduler(SchedulerOptions const& options, Test test) {
    auto scheduler = Scheduler::create(all_cores().span(), options);
    MXK_REQUIRE(scheduler.ok());
    test(*scheduler.value());
    MXK_CHECK_EQUAL(scheduler.value()->unfinished(), 0u);
}

// ---- Tasks that are asked for again and again by others: the states of a task (checklist 1, B19).

struct Storm : GuardedRequest {
    static constexpr std::size_t targets = 5;
    static constexpr std::size_t drivers = 16;
    static constexpr unsigned asks_per_turn = 64;

    struct Target : ReschedulableTask {
        explicit Target(Storm& storm, CoreId home_core)
            : ReschedulableTask(storm, &Target::work, home_core) {}
        static Outcome work(CoreScheduler&, ReschedulableTask& task) {
            auto& self = static_cast<Target&>(task);
            auto& storm = static_cast<Storm&>(task.request());
            if (self.runs_now.fetch_add(1, std::memory_order_relaxed) != 0) storm.overlaps.fetch_add(1);
            ++self.runs;
            RandomDelay::point();
            // What was written before the run was asked for, the run sees; before the end, all of it.
            bool const is_over = storm.is_over.load(std::memory_order_acquire);
            self.seen = self.written.load(std::memory_order_relaxed);
            self.runs_now.fetch_sub(1, std::memory_order_relaxed);
            if (is_over) return Outcome::Ended;
            if (self.runs % 8 != 0) return Outcome::Waits;
            ++self.own_runs;
            return Outcome::Again;
        }
        std::atomic<unsigned> runs_now{0};
        std::atomic<std::uint64_t> written{0};
        std::uint64_t seen = 0; // plain: runs are one after the other
        std::uint64_t runs = 0;
        std::uint64_t own_runs = 0; // that nobody asked for but itself
    };
    struct Driver : ReschedulableTask {
        explicit Driver(Storm& storm, std::size_t number, CoreId home_core)
            : ReschedulableTask(storm, &Driver::work, home_core)
            , random(inner_tests::seed() + number) {}
        static Outcome work(CoreScheduler& here, ReschedulableTask& task) {
            auto& self = static_cast<Driver&>(task);
            auto& storm = static_cast<Storm&>(task.request());
            for (unsigned i = 0; i < asks_per_turn; ++i) {
                Target& target = *storm.target[self.random.below(targets)];
                target.written.fetch_add(1, std::memory_order_relaxed);
                target.schedule(here, self.random.below(2) == 0 ? Binding::Bound : Binding::Unbound);
            }
            if (storm.turns_left.fetch_sub(1, std::memory_order_acq_rel) > static_cast<std::int64_t>(drivers)) {
                if (self.random.below(2) == 0) return Outcome::Again;
                self.schedule(here, self.random.below(2) == 0 ? Binding::Bound : Binding::Unbound);
                return Outcome::Waits;
            }
            if (storm.drivers_left.fetch_sub(1, std::memory_order_acq_rel) == 1) {
                storm.is_over.store(true, std::memory_order_release);
                for (Target* const last : storm.target) last->schedule(here, Binding::Unbound);
            }
            return Outcome::Ended;
        }
        bench::Random random;
    };

    explicit Storm(std::uint64_t asks)
        : GuardedRequest(&Storm::begin)
        , turns_left(static_cast<std::int64_t>(asks / asks_per_turn + drivers)) {}
    static void begin(CoreScheduler& here, Request& request) {
        auto& self = static_cast<Storm&>(request);
        std::size_t const cores = here.scheduler().cores();
        for (std::size_t i = 0; i < targets; ++i) {
            self.target[i] = here.worker().create<Target>(self, here.scheduler().at(i % cores).core());
            self.add_task();
        }
        for (std::size_t i = 0; i < drivers; ++i) {
            self.driver[i] = here.worker().create<Driver>(self, i, here.scheduler().at(i % cores).core());
            self.add_task();
        }
        for (Driver* const one : self.driver) one->schedule(here, Binding::Unbound);
    }
    void check_and_destroy() {
        for (Target* const one : target) {
            MXK_CHECK_EQUAL(one->seen, one->written.load());
            MXK_CHECK(one->runs <= one->written.load() + one->own_runs + 1);
            MXK_CHECK(one->has_ended());
            Worker::current().destroy(*one);
        }
        for (Driver* const one : driver) Worker::current().destroy(*one);
        MXK_CHECK_EQUAL(overlaps.load(), 0u);
    }

    std::array<Target*, targets> target{};
    std::array<Driver*, drivers> driver{};
    std::atomic<std::int64_t> turns_left;
    std::atomic<std::size_t> drivers_left{drivers};
    std::atomic<bool> is_over{false};
    std::atomic<unsigned> overlaps{0};
};

void run_storm(SchedulerOptions const& options, std::uint64_t asks) {
    with_scheduler(options, [asks](Scheduler& scheduler) {
        Storm storm(asks);
        scheduler.submit(storm);
        storm.wait();
        storm.check_and_destroy();
    });
}

MXK_TEST(dataflow, tasks_run_alone_and_no_run_that_was_asked_for_is_lost) {
    for (Discipline const discipline : all_disciplines) run_storm({.discipline = discipline}, 200'000);
    run_storm({.sleep_rule = dataflow::SleepRule::Loose}, 200'000);
    run_storm({.reruns_bound = true, .steals_first = true}, 200'000);
    run_storm({.scans_under_lock = true}, 100'000);
}
MXK_TEST(dataflow, tasks_run_alone_also_with_delays) {
    InjectDelays const delays;
    run_storm({}, 50'000);
}
MXK_LONG_TEST(dataflow, tasks_run_alone_ten_million_times) {
    run_storm({}, 10'000'000);
}

// ---- The order of bound tasks (checklist 2, 3).

// A task that notes when it runs, and ends. The first one leaves the others, bound, and goes on.
struct Family : GuardedRequest {
    static constexpr std::size_t children = 6;
    struct Child : ReschedulableTask {
        Child(Family& family, std::size_t its_number, CoreId home_core)
            : ReschedulableTask(family, &Child::work, home_core)
            , number(its_number) {}
        static Outcome work(CoreScheduler& here, ReschedulableTask& task) {
            auto& self = static_cast<Child&>(task);
            auto& family = static_cast<Family&>(task.request());
            if (self.number == 0) {
                if (family.has_asked_again) {
                    family.done_before_rerun = family.done.load();
                    return Outcome::Ended;
                }
                if (family.asks_again) self.schedule(here, Binding::Bound);
                family.has_asked_again = family.asks_again;
                for (std::size_t i = 1; i < children; ++i) family.child[i]->schedule(here, Binding::Bound);
                if (family.waits_for_help != Nanoseconds{0}) family.wait_for_help();
                return family.asks_again ? Outcome::Waits : Outcome::Ended;
            }
            std::size_t const place = family.done.fetch_add(1);
            family.order[place] = self.number;
            family.ran_on[place] = here.core();
            return Outcome::Ended;
        }
        std::size_t number;
    };
    explicit Family(Nanoseconds help = Nanoseconds{0})
        : GuardedRequest(&Family::begin)
        , waits_for_help(help) {}
    static void begin(CoreScheduler& here, Request& request) {
        auto& self = static_cast<Family&>(request);
        for (std::size_t i = 0; i < children; ++i) {
            self.child[i] = here.worker().create<Child>(self, i, here.core());
            self.add_task();
        }
        self.child[0]->schedule(here, Binding::Bound);
    }
    void wait_for_help() {
        Cycles const start = clock::timestamp();
        while (done.load() < children - 1 && raw(clock::timestamp() - start) < raw(clock::to_cycles(waits_for_help)))
            arch::pause();
        helped = done.load();
    }
    void destroy() {
        for (Child* const one : child) Worker::current().destroy(*one);
    }
    Nanoseconds waits_for_help;
    std::array<Child*, children> child{};
    std::atomic<std::size_t> done{0};
    std::array<std::size_t, children> order{};
    std::array<CoreId, children> ran_on{};
    std::size_t helped = 0;
    bool asks_again = false; // the first one, bound, for itself while it runs
    bool has_asked_again = false;
    std::size_t done_before_rerun = 0;
};

MXK_TEST(dataflow, a_core_runs_its_newest_bound_task_first) {
    std::array const first{CoreId{}};
    auto scheduler = Scheduler::create(first, {});
    MXK_REQUIRE(scheduler.ok());
    Family family;
    scheduler.value()->submit(family);
    family.wait();
    for (std::size_t i = 0; i + 1 < Family::children; ++i) MXK_CHECK_EQUAL(family.order[i], Family::children - 1 - i);
    family.destroy();
}

// What was asked for while it ran is unbound, however it was asked for, unless reruns are bound (checklist 8).
MXK_TEST(dataflow, a_rerun_comes_behind_what_is_bound) {
    for (bool const reruns_bound : {false, true}) {
        std::array const first{CoreId{}};
        auto scheduler = Scheduler::create(first, {.reruns_bound = reruns_bound});
        MXK_REQUIRE(scheduler.ok());
        Family family;
        family.asks_again = true;
        scheduler.value()->submit(family);
        family.wait();
        MXK_CHECK_EQUAL(family.done_before_rerun, reruns_bound ? 0 : Family::children - 1);
        family.destroy();
    }
}

MXK_TEST(dataflow, thieves_take_the_oldest_and_help_a_core_with_a_long_task) {
    if (workers::count() < 2) MXK_SKIP("needs two cores");
    with_scheduler({}, [](Scheduler& scheduler) {
        if (scheduler.node(0).activity.cores() < 2) MXK_SKIP("needs two cores on a node");
        Family family(Nanoseconds{20'000'000'000});
        scheduler.submit(family);
        family.wait();
        MXK_CHECK_EQUAL(family.helped, Family::children - 1);
        if (scheduler.cores() == 2) // one thief alone: its order is seen
            for (std::size_t i = 0; i + 1 < Family::children; ++i) MXK_CHECK_EQUAL(family.order[i], i + 1);
        family.destroy();
    });
    with_scheduler({.discipline = Discipline::Original}, [](Scheduler& scheduler) {
        Family family(Nanoseconds{20'000'000});
        scheduler.submit(family);
        family.wait();
        MXK_CHECK_EQUAL(family.helped, 0u); // the fault that the new one mends
        family.destroy();
    });
}

// ---- Requests begin in their order, and only when nothing else is to be done (checklist 4, 5, 6).

struct Steps : GuardedRequest {
    struct Step : ReschedulableTask {
        Step(Steps& steps, CoreId home_core)
            : ReschedulableTask(steps, &Step::work, home_core) {}
        static Outcome work(CoreScheduler& here, ReschedulableTask& task) {
            auto& steps = static_cast<Steps&>(task.request());
            if (steps.left-- == 0) {
                steps.finished = steps.clock.fetch_add(1);
                return Outcome::Ended;
            }
            task.schedule(here, Binding::Unbound);
            return Outcome::Waits;
        }
    };
    Steps(std::atomic<unsigned>& its_clock, unsigned count)
        : GuardedRequest(&Steps::begin)
        , clock(its_clock)
        , left(count) {}
    static void begin(CoreScheduler& here, Request& request) {
        auto& self = static_cast<Steps&>(request);
        self.begun = self.clock.fetch_add(1);
        self.step = here.worker().create<Step>(self, here.core());
        self.add_task();
        self.step->schedule(here, Binding::Unbound);
    }
    std::atomic<unsigned>& clock;
    unsigned left;
    unsigned begun = 0;
    unsigned finished = 0;
    Step* step = nullptr;
};

void flood(Discipline discipline, std::size_t count) {
    with_scheduler({.discipline = discipline}, [&](Scheduler& scheduler) {
        auto requests = NodeVector<Steps>::create(count, Worker::current().node());
        MXK_REQUIRE(requests.ok());
        std::atomic<unsigned> clock{0};
        for (std::size_t i = 0; i < count; ++i) requests.value().emplace(clock, 20U);
        for (Steps& request : requests.value()) scheduler.submit(request);
        for (Steps& request : requests.value()) {
            request.wait();
            Worker::current().destroy(*request.step);
        }
        if (discipline == Discipline::Requests || discipline == Discipline::TwoFifos)
            MXK_CHECK(scheduler.max_active() <= scheduler.cores());
        if (discipline == Discipline::OneFifo && scheduler.cores() == 1) // the bound is no matter of course
            MXK_CHECK_EQUAL(scheduler.max_active(), count);
        if (scheduler.cores() != 1 || discipline != Discipline::Requests) return;
        for (std::size_t i = 1; i < count; ++i) MXK_CHECK(requests.value()[i - 1].finished < requests.value()[i].begun);
    });
}

MXK_TEST(dataflow, as_many_requests_are_active_as_there_are_cores) {
    for (std::size_t const count : {10u, 100u, 1000u}) flood(Discipline::Requests, count);
    flood(Discipline::TwoFifos, 100);
    flood(Discipline::OneFifo, 100);
    flood(Discipline::OneLifo, 100);
    flood(Discipline::Original, 100);
    flood(Discipline::CoreFifo, 100);
}

// ---- Cores stay with their requests, but leave none alone.

// A task that is unbound and always has more to do, until the test says that it is enough.
struct EndlessRequest : GuardedRequest {
    struct Turner : ReschedulableTask {
        Turner(EndlessRequest& request, CoreId home_core)
            : ReschedulableTask(request, &Turner::work, home_core) {}
        static Outcome work(CoreScheduler&, ReschedulableTask& task) {
            return static_cast<EndlessRequest&>(task.request()).is_enough.load() ? Outcome::Ended : Outcome::Again;
        }
    };
    EndlessRequest(std::atomic<unsigned>& requests_begun, std::atomic<bool>& its_enough)
        : GuardedRequest(&EndlessRequest::begin)
        , begun(requests_begun)
        , is_enough(its_enough) {}
    static void begin(CoreScheduler& here, Request& request) {
        auto& self = static_cast<EndlessRequest&>(request);
        self.turner = here.worker().create<Turner>(self, here.core());
        self.add_task();
        self.turner->schedule(here, Binding::Unbound);
        self.begun.fetch_add(1);
    }
    std::atomic<unsigned>& begun;
    std::atomic<bool>& is_enough;
    Turner* turner = nullptr;
};

// Its beginning queues a task, and keeps its core until that has run, or for 20 seconds.
struct NeedyRequest : GuardedRequest {
    struct Child : ReschedulableTask {
        Child(NeedyRequest& request, CoreId home_core)
            : ReschedulableTask(request, &Child::work, home_core) {}
        static Outcome work(CoreScheduler&, ReschedulableTask& task) {
            static_cast<NeedyRequest&>(task.request()).child_ran.store(true);
            return Outcome::Ended;
        }
    };
    NeedyRequest()
        : GuardedRequest(&NeedyRequest::begin) {}
    static void begin(CoreScheduler& here, Request& request) {
        auto& self = static_cast<NeedyRequest&>(request);
        self.child = here.worker().create<Child>(self, here.core());
        self.add_task();
        self.child->schedule(here, Binding::Unbound);
        Cycles const start = clock::timestamp();
        Cycles const deadline = clock::to_cycles(Nanoseconds{20'000'000'000});
        while (!self.child_ran.load() && clock::timestamp() - start < deadline) arch::pause();
        self.was_helped = self.child_ran.load();
    }
    std::atomic<bool> child_ran{false};
    bool was_helped = false;
    Child* child = nullptr;
};

MXK_TEST(dataflow, cores_that_have_work_of_their_own_come_to_tasks_that_are_left_alone) {
    if (workers::count() < 2) MXK_SKIP("needs two cores");
    with_scheduler({.chooses_node = false, .balances = false}, [](Scheduler& scheduler) {
        std::size_t const cores = scheduler.node(0).activity.cores();
        if (cores < 2) MXK_SKIP("needs two cores on the first node");
        auto others = NodeVector<EndlessRequest>::create(cores - 1, Worker::current().node());
        MXK_REQUIRE(others.ok());
        std::atomic<unsigned> begun{0};
        std::atomic<bool> is_enough{false};
        for (std::size_t i = 0; i + 1 < cores; ++i) others.value().emplace(begun, is_enough);
        for (EndlessRequest& other : others.value()) scheduler.submit(other);
        wait_until([&] { return begun.load() == cores - 1; });
        NeedyRequest needy;
        scheduler.submit(needy);
        needy.wait();
        MXK_CHECK(needy.was_helped);
        is_enough.store(true);
        for (EndlessRequest& other : others.value()) other.wait();
        Worker::current().destroy(*needy.child);
        for (EndlessRequest& other : others.value()) Worker::current().destroy(*other.turner);
    });
}

// ---- A core that has helped leaves small tasks to the core that leads.

// Some tasks that are unbound and small. Its beginning keeps its core until another one helps; then they run until a
// core has left the request to the one that leads it, or for 20 seconds.
struct ReclaimedRequest : GuardedRequest {
    static constexpr std::size_t turners = 6;
    static constexpr std::uint32_t helped = 100;
    struct Turner : ReschedulableTask {
        Turner(ReclaimedRequest& request, CoreId home_core)
            : ReschedulableTask(request, &Turner::work, home_core) {}
        static Outcome work(CoreScheduler& /*here*/, ReschedulableTask& task) {
            auto& request = static_cast<ReclaimedRequest&>(task.request());
            request.runs.fetch_add(1);
            if (request.times_left() != 0) request.was_left.store(true);
            return request.was_left.load() || request.is_late() ? Outcome::Ended : Outcome::Again;
        }
    };
    explicit ReclaimedRequest(Scheduler& its_scheduler)
        : GuardedRequest(&ReclaimedRequest::begin)
        , scheduler(its_scheduler) {}
    static void begin(CoreScheduler& here, Request& request) {
        auto& self = static_cast<ReclaimedRequest&>(request);
        for (Turner*& turner : self.turner) {
            turner = here.worker().create<Turner>(self, here.core());
            self.add_task();
        }
        for (Turner* const turner : self.turner) turner->schedule(here, Binding::Unbound);
        while (self.runs.load() < helped && !self.is_late()) arch::pause();
        self.was_helped = self.runs.load() >= helped;
    }
    [[nodiscard]] std::uint64_t times_left() const {
        std::uint64_t times = 0;
        for (std::size_t core = 0; core < scheduler.cores(); ++core) times += scheduler.at(core).counts().left.value();
        return times;
    }
    [[nodiscard]] bool is_late() const { return clock::timestamp() - start > limit; }
    Scheduler& scheduler;
    std::array<Turner*, turners> turner{};
    std::atomic<std::uint32_t> runs{0};
    std::atomic<bool> was_left{false};
    bool was_helped = false;
    Cycles start = clock::timestamp();
    Cycles limit = clock::to_cycles(Nanoseconds{20'000'000'000});
};

MXK_TEST(dataflow, a_core_that_has_helped_leaves_small_tasks_to_the_one_that_leads) {
    if (workers::count() < 2) MXK_SKIP("needs two cores");
    with_scheduler({.patience = Nanoseconds{1'000'000}, .chooses_node = false, .balances = false},
                   [](Scheduler& scheduler) {
                       if (scheduler.node(0).activity.cores() < 2) MXK_SKIP("needs two cores on the first node");
                       ReclaimedRequest request(scheduler);
                       scheduler.submit(request);
                       request.wait();
                       MXK_CHECK(request.was_helped);
                       MXK_CHECK(request.was_left.load());
                       for (auto* const turner : request.turner) Worker::current().destroy(*turner);
                   });
}

// ---- Sleeping and waking (checklist 11 to 14): a task that is lost makes the test hang.

void ping(SchedulerOptions const& options, unsigned times) {
    with_scheduler(options, [times](Scheduler& scheduler) {
        bench::Random random(inner_tests::seed());
        std::atomic<unsigned> clock{0};
        for (unsigned i = 0; i < times; ++i) {
            Steps first(clock, 2);
            Steps second(clock, static_cast<unsigned>(random.below(4)));
            scheduler.submit(first);
            // Cores fall asleep meanwhile, or are just about to.
            for (std::uint64_t turns = random.below(3000); turns > 0; --turns) arch::pause();
            scheduler.submit(second);
            first.wait();
            second.wait();
            Worker::current().destroy(*first.step);
            Worker::current().destroy(*second.step);
        }
    });
}

// The console's core submits and stays in its own task: another one begins.
MXK_TEST(dataflow, a_request_begins_while_its_submitter_is_busy) {
    if (workers::count() < 2) MXK_SKIP("needs two cores");
    with_scheduler({.chooses_node = false}, [](Scheduler& scheduler) {
        if (scheduler.node(0).activity.cores() < 2) MXK_SKIP("needs two cores on the first node");
        for (unsigned round = 0; round < 20; ++round) {
            std::atomic<unsigned> clock{0};
            Steps request(clock, 3);
            scheduler.submit(request);
            // The step is counted when it begins and when it ends.
            while (clock.load() < 2) arch::pause();
            request.wait();
            Worker::current().destroy(*request.step);
        }
    });
}

MXK_TEST(dataflow, no_request_is_left_while_cores_sleep) {
    for (Discipline const discipline : all_disciplines) ping({.discipline = discipline}, 500);
    ping({.sleep_rule = dataflow::SleepRule::Loose}, 500);
}
MXK_TEST(dataflow, no_request_is_left_also_with_delays) {
    InjectDelays const delays;
    ping({}, 300);
    ping({.sleep_rule = dataflow::SleepRule::Loose}, 300);
}

// Nobody wakes them: they look again by themselves.
MXK_TEST(dataflow, no_request_is_left_where_cores_sleep_for_a_time) {
    auto const cores = all_cores();
    auto const sleep_for = [&cores](Nanoseconds time) {
        return mxk::run_on(cores.span(), [time](Worker& worker, std::size_t) {
            worker.set_sleep_time(time);
            return Step::Done;
        });
    };
    auto const sleeps = [&cores] {
        std::uint64_t sum = 0;
        for (CoreId const core : cores.span()) sum += workers::of(core).statistics().sleeps.value();
        return sum;
    };
    MXK_REQUIRE(sleep_for(Nanoseconds{100'000}));
    std::uint64_t const before = sleeps();
    with_scheduler({}, [](Scheduler& scheduler) {
        std::atomic<unsigned> steps{0};
        for (unsigned round = 0; round < 50; ++round) {
            Steps request(steps, 3);
            scheduler.submit(request);
            request.wait();
            Worker::current().destroy(*request.step);
            // Longer than they poll.
            Cycles const end = clock::timestamp() + clock::to_cycles(Nanoseconds{200'000});
            while (clock::timestamp() < end) arch::pause();
        }
        for (std::size_t place = 0; place < scheduler.cores(); ++place)
            MXK_CHECK_EQUAL(scheduler.at(place).counts().sleeps.value(), 0u); // none said that it sleeps
    });
    MXK_CHECK(workers::count() == 1 || sleeps() > before);
    MXK_CHECK(sleep_for(Nanoseconds{0}));
}

} // namespace
} // namespace mxk::dataflow_tests
