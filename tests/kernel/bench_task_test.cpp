// The experiments of `bench task` on real cores: each run counts what it was asked for and finds every task where, as
// often and in the order it had to be; from the console's core and from others.
#include <algorithm>

#include "bench/task/task_experiment.hpp"
#include "kernel/testing.hpp"
#include "tasks/workers.hpp"

namespace mxk::bench {
namespace {

// Not a multiple of the depth, so that there is something to round up.
constexpr TaskOptions few = [] {
    TaskOptions options;
    options.operations = 2000;
    options.depth = 7;
    options.pool = 9;
    options.trips = 50;
    options.wakes = 5;
    return options;
}();

void check_sample(Result<Sample> const& sample, std::uint64_t operations) {
    MXK_CHECK(sample.ok());
    if (!sample.ok()) return;
    MXK_CHECK(sample.value().verified);
    MXK_CHECK(sample.value().value > 0);
    MXK_CHECK_EQUAL(sample.value().operations, operations);
}

// Nobody watches.
class Unseen {
  public:
    Progress& progress() { return progress_; }

  private:
    FixedText<1> nowhere_;
    console::Invocation invocation_{nowhere_};
    Progress progress_{invocation_};
};

void check_pair(CorePair cores) {
    Unseen unseen;
    check_sample(run_hop(cores, few, unseen.progress()), 143 * 14);
    check_sample(run_stream(cores, few, unseen.progress()), 2000);
    check_sample(run_mail(cores, few, unseen.progress()), 2000);
    auto const trips = run_round_trip(cores, few, unseen.progress());
    check_sample(trips, few.trips);
    if (trips.ok()) MXK_CHECK(trips.value().woken.has_value() && *trips.value().woken <= few.trips);
    if (trips.ok()) MXK_CHECK(trips.value().p99 >= trips.value().value);

    auto const wakes = run_wake(cores, few, unseen.progress());
    MXK_CHECK(wakes.ok());
    if (!wakes.ok()) return;
    MXK_CHECK(wakes.value().verified);
    // A core that an interrupt has woken meanwhile may be found awake now and then.
    MXK_CHECK(wakes.value().operations >= 1 && wakes.value().operations <= few.wakes);
    MXK_CHECK(wakes.value().operations == few.wakes ||
              wakes.value().left_out == 2 * few.wakes - wakes.value().operations);
}

MXK_TEST(bench, local_tasks_of_each_core) {
    Unseen unseen;
    for (std::size_t i = 0; i < std::min<std::size_t>(workers::count(), 4); ++i)
        check_sample(run_local({core_id(i), core_id(i)}, few, unseen.progress()), 286 * 7);
}

MXK_TEST(bench, one_task_at_a_time) {
    Unseen unseen;
    TaskOptions options = few;
    options.depth = 1;
    check_sample(run_local({core_id(0), core_id(0)}, options, unseen.progress()), 2000);
    if (workers::count() > 1) check_sample(run_hop({core_id(0), core_id(1)}, options, unseen.progress()), 2000);
}

// The sender waits for each of its tasks; for one in eight of them; and for none.
MXK_TEST(bench, streams_of_few_tasks_and_of_many) {
    if (workers::count() < 2) MXK_SKIP("needs two cores");
    Unseen unseen;
    TaskOptions options = few;
    for (std::uint32_t const pool : {1U, 2U, 64U, 100U, 5000U}) {
        options.pool = pool;
        check_sample(run_stream({core_id(0), core_id(1)}, options, unseen.progress()), 2000);
        check_sample(run_mail({core_id(1), core_id(0)}, options, unseen.progress()), 2000);
    }
    options.operations = 3;
    check_sample(run_stream({core_id(0), core_id(1)}, options, unseen.progress()), 3);
    check_sample(run_mail({core_id(0), core_id(1)}, options, unseen.progress()), 4); // two in each direction
}

MXK_TEST(bench, tasks_between_two_cores) {
    if (workers::count() < 2) MXK_SKIP("needs two cores");
    CoreId const first = core_id(0);
    CoreId const last = core_id(workers::count() - 1);
    check_pair({first, last});
    check_pair({last, first});
    if (workers::count() > 2) check_pair({core_id(1), last}); // the console's core is neither
}

} // namespace
} // namespace mxk::bench
