// Graphs of boxes on real cores: nothing is lost between boxes, whatever their buffers hold; branches run depth-first;
// what was used is given back; what is wrong with a model is said by name.
#include <array>
#include <atomic>
#include <utility>

#include "bench/workload/random.hpp"
#include "kernel/memory/heap/heap_statistics.hpp"
#include "tasks/dataflow/graph/parallel_stage.hpp"
#include "tasks/threads/thread.hpp"
#include "tests/delays.hpp"
#include "tests/kernel/dataflow/queries.hpp"

namespace mxk::dataflow_tests {
namespace {

// ---- Boxes

// Passes everything on, slowly if asked.
struct Pass : Box {
    static constexpr std::array<std::string_view, 1> inputs{"in"};
    static constexpr bool has_output = true;
    Pass(Query& query, CoreId core, unsigned its_pauses)
        : Box(query, core)
        , pauses(its_pauses) {}
    Result<Step> receive(CoreScheduler&, std::size_t, EnvelopePointer envelope) override {
        for (unsigned i = 0; i < pauses; ++i) arch::pause();
        emit(std::move(envelope));
        return Step::More;
    }
    unsigned pauses;
};

// Reads its first input to the end, then the second one.
struct InOrder : Box {
    static constexpr std::array<std::string_view, 2> inputs{"first", "second"};
    static constexpr bool has_output = true;
    static constexpr bool reads_in_order = true;
    InOrder(Query& query, CoreId core)
        : Box(query, core) {}
    [[nodiscard]] std::size_t wanted_input() const override { return is_first_over ? 1 : 0; }
    Result<void> note_end(CoreScheduler&, std::size_t input) override {
        is_first_over = is_first_over || input == 0;
        return {};
    }
    Result<Step> receive(CoreScheduler&, std::size_t input, EnvelopePointer envelope) override {
        if (input == 1) MXK_CHECK(is_first_over);
        emit(std::move(envelope));
        return Step::More;
    }
    bool is_first_over = false;
};

// Fails at an envelope.
struct Fails : Box {
    static constexpr std::array<std::string_view, 1> inputs{"in"};
    static constexpr bool has_output = true;
    using Box::Box;
    Result<Step> receive(CoreScheduler&, std::size_t, EnvelopePointer envelope) override {
        if (*envelope->values<std::uint64_t>(0) == 100) return Error("the hundredth is one too many");
        emit(std::move(envelope));
        return Step::More;
    }
};

// Passes all on but the second.
struct DropsOne : Box {
    static constexpr std::array<std::string_view, 1> inputs{"in"};
    static constexpr bool has_output = true;
    using Box::Box;
    Result<Step> receive(CoreScheduler&, std::size_t, EnvelopePointer envelope) override {
        if (++received != 2) emit(std::move(envelope));
        return Step::More;
    }
    unsigned received = 0;
};

// Notes in which order boxes of several branches run.
struct Trace {
    std::array<std::uint32_t, 64> entries{};
    std::atomic<std::size_t> size{0};
};
struct Noted : Box {
    static constexpr std::array<std::string_view, 1> inputs{"in"};
    static constexpr bool has_output = true;
    Noted(Query& query, CoreId core, Trace* its_trace, std::uint32_t its_number)
        : Box(query, core)
        , trace(*its_trace)
        , number(its_number) {}
    Result<Step> receive(CoreScheduler&, std::size_t, EnvelopePointer envelope) override {
        trace.entries[trace.size.fetch_add(1)] = number;
        emit(std::move(envelope));
        return Step::More;
    }
    Trace& trace;
    std::uint32_t number;
};

// Fills the buffers behind it in its first turn, and emits one envelope in each of the others. How many were on their
// way to the sink when these began; not in those that had something left to send, too.
struct Burst {
    static constexpr std::uint64_t first = 12;
    static constexpr std::uint64_t count = 40;
    Seen seen;
    std::uint64_t given = 0;
    std::uint64_t max_on_their_way = 0;
};
struct BurstBox : Box {
    BurstBox(Query& query, CoreId core, Burst* its_burst)
        : Box(query, core)
        , burst(*its_burst) {}
    Result<Step> give() {
        if (burst.given > Burst::first + 1)
            burst.max_on_their_way = std::max(burst.max_on_their_way, burst.given - burst.seen.count);
        for (std::uint64_t left = burst.given == 0 ? Burst::first : 1; left != 0; --left) {
            auto envelope = Envelope::create(1, burst.given);
            envelope->columns[0] = Column::create_for<std::uint64_t>(1);
            *envelope->columns[0].writable<std::uint64_t>() = burst.given++;
            emit(std::move(envelope));
        }
        return burst.given >= Burst::count ? Step::Done : Step::More;
    }
    Burst& burst;
};
struct BurstSource : BurstBox {
    static constexpr std::array<std::string_view, 0> inputs{};
    static constexpr bool has_output = true;
    using BurstBox::BurstBox;
    Result<Step> produce(CoreScheduler&) override { return give(); }
};
struct BurstAtEnd : BurstBox {
    static constexpr std::array<std::string_view, 1> inputs{"in"};
    static constexpr bool has_output = true;
    using BurstBox::BurstBox;
    Result<Step> receive(CoreScheduler&, std::size_t, EnvelopePointer) override { return Step::More; }
    Result<Step> finish(CoreScheduler&) override { return give(); }
};

void check_pipe(SchedulerOptions const& options, std::uint32_t capacity, unsigned pauses, std::uint64_t count) {
    Seen seen;
    Model model;
    model.set_capacity(capacity);
    auto from = model.add<Numbers>("numbers", count);
    for (unsigned stage = 0; stage < 4; ++stage) {
        auto const pass = model.add<Pass>("pass", stage == 2 ? pauses : 0U);
        model.connect(from, pass);
        from = pass;
    }
    auto const sink = model.add<Sum>("sum", &seen);
    model.connect(from, sink);
    MXK_REQUIRE(model.check().ok());
    MXK_CHECK(run(model, options).ok());
    MXK_CHECK_EQUAL(seen.count, count);
    MXK_CHECK_EQUAL(seen.sum, sum_below(count));
    MXK_CHECK(seen.is_in_order);
    MXK_CHECK(seen.has_ended);
}

MXK_TEST(dataflow, a_pipe_keeps_everything_in_order_whatever_its_buffers_hold) {
    for (Discipline const discipline : all_disciplines)
        for (std::uint32_t const capacity : {1U, 2U, 64U}) check_pipe({.discipline = discipline}, capacity, 50, 500);
}
MXK_TEST(dataflow, a_pipe_keeps_everything_also_with_delays) {
    InjectDelays const delays;
    check_pipe({}, 1, 50, 300);
    check_pipe({}, 3, 0, 300);
}

// Gives envelopes, and counts them.
struct Counted : Numbers {
    Counted(Query& query, CoreId core, std::atomic<std::uint64_t>* its_given)
        : Numbers(query, core, 100)
        , given(*its_given) {}
    Result<Step> produce(CoreScheduler& here) override {
        given.fetch_add(1);
        return Numbers::produce(here);
    }
    std::atomic<std::uint64_t>& given;
};
// Keeps its core until its sender has given more than there is room for, and then until another query that it submits
// has ended; or for 20 seconds.
struct Keeps : Box {
    static constexpr std::array<std::string_view, 1> inputs{"in"};
    static constexpr bool has_output = false;
    static constexpr std::uint64_t room = 2; // here, and in the buffer
    Keeps(Query& query, CoreId core, std::atomic<std::uint64_t>* its_given, Query* its_other)
        : Box(query, core)
        , given(*its_given)
        , other(*its_other) {}
    Result<Step> receive(CoreScheduler& here, std::size_t, EnvelopePointer) override {
        if (std::exchange(has_kept, true)) return Step::More;
        Cycles const start = clock::timestamp();
        Cycles const deadline = clock::to_cycles(Nanoseconds{20'000'000'000});
        auto const has_time = [&] { return clock::timestamp() - start < deadline; };
        while (given.load() <= room && has_time()) arch::pause();
        here.scheduler().submit(other);
        while (other.state() == Query::State::Running && has_time()) arch::pause();
        MXK_CHECK(other.state() == Query::State::Done);
        MXK_CHECK_EQUAL(given.load(), room + 1);
        return Step::More;
    }
    std::atomic<std::uint64_t>& given;
    Query& other;
    bool has_kept = false;
};

MXK_TEST(dataflow, a_full_buffer_keeps_no_core_from_other_requests) {
    if (workers::count() < 2) MXK_SKIP("needs two cores");
    auto const scheduler = Scheduler::create(all_cores().span().first(2), {});
    MXK_REQUIRE(scheduler.ok());
    if (scheduler.value()->node(0).activity.cores() < 2) MXK_SKIP("needs two cores on a node");
    Seen seen;
    Model small;
    small.connect(small.add<Numbers>("numbers", std::uint64_t{10}), small.add<Sum>("sum", &seen));
    MXK_REQUIRE(small.check().ok());
    Query other(small);
    std::atomic<std::uint64_t> given{0};
    Model slow;
    slow.set_capacity(1);
    slow.connect(slow.add<Counted>("numbers", &given), slow.add<Keeps>("keeps", &given, &other));
    MXK_REQUIRE(slow.check().ok());
    Query query(slow);
    scheduler.value()->submit(query);
    MXK_CHECK(query.wait().ok());
    MXK_CHECK(other.wait().ok());
    MXK_CHECK_EQUAL(seen.count, 10u);
}

MXK_TEST(dataflow, an_output_with_many_receivers_gives_all_of_them_the_same) {
    std::array<Seen, 3> seen;
    Model model;
    auto const numbers = model.add<Numbers>("numbers", std::uint64_t{300});
    for (Seen& one : seen) {
        auto const pass = model.add<Pass>("pass", 0U);
        auto const sink = model.add<Sum>("sum", &one);
        model.connect(numbers, pass);
        model.connect(pass, sink);
    }
    MXK_REQUIRE(model.check().ok());
    MXK_CHECK(run(model).ok());
    for (Seen const& one : seen) {
        MXK_CHECK_EQUAL(one.sum, sum_below(300));
        MXK_CHECK(one.is_in_order);
    }
}

// Three branches of three boxes each, one core: 1 4 7, 2 5 8, 3 6 9.
MXK_TEST(dataflow, branches_run_one_after_the_other) {
    Trace trace;
    Seen seen;
    Model model;
    auto const numbers = model.add<Numbers>("numbers", std::uint64_t{1});
    auto const sink = model.add<Sum>("sum", &seen);
    for (std::uint32_t branch = 1; branch <= 3; ++branch) {
        auto from = numbers;
        for (std::uint32_t depth = 0; depth < 3; ++depth) {
            auto const box = model.add<Noted>("noted", &trace, branch + 3 * depth);
            model.connect(from, box);
            from = box;
        }
        model.connect(from, sink);
    }
    MXK_REQUIRE(model.check().ok());
    std::array const first{CoreId{}};
    auto scheduler = Scheduler::create(first, {});
    MXK_REQUIRE(scheduler.ok());
    Query query(model);
    scheduler.value()->submit(query);
    MXK_CHECK(query.wait().ok());
    constexpr std::array<std::uint32_t, 9> expected{1, 4, 7, 2, 5, 8, 3, 6, 9};
    for (std::size_t i = 0; i < expected.size(); ++i) MXK_CHECK_EQUAL(trace.entries[i], expected[i]);
    MXK_CHECK_EQUAL(seen.count, 3u);
}

// What is in a pipe comes before what is still to come: on one core, buffers that are full once do not stay full.
void check_that_bursts_leave(Model& model, Model::BoxId giver, Burst& burst) {
    auto const first = model.add<Pass>("first", 0U);
    auto const second = model.add<Pass>("second", 0U);
    model.connect(giver, first);
    model.connect(first, second);
    model.connect(second, model.add<Sum>("sum", &burst.seen));
    MXK_REQUIRE(model.check().ok());
    MXK_CHECK(run_on(std::array{CoreId{}}, model).ok());
    MXK_CHECK_EQUAL(burst.seen.sum, sum_below(Burst::count));
    MXK_CHECK(burst.seen.is_in_order);
    MXK_CHECK_EQUAL(burst.max_on_their_way, 0u);
}
MXK_TEST(dataflow, a_source_goes_on_when_its_pipe_is_empty) {
    Burst burst;
    Model model;
    check_that_bursts_leave(model, model.add<BurstSource>("burst", &burst), burst);
}
MXK_TEST(dataflow, a_box_whose_inputs_are_over_goes_on_when_its_pipe_is_empty) {
    Burst burst;
    Model model;
    auto const at_end = model.add<BurstAtEnd>("burst", &burst);
    model.connect(model.add<Numbers>("numbers", std::uint64_t{3}), at_end);
    check_that_bursts_leave(model, at_end, burst);
}

// Boxes of different speed side by side: the order is kept (checklist 37).
MXK_TEST(dataflow, a_stage_of_several_boxes_keeps_the_order) {
    Seen seen;
    Model model;
    model.set_capacity(2);
    auto const numbers = model.add<Numbers>("numbers", std::uint64_t{500});
    auto const deal = model.add<dataflow::Distribute>("deal");
    auto const gather = model.add<dataflow::Gather>("gather");
    auto const sink = model.add<Sum>("sum", &seen);
    model.connect(numbers, deal);
    for (unsigned box = 0; box < 3; ++box) {
        auto const pass = model.add<Pass>("pass", 200U * box);
        model.connect(deal, pass);
        model.connect(pass, gather);
    }
    model.connect(gather, sink);
    MXK_REQUIRE(model.check().ok());
    for (Discipline const discipline : all_disciplines) {
        seen = {};
        MXK_CHECK(run(model, {.discipline = discipline}).ok());
        MXK_CHECK_EQUAL(seen.sum, sum_below(500));
        MXK_CHECK(seen.is_in_order);
    }
}

// Boxes alike. The first envelope that comes to the first of them takes until the others have got so many, or for 20
// seconds.
struct Stage {
    static constexpr std::uint64_t held_up = 900;
    std::array<std::atomic<std::uint64_t>, 3> counts{};
};
struct StageBox : Box {
    static constexpr std::array<std::string_view, 1> inputs{"in"};
    static constexpr bool has_output = true;
    StageBox(Query& query, CoreId core, Stage* its_stage, std::size_t its_number)
        : Box(query, core)
        , stage(*its_stage)
        , number(its_number) {}
    Result<Step> receive(CoreScheduler&, std::size_t, EnvelopePointer envelope) override {
        if (stage.counts[number].fetch_add(1) == 0 && number == 0) {
            Cycles const start = clock::timestamp();
            Cycles const deadline = clock::to_cycles(Nanoseconds{20'000'000'000});
            while (stage.counts[1] + stage.counts[2] < Stage::held_up && clock::timestamp() - start < deadline)
                arch::pause();
        }
        emit(std::move(envelope));
        return Step::More;
    }
    Stage& stage;
    std::size_t number;
};
// What a slow box does not come to, the others get.
MXK_TEST(dataflow, a_slow_box_of_a_stage_gets_fewer_envelopes) {
    if (workers::count() < 2) MXK_SKIP("needs two cores");
    Seen seen;
    Stage stage;
    Model model;
    model.set_capacity(dataflow::Edge::max_capacity);
    auto const deal = model.add<dataflow::Distribute>("deal");
    auto const sink = model.add<Sum>("sum", &seen);
    model.connect(model.add<Numbers>("numbers", std::uint64_t{1000}), deal);
    for (std::size_t number = 0; number < stage.counts.size(); ++number) {
        auto const box = model.add<StageBox>("stage", &stage, number);
        model.connect(deal, box);
        model.connect(box, sink);
    }
    MXK_REQUIRE(model.check().ok());
    MXK_CHECK(run(model).ok());
    MXK_CHECK_EQUAL(seen.sum, sum_below(1000));
    MXK_CHECK(stage.counts[1] + stage.counts[2] >= Stage::held_up);
}
MXK_TEST(dataflow, a_stage_that_drops_an_envelope_is_found_out) {
    Seen seen;
    Model model;
    auto const numbers = model.add<Numbers>("numbers", std::uint64_t{50});
    auto const deal = model.add<dataflow::Distribute>("deal");
    auto const gather = model.add<dataflow::Gather>("gather");
    auto const sink = model.add<Sum>("sum", &seen);
    auto const few = model.add<First>("first", std::uint64_t{3});
    auto const pass = model.add<DropsOne>("drops one");
    model.connect(numbers, deal);
    model.connect(deal, pass);
    model.connect(deal, few);
    model.connect(pass, gather);
    model.connect(few, gather);
    model.connect(gather, sink);
    MXK_REQUIRE(model.check().ok());
    MXK_CHECK(!run(model).ok());
}
// Also the last but one, where nothing else comes. On one core, boxes alike get envelopes in turn.
MXK_TEST(dataflow, a_stage_that_drops_an_envelope_near_the_end_is_found_out) {
    Seen seen;
    Model model;
    auto const deal = model.add<dataflow::Distribute>("deal");
    auto const gather = model.add<dataflow::Gather>("gather");
    auto const pass = model.add<Pass>("pass", 0U);
    auto const drops = model.add<DropsOne>("drops one");
    model.connect(model.add<Numbers>("numbers", std::uint64_t{4}), deal);
    model.connect(deal, pass);
    model.connect(deal, drops);
    model.connect(pass, gather);
    model.connect(drops, gather);
    model.connect(gather, model.add<Sum>("sum", &seen));
    MXK_REQUIRE(model.check().ok());
    MXK_CHECK(!run_on(std::array{CoreId{}}, model).ok());
}

MXK_TEST(dataflow, a_gather_of_two_sources_is_found_out) {
    Seen seen;
    Model model;
    auto const gather = model.add<dataflow::Gather>("gather");
    model.connect(model.add<Numbers>("a", std::uint64_t{20}), gather);
    model.connect(model.add<Numbers>("b", std::uint64_t{20}), gather);
    model.connect(gather, model.add<Sum>("sum", &seen));
    MXK_REQUIRE(model.check().ok());
    auto const result = run(model);
    MXK_REQUIRE(!result.ok());
    MXK_CHECK(result.error().message().ends_with("of a gather or a later one, got one before it"));
}

// To the stage's boxes and to others, of which none is in front of the gather.
MXK_TEST(dataflow, boxes_of_a_stage_may_have_other_receivers) {
    std::array<Seen, 3> seen;
    Model model;
    model.set_capacity(1);
    auto const numbers = model.add<Numbers>("numbers", std::uint64_t{100});
    auto const deal = model.add<dataflow::Distribute>("deal");
    auto const gather = model.add<dataflow::Gather>("gather");
    model.connect(numbers, deal);
    model.connect(numbers, model.add<Sum>("all", seen.data()));
    for (std::size_t i = 0; i < 2; ++i) {
        auto const pass = model.add<Pass>("pass", 0U);
        model.connect(deal, pass);
        model.connect(pass, gather);
        if (i == 0) model.connect(pass, model.add<Sum>("some", &seen[1]));
    }
    model.connect(gather, model.add<Sum>("gathered", &seen[2]));
    MXK_REQUIRE(model.check().ok());
    MXK_REQUIRE(run(model).ok());
    MXK_CHECK_EQUAL(seen[0].count, 100);
    MXK_CHECK_EQUAL(seen[2].count, 100);
    MXK_CHECK(seen[2].is_in_order);
}

MXK_TEST(dataflow, a_box_that_has_enough_lets_the_others_end) {
    Seen seen;
    Model model;
    auto const numbers = model.add<Numbers>("numbers", std::uint64_t{1000});
    auto const few = model.add<First>("first", std::uint64_t{10});
    auto const sink = model.add<Sum>("sum", &seen);
    model.connect(numbers, few);
    model.connect(few, sink);
    MXK_REQUIRE(model.check().ok());
    MXK_CHECK(run(model).ok());
    MXK_CHECK_EQUAL(seen.sum, sum_below(10));
}

MXK_TEST(dataflow, a_box_that_fails_ends_its_query_with_an_error) {
    Seen seen;
    Model model;
    auto const numbers = model.add<Numbers>("numbers", std::uint64_t{100'000});
    auto const fails = model.add<Fails>("fails");
    auto const sink = model.add<Sum>("sum", &seen);
    model.connect(numbers, fails);
    model.connect(fails, sink);
    MXK_REQUIRE(model.check().ok());
    auto const result = run(model);
    MXK_CHECK(!result.ok());
    if (!result.ok()) MXK_CHECK(result.error().message() == "box 'fails': the hundredth is one too many");
    MXK_CHECK(seen.sum <= sum_below(100));
}

MXK_TEST(dataflow, a_box_may_read_its_inputs_one_after_the_other) {
    Seen seen;
    Model model;
    model.set_capacity(2);
    auto const first = model.add<Numbers>("first numbers", std::uint64_t{50});
    auto const second = model.add<Numbers>("second numbers", std::uint64_t{60});
    auto const join = model.add<InOrder>("join");
    auto const sink = model.add<Sum>("sum", &seen);
    model.connect(first, join, "first");
    model.connect(second, join, "second");
    model.connect(join, sink);
    MXK_REQUIRE(model.check().ok());
    MXK_CHECK(run(model).ok());
    MXK_CHECK_EQUAL(seen.sum, sum_below(50) + sum_below(60));
}

// Many queries of one model at once: nothing is left afterwards (checklist 9).
MXK_TEST(dataflow, queries_give_all_their_memory_back) {
    constexpr std::size_t queries = 60;
    std::array<Seen, 1> seen;
    auto const run_many = [&] {
        Model model;
        model.set_capacity(2);
        auto const numbers = model.add<Numbers>("numbers", std::uint64_t{40});
        auto const pass = model.add<Pass>("pass", 0U);
        auto const few = model.add<First>("first", std::uint64_t{20});
        auto const fails = model.add<Fails>("fails");
        auto const sink = model.add<Pass>("last", 0U);
        auto const end = model.add<First>("end", std::uint64_t{1});
        auto const drop = model.add<Sum>("sum", seen.data());
        model.connect(numbers, pass);
        model.connect(pass, few);
        model.connect(few, fails);
        model.connect(fails, sink);
        model.connect(sink, end);
        model.connect(end, drop);
        MXK_REQUIRE(model.check().ok());
        auto scheduler = Scheduler::create(all_cores().span().first(1), {});
        MXK_REQUIRE(scheduler.ok());
        auto all = NodeVector<Query>::create(queries, Worker::current().node());
        MXK_REQUIRE(all.ok());
        for (std::size_t i = 0; i < queries; ++i) all.value().emplace(model);
        for (Query& query : all.value()) scheduler.value()->submit(query);
        for (Query& query : all.value()) MXK_CHECK(query.wait().ok());
    };
    run_many(); // what heaps keep is theirs from now on
    heap::CoreUse const before = Worker::current().heap().use();
    run_many();
    MXK_CHECK_EQUAL(Worker::current().heap().use().live_bytes, before.live_bytes);
}

// ---- Threads

// A thread is no core of the scheduler's, and has no queue.
MXK_TEST(dataflow, threads_submit_cancel_and_wait_for_queries) {
    constexpr std::size_t per_thread = 16;
    auto const cores = all_cores();
    for (Discipline const discipline : all_disciplines) {
        std::array<Seen, 2 * per_thread> seen{};
        std::array<Model, 2 * per_thread> models;
        for (std::size_t at = 0; at < models.size(); ++at) {
            models[at].connect(models[at].add<Numbers>("numbers", std::uint64_t{50}),
                               models[at].add<Sum>("sum", &seen[at]));
            MXK_REQUIRE(models[at].check().ok());
        }
        auto scheduler = Scheduler::create(cores.span(), {.discipline = discipline});
        auto queries = NodeVector<Query>::create(models.size(), Worker::current().node());
        MXK_REQUIRE(scheduler.ok() && queries.ok());
        for (Model const& model : models) queries.value().emplace(model);
        auto const submit_from = [&](std::size_t first) {
            for (std::size_t at = first; at < first + per_thread; ++at) {
                if (at % 4 == 1)
                    scheduler.value()->submit_to(static_cast<std::uint16_t>(scheduler.value()->nodes().size() - 1),
                                                 queries.value()[at]);
                else
                    scheduler.value()->submit(queries.value()[at]);
                if (at % 4 == 3) queries.value()[at].cancel();
            }
            for (std::size_t at = first; at < first + per_thread; ++at)
                if (at % 4 != 3) MXK_CHECK(queries.value()[at].wait().ok());
        };
        auto a = [&] { submit_from(0); };
        auto b = [&] { submit_from(per_thread); };
        auto first = Thread::create({.core = cores.span().front()}, a);
        auto second = Thread::create({.core = cores.span().back()}, b);
        MXK_REQUIRE(first.ok() && second.ok());
        MXK_CHECK(first.value().join().ok());
        MXK_CHECK(second.value().join().ok());
        for (std::size_t at = 0; at < queries.value().size(); ++at) {
            MXK_CHECK_EQUAL(queries.value()[at].wait().ok(), seen[at].has_ended);
            MXK_CHECK(at % 4 == 3 || seen[at].sum == sum_below(50));
        }
    }
}

// ---- Sources that wait

// Numbers that somebody else puts here, each once, until he says that it was the last one.
struct Feed : Query {
    using Query::Query;
    void put(std::uint64_t so_many) {
        there.fetch_add(so_many, std::memory_order_relaxed);
        waker.wake();
    }
    void end() {
        is_last.store(true, std::memory_order_relaxed);
        waker.wake();
    }
    std::atomic<std::uint64_t> there{0};
    std::atomic<bool> is_last{false};
    std::atomic<std::uint64_t> runs{0};
    dataflow::TaskWaker waker;
};
struct FeedSource : Box {
    static constexpr std::array<std::string_view, 0> inputs{};
    static constexpr bool has_output = true;
    FeedSource(Query& query, CoreId core)
        : Box(query, core)
        , feed(static_cast<Feed&>(query)) {
        wait_by(feed.waker);
    }
    Result<Step> produce(CoreScheduler&) override {
        feed.runs.fetch_add(1, std::memory_order_relaxed);
        bool const is_last = feed.is_last.load(std::memory_order_relaxed);
        if (next_number == feed.there.load(std::memory_order_relaxed)) return is_last ? Step::Done : Step::Wait;
        auto envelope = Envelope::create(1, next_number);
        envelope->columns[0] = Column::create_for<std::uint64_t>(1);
        *envelope->columns[0].writable<std::uint64_t>() = next_number++;
        emit(std::move(envelope));
        return Step::More;
    }
    Feed& feed;
    std::uint64_t next_number = 0;
};
// And another pipe, whose source soon ends.
struct FeedModel : Model {
    FeedModel() {
        connect(add<FeedSource>("feed"), add<Sum>("sum", &seen));
        connect(add<Numbers>("numbers", std::uint64_t{3}), add<Sum>("sum of numbers", &others));
        MXK_REQUIRE(check().ok());
    }
    Seen seen;
    Seen others;
};
// Serves tasks on this core until `done()`; what that reads may be written by who wakes nobody.
template <typename Done> void serve_until(Done done) {
    Worker& here = Worker::current();
    while (!done()) {
        Timer alarm([](Worker& /*worker*/, Timer& /*timer*/) {}); // it is the interrupt that counts
        Cycles const due = clock::timestamp() + clock::to_cycles(Nanoseconds{100'000});
        here.timers().set(alarm, due);
        here.run_until([&] { return done() || clock::timestamp() >= due; });
        here.timers().cancel(alarm);
    }
}

// Some threads put numbers while the source waits, runs, is just about to wait, has not begun; the last wake ends it.
void feed_from_threads(Discipline discipline) {
    constexpr std::uint64_t per_thread = 2000;
    auto const cores = all_cores();
    auto scheduler = Scheduler::create(cores.span(), {.discipline = discipline});
    MXK_REQUIRE(scheduler.ok());
    FeedModel model;
    Feed query(model);
    std::atomic<unsigned> left{2};
    auto puts = [&] {
        bench::Random random(inner_tests::seed());
        for (std::uint64_t i = 0; i < per_thread; ++i) {
            query.put(1);
            for (std::uint64_t pauses = random.below(200); pauses > 0; --pauses) arch::pause();
        }
        if (left.fetch_sub(1) == 1) query.end();
    };
    auto first = Thread::create({.core = cores.span().front()}, puts);
    auto second = Thread::create({.core = cores.span().back()}, puts);
    MXK_REQUIRE(first.ok() && second.ok());
    scheduler.value()->submit(query);
    MXK_CHECK(first.value().join().ok());
    MXK_CHECK(second.value().join().ok());
    static_cast<void>(query.wait());
    MXK_CHECK(query.result().ok());
    MXK_CHECK_EQUAL(model.seen.sum, sum_below(2 * per_thread));
    MXK_CHECK(model.seen.is_in_order);
    MXK_CHECK(!query.waker.wake()); // it has ended
}
MXK_TEST(dataflow, threads_wake_a_source_that_waits) {
    for (Discipline const discipline : all_disciplines) feed_from_threads(discipline);
}
MXK_TEST(dataflow, threads_wake_a_source_that_waits_also_with_delays) {
    InjectDelays const delays;
    feed_from_threads(Discipline::Requests);
}

// A task of the console's core, which is one of the scheduler's; and one of a core that is not.
MXK_TEST(dataflow, cores_wake_a_source_that_waits) {
    for (std::size_t const without : {0u, 1u}) {
        if (without == 1 && workers::count() < 2) continue;
        auto const cores = all_cores();
        auto scheduler = Scheduler::create(cores.span().subspan(without), {});
        MXK_REQUIRE(scheduler.ok());
        FeedModel model;
        Feed query(model);
        MXK_CHECK(!query.waker.wake()); // it has not begun
        scheduler.value()->submit(query);
        for (std::uint64_t number = 0; number < 20; ++number) {
            serve_until([&] { return query.runs.load() >= 1 + 2 * number; });
            query.put(1);
        }
        query.end();
        static_cast<void>(query.wait());
        MXK_CHECK_EQUAL(model.seen.sum, sum_below(20));
    }
}

// It ends, whether it is cancelled before it begins, while it waits, or while others wake it.
MXK_TEST(dataflow, a_query_whose_source_waits_can_be_cancelled) {
    auto const cores = all_cores();
    for (unsigned round = 0; round < 60; ++round) {
        auto scheduler = Scheduler::create(cores.span(), {.discipline = all_disciplines[round % 6]});
        MXK_REQUIRE(scheduler.ok());
        FeedModel model;
        Feed query(model);
        std::atomic<bool> is_over{false};
        auto wakes = [&] {
            while (round % 4 < 2 && !is_over.load()) query.waker.wake();
        };
        auto cancels = [&] {
            for (unsigned pauses = 0; pauses < 100 * (round % 7); ++pauses) arch::pause();
            query.cancel();
        };
        scheduler.value()->submit(query);
        if (round % 3 == 1) serve_until([&] { return query.runs.load() != 0; });
        auto other = Thread::create({.core = cores.span().front()}, wakes);
        MXK_REQUIRE(other.ok());
        if (round % 2 == 0) {
            auto thread = Thread::create({.core = cores.span().back()}, cancels);
            MXK_REQUIRE(thread.ok());
            MXK_CHECK(thread.value().join().ok());
        } else {
            cancels();
        }
        static_cast<void>(query.wait());
        is_over.store(true);
        MXK_CHECK(other.value().join().ok());
        MXK_CHECK(!query.result().ok());
        MXK_CHECK(!model.seen.has_ended || !query.result().ok());
    }
}

// One of two pipes waits, the other fails.
MXK_TEST(dataflow, a_query_that_fails_while_a_source_waits_ends) {
    Seen seen;
    Model model;
    Seen of_feed;
    auto const fails = model.add<Fails>("fails");
    model.connect(model.add<FeedSource>("feed"), model.add<Sum>("sum of feed", &of_feed));
    model.connect(model.add<Numbers>("numbers", std::uint64_t{100'000}), fails);
    model.connect(fails, model.add<Sum>("sum", &seen));
    MXK_REQUIRE(model.check().ok());
    auto scheduler = Scheduler::create(all_cores().span(), {});
    MXK_REQUIRE(scheduler.ok());
    Feed query(model);
    scheduler.value()->submit(query);
    static_cast<void>(query.wait());
    MXK_CHECK(!query.result().ok());
    if (!query.result().ok())
        MXK_CHECK(query.result().error().message() == "box 'fails': the hundredth is one too many");
}

// A receiver that has enough ends a source that waits.
MXK_TEST(dataflow, a_source_that_waits_ends_when_nobody_wants_more) {
    Seen seen;
    Model model;
    auto const few = model.add<First>("first", std::uint64_t{1});
    model.connect(model.add<FeedSource>("feed"), few);
    model.connect(few, model.add<Sum>("sum", &seen));
    MXK_REQUIRE(model.check().ok());
    auto scheduler = Scheduler::create(all_cores().span(), {});
    MXK_REQUIRE(scheduler.ok());
    Feed query(model);
    scheduler.value()->submit(query);
    query.put(1);
    static_cast<void>(query.wait());
    MXK_CHECK(query.result().ok());
    MXK_CHECK_EQUAL(seen.count, 1u);
}

// While all sources wait, cores sleep, and other requests begin, however many wait.
MXK_TEST(dataflow, sources_that_wait_cost_nothing) {
    auto const cores = all_cores();
    std::size_t const waiting = cores.size() + 3;
    auto scheduler = Scheduler::create(cores.span(), {});
    MXK_REQUIRE(scheduler.ok());
    auto models = NodeVector<FeedModel>::create(waiting, Worker::current().node());
    auto feeds = NodeVector<Feed>::create(waiting, Worker::current().node());
    MXK_REQUIRE(models.ok() && feeds.ok());
    for (std::size_t i = 0; i < waiting; ++i) feeds.value().emplace(models.value().emplace());
    for (Feed& feed : feeds.value()) scheduler.value()->submit(feed);
    serve_until([&] { return std::ranges::all_of(feeds.value(), [](Feed& feed) { return feed.runs.load() != 0; }); });
    // All but the one that looks.
    auto const do_all_sleep = [&] {
        std::uint32_t awake = 0;
        for (dataflow::NodeScheduler const& node : scheduler.value()->nodes()) awake += node.activity.counts().awake;
        return awake <= 1;
    };
    serve_until(do_all_sleep);
    std::uint64_t runs = 0;
    for (Feed& feed : feeds.value()) runs += feed.runs.load();
    MXK_CHECK(runs <= 2 * waiting);
    Seen seen;
    Model other;
    other.connect(other.add<Numbers>("numbers", std::uint64_t{50}), other.add<Sum>("sum", &seen));
    MXK_REQUIRE(other.check().ok());
    Query query(other);
    scheduler.value()->submit(query);
    static_cast<void>(query.wait());
    MXK_CHECK_EQUAL(seen.sum, sum_below(50));
    for (Feed& feed : feeds.value()) feed.end();
    for (Feed& feed : feeds.value()) static_cast<void>(feed.wait());
}

// ---- Models

MXK_TEST(dataflow, a_model_that_was_not_checked_or_has_changed_since_does_not_run) {
    Seen seen;
    Model model;
    auto const numbers = model.add<Numbers>("numbers", std::uint64_t{5});
    model.connect(numbers, model.add<Sum>("sum", &seen));
    auto const is_refused = [&](std::string_view why = "expected a model that has passed check(), got another one") {
        auto const result = run(model);
        return !result.ok() && result.error().message() == why;
    };
    MXK_CHECK(is_refused());
    MXK_CHECK(model.check().ok());
    MXK_CHECK(run(model).ok());
    Seen more_seen;
    auto const more = model.add<Sum>("more", &more_seen);
    MXK_CHECK(is_refused());
    MXK_CHECK(!model.check().ok());
    MXK_CHECK(is_refused("box 'more': input 'in' is not connected"));
    model.connect(numbers, more);
    MXK_CHECK(is_refused());
    MXK_CHECK(model.check().ok());
    MXK_CHECK(run(model).ok());
    MXK_CHECK_EQUAL(seen.count, 10u);
    MXK_CHECK_EQUAL(more_seen.count, 5u);
    model.connect(more, numbers);
    MXK_CHECK(is_refused("box 'more' has no output, but is connected to box 'numbers'"));
}

// Either all has been done, or the result says that it was not.
MXK_TEST(dataflow, what_was_cancelled_says_so) {
    for (Discipline const discipline : all_disciplines) {
        for (unsigned turns = 0; turns < 12; ++turns) {
            Seen seen;
            Model model;
            constexpr std::uint64_t count = 40;
            model.connect(model.add<Numbers>("numbers", count), model.add<Sum>("sum", &seen));
            MXK_REQUIRE(model.check().ok());
            auto scheduler = Scheduler::create(all_cores().span().first(1), {.discipline = discipline});
            MXK_REQUIRE(scheduler.ok());
            Query query(model);
            if (turns == 0) query.cancel();
            scheduler.value()->submit(query);
            Worker::current().run_until([&, left = turns]() mutable { return left-- == 0 || query.is_over(); });
            if (turns != 11) query.cancel();
            MXK_CHECK_EQUAL(query.wait().ok(), seen.has_ended);
            if (turns == 11) query.cancel(); // it is over
            MXK_CHECK(query.state() == (seen.has_ended ? Query::State::Done : Query::State::Cancelled));
            MXK_CHECK(!seen.has_ended || seen.count == count);
            MXK_CHECK(turns != 0 || !query.result().ok());
            MXK_CHECK(turns != 11 || query.result().ok());
            if (!query.result().ok()) MXK_CHECK(query.result().error().message() == "the query was cancelled");
        }
    }
}

MXK_TEST(dataflow, what_is_wrong_with_a_model_is_said_by_box_and_input) {
    Seen seen;
    check_model_error([](Model&) {}, "expected a model with a box, got none");
    check_model_error([](Model& model) { model.add<Numbers>("numbers", std::uint64_t{1}); },
                      "box 'numbers': its output is not connected");
    check_model_error(
        [&](Model& model) {
            auto const numbers = model.add<Numbers>("numbers", std::uint64_t{1});
            auto const join = model.add<InOrder>("join");
            model.connect(numbers, join, "first");
            model.connect(join, model.add<Sum>("sum", &seen));
        },
        "box 'join': input 'second' is not connected");
    check_model_error(
        [&](Model& model) {
            auto const numbers = model.add<Numbers>("numbers", std::uint64_t{1});
            model.connect(numbers, model.add<InOrder>("join"), "third");
        },
        "box 'join': expected one of its inputs first, second, got 'third'");
    check_model_error(
        [&](Model& model) {
            auto const numbers = model.add<Numbers>("numbers", std::uint64_t{1});
            auto const pass = model.add<Pass>("pass", 0U);
            model.connect(numbers, pass);
            model.connect(model.add<Numbers>("others", std::uint64_t{1}), pass);
        },
        "box 'pass': input 'in' is connected twice, the second time from box 'others'");
    check_model_error(
        [&](Model& model) {
            auto const sum = model.add<Sum>("sum", &seen);
            model.connect(sum, model.add<Pass>("pass", 0U));
        },
        "box 'sum' has no output, but is connected to box 'pass'");
    check_model_error(
        [&](Model& model) {
            auto const a = model.add<Pass>("a", 0U);
            auto const b = model.add<Pass>("b", 0U);
            model.connect(a, b);
            model.connect(b, a);
        },
        "box 'a' would receive what it has sent: the boxes form a circle");
    check_model_error(
        [&](Model& model) {
            auto const numbers = model.add<Numbers>("numbers", std::uint64_t{1});
            auto const pass = model.add<Pass>("pass", 0U);
            auto const join = model.add<InOrder>("join");
            model.connect(numbers, join, "first");
            model.connect(numbers, pass);
            model.connect(pass, join, "second");
            model.connect(join, model.add<Sum>("sum", &seen));
        },
        "box 'join' reads its inputs one after the other, and box 'numbers' feeds input 'first' and another: it would "
        "wait "
        "for ever");
    // What gathers would leave one input full and wait for the other, which waits for that one.
    check_model_error(
        [&](Model& model) {
            auto const numbers = model.add<Numbers>("numbers", std::uint64_t{20});
            auto const deal = model.add<dataflow::Distribute>("deal");
            auto const gather = model.add<dataflow::Gather>("gather");
            model.connect(numbers, deal);
            model.connect(deal, gather);
            model.connect(numbers, gather);
            model.connect(gather, model.add<Sum>("sum", &seen));
        },
        "box 'gather' waits for one of its inputs while others are full, and box 'numbers' feeds two of them: it would "
        "wait for ever");
    check_model_error(
        [&](Model& model) {
            model.set_capacity(65);
            model.connect(model.add<Numbers>("numbers", std::uint64_t{1}), model.add<Sum>("sum", &seen));
        },
        "box 'sum': expected room for 1 to 64 envelopes at input 'in', got 65");
}

} // namespace
} // namespace mxk::dataflow_tests
