// Tasks that a box makes: each runs once, others of the node's cores take part, the box goes on when all have ended,
// and nothing of them is left; a box that sorts by such tasks.
#include <algorithm>
#include <array>
#include <atomic>

#include "base/splitmix.hpp"
#include "kernel/memory/heap/heap_statistics.hpp"
#include "tasks/dataflow/graph/box_task.hpp"
#include "tasks/dataflow/graph/parallel_sort_box.hpp"
#include "tasks/dataflow/graph/query_monitor.hpp"
#include "tests/delays.hpp"
#include "tests/kernel/dataflow/queries.hpp"

namespace mxk::dataflow_tests {
namespace {

using dataflow::BoxTask;
using dataflow::BoxTasks;
using dataflow::KeyRun;
using dataflow::QueryMonitor;

// ---- Tasks

// Multiplies a number by its own, once.
struct Product : BoxTask {
    Product(Box& box, CoreScheduler& here, std::size_t its_number, std::uint64_t its_value)
        : BoxTask(box, here, its_number, &Product::multiply)
        , factor(its_number)
        , value(its_value) {}
    static Result<void> multiply(CoreScheduler&, BoxTask& task) {
        auto& self = static_cast<Product&>(task);
        self.product = self.factor * self.value;
        self.runs.fetch_add(1, std::memory_order_relaxed);
        if (self.value == 100) return Error("a hundred is too much for a task");
        return {};
    }
    std::uint64_t factor;
    std::uint64_t value;
    std::uint64_t product = 0;
    std::atomic<unsigned> runs{0};
};

// Starts some tasks for each number that comes, and passes it on when they have ended.
struct Multiplies : Box {
    static constexpr std::array<std::string_view, 1> inputs{"in"};
    static constexpr bool has_output = true;
    Multiplies(Query& query, CoreId core, std::size_t tasks_for_each)
        : Box(query, core)
        , count(tasks_for_each) {}
    Result<Step> receive(CoreScheduler& here, std::size_t, EnvelopePointer envelope) override {
        pass_on();
        std::uint64_t const value = *envelope->values<std::uint64_t>(0);
        kept = std::move(envelope);
        tasks.remove_ended();
        for (std::size_t i = 0; i < count; ++i) {
            Product* const task = tasks.add(*this, here, value);
            if (task == nullptr) return dataflow::no_memory_for_envelopes();
            expected += (made++) * value;
            start(here, *task);
        }
        return Step::AfterTasks;
    }
    Result<Step> finish(CoreScheduler&) override {
        pass_on();
        return Step::Done;
    }
    void pass_on() {
        if (!kept) return;
        MXK_CHECK(!has_tasks());
        std::uint64_t sum = 0;
        std::size_t seen = 0;
        tasks.for_each([&](Product const& task) {
            if (task.value != *kept->values<std::uint64_t>(0)) return;
            MXK_CHECK_EQUAL(task.runs.load(std::memory_order_relaxed), 1u);
            sum += task.product;
            ++seen;
        });
        MXK_CHECK_EQUAL(seen, count);
        MXK_CHECK_EQUAL(sum, expected);
        expected = 0;
        emit(std::move(kept));
    }
    std::size_t count;
    std::uint64_t made = 0;
    std::uint64_t expected = 0;
    EnvelopePointer kept;
    BoxTasks<Product> tasks;
};

// numbers -> multiplies -> sum. Whether the model is whole.
[[nodiscard]] bool make_products(Model& model, std::uint64_t numbers, std::size_t tasks, Seen& seen) {
    auto const source = model.add<Numbers>("numbers", numbers);
    auto const multiplies = model.add<Multiplies>("multiplies", tasks);
    model.connect(source, multiplies);
    model.connect(multiplies, model.add<Sum>("sum", &seen));
    return model.check().ok();
}

void check_products(SchedulerOptions const& options, std::uint32_t capacity, std::size_t tasks) {
    Seen seen;
    Model model;
    model.set_capacity(capacity);
    MXK_REQUIRE(make_products(model, 90, tasks, seen));
    MXK_CHECK(run(model, options).ok());
    MXK_CHECK_EQUAL(seen.count, 90u);
    MXK_CHECK_EQUAL(seen.sum, sum_below(90));
    MXK_CHECK(seen.is_in_order);
    MXK_CHECK(seen.has_ended);
}

MXK_TEST(dataflow, a_box_goes_on_when_all_of_its_tasks_have_ended) {
    for (Discipline const discipline : all_disciplines)
        for (std::uint32_t const capacity : {1U, 4U})
            for (std::size_t const tasks : {1U, 7U}) check_products({.discipline = discipline}, capacity, tasks);
}
MXK_TEST(dataflow, a_box_goes_on_after_its_tasks_also_with_delays) {
    InjectDelays const delays;
    for (Discipline const discipline : all_disciplines) check_products({.discipline = discipline}, 1, 5);
}

MXK_TEST(dataflow, a_task_of_a_box_that_fails_ends_the_query_with_its_error) {
    Seen seen;
    Model model;
    MXK_REQUIRE(make_products(model, 100'000, 5, seen));
    auto const result = run(model);
    MXK_CHECK(!result.ok());
    if (!result.ok()) MXK_CHECK_EQUAL(result.error().message(), "box 'multiplies': a hundred is too much for a task");
    MXK_CHECK(seen.sum <= sum_below(101));
}

// ---- Monitored

MXK_TEST(dataflow, a_monitored_query_has_no_memory_when_it_has_ended) {
    Seen seen;
    Model model;
    MXK_REQUIRE(make_products(model, 50, 5, seen));
    Model failing;
    MXK_REQUIRE(make_products(failing, 100'000, 5, seen));
    auto scheduler = Scheduler::create(all_cores().span(), {});
    MXK_REQUIRE(scheduler.ok());
    QueryMonitor monitor;
    auto const check = [&](std::string_view expected, Model const& of, std::size_t limit, unsigned cancelled_after) {
        MXK_REQUIRE(monitor.begin(of, limit).ok());
        Query query(of);
        query.monitor_by(monitor);
        scheduler.value()->submit(query);
        auto const result = query.wait([&, left = cancelled_after]() mutable {
            if (left != 0 && --left == 0) query.cancel();
        });
        std::string_view const got = result.ok() ? "done" : result.error().message();
        bool const is_expected = got.ends_with(expected) || (cancelled_after != 0 && result.ok());
        if (!is_expected) log::error("got: {}", got);
        MXK_CHECK(is_expected);
        MXK_CHECK_EQUAL(monitor.memory(), 0U);
    };
    for (int round = 0; round < 5; ++round) {
        check("done", model, QueryMonitor::no_limit, 0);
        MXK_CHECK_EQUAL(monitor.rows_read(), 50U);
        MXK_CHECK(monitor.max_memory() != 0);
        check("out of memory: the query has more than its limit of 0 bytes", model, 0, 0);
        check("out of memory: the query has more than its limit of 1 bytes", model, 1, 0);
        check("a hundred is too much for a task", failing, QueryMonitor::no_limit, 0);
    }
    for (unsigned turns = 1; turns < 20; ++turns)
        check("the query was cancelled", model, QueryMonitor::no_limit, turns);
    // Two at once on the same cores.
    Seen other_seen;
    Model other;
    MXK_REQUIRE(make_products(other, 70, 3, other_seen));
    QueryMonitor of_other;
    MXK_REQUIRE(monitor.begin(model).ok() && of_other.begin(other).ok());
    Query query(model);
    Query other_query(other);
    query.monitor_by(monitor);
    other_query.monitor_by(of_other);
    scheduler.value()->submit(query);
    scheduler.value()->submit(other_query);
    MXK_CHECK(query.wait().ok() && other_query.wait().ok());
    MXK_CHECK_EQUAL(monitor.rows_read(), 50U);
    MXK_CHECK_EQUAL(of_other.rows_read(), 70U);
    MXK_CHECK_EQUAL(monitor.memory(), 0U);
    MXK_CHECK_EQUAL(of_other.memory(), 0U);
}

MXK_TEST(dataflow, a_monitor_of_another_model_is_refused) {
    Seen seen;
    Model model;
    MXK_REQUIRE(make_products(model, 10, 1, seen));
    Model other;
    MXK_REQUIRE(make_products(other, 10, 1, seen));
    auto scheduler = Scheduler::create(all_cores().span(), {});
    MXK_REQUIRE(scheduler.ok());
    auto const check_refused = [&](QueryMonitor& monitor) {
        Query query(model);
        query.monitor_by(monitor);
        scheduler.value()->submit(query);
        auto const result = query.wait();
        MXK_CHECK(!result.ok());
        if (result.ok()) return;
        MXK_CHECK_EQUAL(result.error().message(), "expected a monitor that was begun for the query's model");
    };
    QueryMonitor monitor;
    check_refused(monitor);
    MXK_REQUIRE(monitor.begin(other).ok());
    check_refused(monitor);
}

// ---- Cores

// Each of two tasks ends when the other one has begun: no core runs both.
struct Rendezvous {
    std::atomic<unsigned> begun{0};
};
struct Meets : BoxTask {
    Meets(Box& box, CoreScheduler& here, std::size_t its_number, Rendezvous& its_meeting)
        : BoxTask(box, here, its_number, &Meets::meet)
        , meeting(its_meeting) {}
    static Result<void> meet(CoreScheduler&, BoxTask& task) {
        auto& meeting = static_cast<Meets&>(task).meeting;
        meeting.begun.fetch_add(1, std::memory_order_acq_rel);
        while (meeting.begun.load(std::memory_order_acquire) < 2) arch::pause();
        return {};
    }
    Rendezvous& meeting;
};
struct Host : Box {
    static constexpr std::array<std::string_view, 0> inputs{};
    static constexpr bool has_output = false;
    Host(Query& query, CoreId core, Rendezvous* its_meeting)
        : Box(query, core)
        , meeting(*its_meeting) {}
    Result<Step> produce(CoreScheduler& here) override {
        if (tasks.size() != 0) {
            MXK_CHECK(!has_tasks());
            return Step::Done;
        }
        for (unsigned i = 0; i < 2; ++i) {
            Meets* const task = tasks.add(*this, here, meeting);
            if (task == nullptr) return dataflow::no_memory_for_envelopes();
            start(here, *task);
        }
        return Step::AfterTasks;
    }
    Rendezvous& meeting;
    BoxTasks<Meets> tasks;
};

MXK_TEST(dataflow, other_cores_of_the_node_run_tasks_of_a_box) {
    NodeId const home = Worker::current().node();
    auto cores = NodeVector<CoreId>::create(workers::count(), home);
    MXK_REQUIRE(cores.ok());
    for (CoreId const core : all_cores())
        if (workers::of(core).node() == home) cores.value().emplace(core);
    if (cores.value().size() < 2) MXK_SKIP("needs two cores of a node");
    Rendezvous meeting;
    Model model;
    model.add<Host>("host", &meeting);
    MXK_REQUIRE(model.check().ok());
    auto scheduler = Scheduler::create(cores.value().span(), {});
    MXK_REQUIRE(scheduler.ok());
    Query query(model);
    scheduler.value()->submit(query);
    MXK_CHECK(query.wait().ok());
    MXK_CHECK(query.result().ok());
    MXK_CHECK_EQUAL(meeting.begun.load(), 2u);
    std::uint64_t stolen = 0;
    for (std::size_t place = 0; place < scheduler.value()->cores(); ++place)
        stolen += scheduler.value()->at(place).counts().stolen.value();
    MXK_CHECK(stolen >= 1);
}

// ---- Merging

MXK_TEST(dataflow, pieces_of_a_merge_begin_where_the_ones_before_end) {
    std::uint64_t random = 1;
    for (unsigned round = 0; round < 300; ++round) {
        std::array<std::uint64_t, 24> keys{};
        std::size_t const left_rows = splitmix(random++) % 13;
        std::size_t const right_rows = splitmix(random++) % 12;
        for (std::size_t i = 0; i < left_rows + right_rows; ++i) keys[i] = splitmix(random++) % 5; // many are equal
        std::sort(keys.begin(), keys.begin() + left_rows);
        std::sort(keys.begin() + left_rows, keys.begin() + left_rows + right_rows);
        KeyRun const left{.keys = keys.data(), .rows = left_rows};
        KeyRun const right{.keys = keys.data() + left_rows, .rows = right_rows};
        // Row by row: of equal keys the left run's are first.
        std::size_t from_left = 0;
        for (std::size_t row = 0; row <= left_rows + right_rows; ++row) {
            MXK_CHECK_EQUAL(dataflow::rows_from_left(left, right, row), from_left);
            std::size_t const from_right = row - from_left;
            bool const takes_left =
                from_left < left_rows && (from_right == right_rows || left.keys[from_left] <= right.keys[from_right]);
            from_left += takes_left ? 1 : 0;
        }
        std::array<std::uint64_t, 24> whole{};
        std::array<std::uint64_t, 24> in_pieces{};
        std::size_t const rows = left_rows + right_rows;
        std::merge(left.keys, left.keys + left_rows, right.keys, right.keys + right_rows, whole.begin());
        std::size_t const piece = 1 + splitmix(random++) % 7;
        for (std::size_t from = 0; from < rows; from += piece)
            dataflow::merge_piece(left, right, from, std::min(from + piece, rows), in_pieces.data() + from);
        MXK_CHECK(whole == in_pieces);
    }
}

// ---- Sorting

struct KeysShape {
    std::uint64_t envelopes;
    std::uint32_t rows;     // of an envelope
    bool has_selection;     // every third row is meant
    std::uint64_t distinct; // keys are below
    [[nodiscard]] std::uint64_t selected() const { return envelopes * (has_selection ? (rows + 2) / 3 : rows); }
};

// Keys in no order.
struct RandomKeys : Box {
    static constexpr std::array<std::string_view, 0> inputs{};
    static constexpr bool has_output = true;
    RandomKeys(Query& query, CoreId core, KeysShape its_shape, Seen* its_made)
        : Box(query, core)
        , shape(its_shape)
        , made(*its_made) {}
    Result<Step> produce(CoreScheduler&) override {
        if (sequence == shape.envelopes) return Step::Done;
        auto envelope = Envelope::create(shape.rows, sequence++);
        auto keys = Column::create_for<std::uint64_t>(shape.rows);
        auto chosen = Column::create_for<Envelope::Row>(shape.rows);
        if (!envelope || !keys || !chosen) return dataflow::no_memory_for_envelopes();
        envelope->selected = 0;
        for (Envelope::Row row = 0; row < shape.rows; ++row) {
            std::uint64_t const key = splitmix(random++) % shape.distinct;
            keys.writable<std::uint64_t>()[row] = key;
            if (shape.has_selection && row % 3 != 0) continue;
            chosen.writable<Envelope::Row>()[envelope->selected++] = row;
            made.sum += key;
            ++made.count;
        }
        if (shape.has_selection) envelope->selection = std::move(chosen);
        envelope->columns[0] = std::move(keys);
        emit(std::move(envelope));
        return Step::More;
    }
    KeysShape shape;
    Seen& made;
    std::uint64_t sequence = 0;
    std::uint64_t random = 7;
};

struct SortedKeysSink : Box {
    static constexpr std::array<std::string_view, 1> inputs{"in"};
    static constexpr bool has_output = false;
    SortedKeysSink(Query& query, CoreId core, Seen* its_seen)
        : Box(query, core)
        , seen(*its_seen) {}
    Result<Step> receive(CoreScheduler&, std::size_t, EnvelopePointer envelope) override {
        envelope->for_each_row([&](Envelope::Row row) {
            std::uint64_t const key = envelope->values<std::uint64_t>(0)[row];
            seen.is_in_order = seen.is_in_order && key >= seen.last;
            seen.last = key;
            seen.sum += key;
            ++seen.count;
        });
        return Step::More;
    }
    Result<Step> finish(CoreScheduler&) override {
        seen.has_ended = true;
        return Step::Done;
    }
    Seen& seen;
};

struct SortModel {
    SortModel(KeysShape const& shape, std::uint32_t rows, std::uint32_t run_rows, std::uint32_t capacity) {
        model.set_capacity(capacity);
        auto const keys = model.add<RandomKeys>("keys", shape, &made);
        auto const sort = model.add<dataflow::ParallelSortBox>("sort", rows, run_rows);
        model.connect(keys, sort);
        model.connect(sort, model.add<SortedKeysSink>("sink", &seen));
        is_whole = model.check().ok();
    }
    bool is_whole = false;
    Seen made;
    Seen seen;
    Model model;
};

void check_sort(SchedulerOptions const& options, KeysShape const& shape, std::uint32_t run_rows,
                std::uint32_t capacity) {
    SortModel sort(shape, 10, run_rows, capacity);
    MXK_REQUIRE(sort.is_whole);
    MXK_CHECK(run(sort.model, options).ok());
    MXK_CHECK_EQUAL(sort.made.count, shape.selected());
    MXK_CHECK_EQUAL(sort.seen.count, sort.made.count);
    MXK_CHECK_EQUAL(sort.seen.sum, sort.made.sum);
    MXK_CHECK(sort.seen.is_in_order);
    MXK_CHECK(sort.seen.has_ended);
}

MXK_TEST(dataflow, a_box_that_sorts_by_tasks_gives_all_in_order) {
    for (Discipline const discipline : all_disciplines) {
        for (std::uint32_t const capacity : {1U, 4U}) {
            // One row for each run, runs of several envelopes, envelopes of several runs, one run, none.
            check_sort({.discipline = discipline}, {17, 3, false, 1000}, 1, capacity);
            check_sort({.discipline = discipline}, {40, 5, false, UINT64_MAX}, 16, capacity);
            check_sort({.discipline = discipline}, {13, 100, true, 50}, 7, capacity);
            check_sort({.discipline = discipline}, {3, 10, true, 1}, 64, capacity);
            check_sort({.discipline = discipline}, {0, 10, false, 1}, 64, capacity);
        }
    }
}
MXK_TEST(dataflow, a_box_that_sorts_by_tasks_gives_all_in_order_also_with_delays) {
    InjectDelays const delays;
    check_sort({}, {40, 25, false, UINT64_MAX}, 32, 1);
    check_sort({}, {40, 25, true, 10}, 16, 4);
}

// As many cores as there are, and fewer.
MXK_TEST(dataflow, a_box_that_sorts_by_tasks_gives_the_same_on_any_number_of_cores) {
    auto const cores = all_cores();
    for (std::size_t count = 1; count <= std::min<std::size_t>(cores.size(), 8); count *= 2) {
        SortModel sort({64, 50, false, UINT64_MAX}, 100, 100, 4);
        MXK_REQUIRE(sort.is_whole);
        auto scheduler = Scheduler::create(cores.span().first(count), {});
        MXK_REQUIRE(scheduler.ok());
        Query query(sort.model);
        scheduler.value()->submit(query);
        MXK_CHECK(query.wait().ok());
        MXK_CHECK_EQUAL(sort.seen.count, 3200u);
        MXK_CHECK_EQUAL(sort.seen.sum, sort.made.sum);
        MXK_CHECK(sort.seen.is_in_order);
    }
}

// Queries that are poisoned at any time, that fail in a task, that have enough before the end, and such as end.
MXK_TEST(dataflow, tasks_of_boxes_leave_no_memory_in_use) {
    auto const cores = all_cores();
    auto const run_many = [&] {
        for (unsigned round = 0; round < 40; ++round) {
            SortModel sort({50, 20, false, UINT64_MAX}, 10, 16, 2);
            Seen seen;
            Model limited;
            MXK_REQUIRE(sort.is_whole && make_products(limited, 200, 3, seen)); // that fails at 100
            auto scheduler = Scheduler::create(cores.span().first(1), {});
            MXK_REQUIRE(scheduler.ok());
            Query poisoned(sort.model);
            Query failing(limited);
            scheduler.value()->submit(poisoned);
            scheduler.value()->submit(failing);
            // In the middle: one more turn of the core in each round.
            unsigned turns = 0;
            Worker::current().run_until([&] { return ++turns > round || (poisoned.is_over() && failing.is_over()); });
            poisoned.cancel();
            MXK_CHECK(poisoned.wait().ok() || poisoned.state() == Query::State::Cancelled);
            MXK_CHECK(!failing.wait().ok());
        }
    };
    run_many(); // what heaps keep is theirs from now on
    heap::CoreUse const before = Worker::current().heap().use();
    run_many();
    MXK_CHECK_EQUAL(Worker::current().heap().use().live_bytes, before.live_bytes);
}

} // namespace
} // namespace mxk::dataflow_tests
