// Tables that are not right, each in its own way: the checker says so after some short runs.
#include "tests/unit/faulty_regions.hpp"
#include "tests/unit/linearizable_fixture.hpp"
#include "tests/unit/moving_regions.hpp"

namespace mxk::test {
namespace {

// The operation is done where it begins, on any core.
template <typename Regions> class AtHome final : public Way {
  public:
    explicit AtHome(Regions& regions)
        : regions_(regions) {}
    void send(Worker& worker, TravellingOperation& operation) override {
        RandomPause::point();
        operation.perform(regions_.region(regions_.owner(operation.event.key)));
        operation.return_to_client(worker);
    }

  private:
    Regions& regions_;
};

// Finds are done where they begin, all else at the owner.
template <typename Regions> class FindsAtHome final : public Way {
  public:
    explicit FindsAtHome(Regions& regions)
        : regions_(regions)
        , two_phases_(regions) {}
    void send(Worker& worker, TravellingOperation& operation) override {
        Event& event = operation.event;
        if (event.operation != Operation::Find) return two_phases_.send(worker, operation);
        auto const found = regions_.region(regions_.owner(event.key)).find_anywhere(event.key);
        event.result = result_of(bool(found));
        event.value = found.value_or(0);
        operation.return_to_client(worker);
    }

  private:
    Regions& regions_;
    TwoPhases<Regions> two_phases_;
};

class LinearizableFaults : public LinearizableRuns {
  protected:
    static constexpr std::uint64_t max_runs = 200;

    template <typename Regions, typename WayTo> static auto runs_of(Worker& here) {
        return [&here](std::uint64_t number) {
            Regions regions(cores);
            WayTo way(regions);
            return RecordedRun(here, way, {.keys = {1, 2, 3}, .seed = number}).history();
        };
    }

    template <typename Region> static void expect_caught() {
        using Regions = RegionPerCore<Region>;
        with_runtime(
            [](Worker& here) { EXPECT_TRUE(first_fault(max_runs, runs_of<Regions, TwoPhases<Regions>>(here))); });
    }
};

// So that it is the faults that are noticed, and not what they are built on.
TEST_F(LinearizableFaults, none) {
    using Regions = RegionPerCore<PlainRegion>;
    with_runtime([](Worker& here) { expect_linearizable(20, runs_of<Regions, TwoPhases<Regions>>(here)); });
}

TEST_F(LinearizableFaults, inserts_are_lost) {
    expect_caught<LosesInserts>();
}
TEST_F(LinearizableFaults, a_key_is_inserted_twice) {
    expect_caught<InsertsTwice>();
}
TEST_F(LinearizableFaults, a_refused_insert_leaves_its_value) {
    expect_caught<Overwrites>();
}
TEST_F(LinearizableFaults, updates_are_lost) {
    expect_caught<LosesUpdates>();
}
TEST_F(LinearizableFaults, a_modify_loses_what_was_written_since_the_last_one) {
    expect_caught<ModifiesAnOldValue>();
}
TEST_F(LinearizableFaults, an_upsert_leaves_the_old_value) {
    expect_caught<UpsertsNewKeysOnly>();
}
TEST_F(LinearizableFaults, finds_look_into_an_old_copy) {
    expect_caught<FindsInAnOldCopy>();
}
TEST_F(LinearizableFaults, an_erased_key_comes_back) {
    expect_caught<BringsBack>();
}
TEST_F(LinearizableFaults, an_insert_finds_no_place) {
    expect_caught<IsFull>();
}

TEST_F(LinearizableFaults, regions_are_touched_by_all_cores_at_once) {
    using Regions = RegionPerCore<SharedSlots<RandomPause>>;
    with_runtime([](Worker& here) {
        EXPECT_TRUE(first_fault(max_runs, runs_of<Regions, AtHome<Regions>>(here)));
        // It is the way that is wrong: sent to the owners, the same operations are right.
        expect_linearizable(20, runs_of<Regions, TwoPhases<Regions>>(here));
    });
}

TEST_F(LinearizableFaults, an_operation_has_ended_before_others_see_what_it_did) {
    using Late = RegionPerCore<Publishes<true>>;
    using InTime = RegionPerCore<Publishes<false>>;
    with_runtime([](Worker& here) {
        EXPECT_TRUE(first_fault(max_runs, runs_of<Late, FindsAtHome<Late>>(here)));
        expect_linearizable(20, runs_of<InTime, FindsAtHome<InTime>>(here));
    });
}

// tests/unit/linearizable_tables_test.cpp has the same regions moved rightly.
TEST_F(LinearizableFaults, a_region_is_changed_while_a_copy_of_it_moves) {
    with_runtime([](Worker& here) {
        EXPECT_TRUE(first_fault(max_runs, [&](std::uint64_t number) {
            MovingRegions regions(1, cores);
            TwoPhases way(regions);
            return RecordedRun(here, way, {.keys = {1, 2, 3}, .seed = number, .operations_per_call = 20},
                               [&](Worker& worker, TaskGroup& group) { regions.hand_over_a_copy(worker, group, 0); })
                .history();
        }));
    });
}

} // namespace
} // namespace mxk::test
