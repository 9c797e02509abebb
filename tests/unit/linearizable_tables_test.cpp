// Tables that are right are linearizable, whichever way operations come to them: short runs of all cores on few keys.
#include <algorithm>
#include <atomic>
#include <vector>

#include "bench/workload/keys.hpp"
#include "hashtable/batch/reading_client.hpp"
#include "hashtable/layout/bucketed.hpp"
#include "hashtable/table/partitioned.hpp"
#include "tests/unit/batched_regions.hpp"
#include "tests/unit/bucketed_model.hpp"
#include "tests/unit/chained_maps.hpp"
#include "tests/unit/in_batches.hpp"
#include "tests/unit/linearizable_fixture.hpp"
#include "tests/unit/moving_regions.hpp"

namespace mxk::test {
namespace {

class LinearizableTables : public LinearizableRuns {
  protected:
    static constexpr std::uint64_t runs = 40;

    static std::vector<Owner> owners() {
        std::vector<Owner> result;
        result.reserve(cores);
        for (std::size_t i = 0; i < cores; ++i) result.push_back({core_id(i), workers::of(core_id(i)).node()});
        return result;
    }

    // One to six, and other ones in each run: the table need not be empty.
    static std::vector<std::uint64_t> keys(std::uint64_t run) {
        bench::KeySequence const sequence(1);
        std::vector<std::uint64_t> result;
        for (std::uint64_t i = 0; i <= run % 6; ++i) result.push_back(sequence(run * 6 + i));
        return result;
    }

    // Of one bucket of a Bucketed table.
    static std::vector<std::uint64_t> crowd(std::uint64_t run) {
        std::vector<std::uint64_t> result;
        for (std::uint64_t i = 0; i < 12; ++i) result.push_back(StandaloneBucketed::key_in(1 + run * 4001 % 65536, i));
        return result;
    }

    // By two-phase tasks.
    template <typename Regions> static void expect_linearizable_regions(Worker& here, Regions& regions) {
        TwoPhases way(regions);
        expect_linearizable(runs, [&](std::uint64_t number) {
            return RecordedRun(here, way, {.keys = keys(number), .seed = number}).history();
        });
    }
};

TEST_F(LinearizableTables, bucketed) {
    with_runtime([](Worker& here) {
        auto regions = Partitioned<Bucketed>::create(65536, owners());
        ASSERT_TRUE(regions.ok());
        expect_linearizable_regions(here, regions.value());
    });
}

TEST_F(LinearizableTables, bucketed_with_all_keys_in_one_bucket) {
    with_runtime([](Worker& here) {
        auto regions = Partitioned<Bucketed>::create(65536, owners());
        ASSERT_TRUE(regions.ok());
        TwoPhases way(regions.value());
        std::size_t max_lines_behind = 0;
        expect_linearizable(runs / 4, [&](std::uint64_t number) {
            std::vector<std::uint64_t> const keys = crowd(number);
            RecordedRun run(here, way, {.keys = keys, .seed = number, .operations_per_user = 40});
            std::size_t const region = regions.value().owner(keys[0]);
            max_lines_behind = std::max(max_lines_behind, regions.value().region(region).lines_behind());
            return run.history();
        });
        EXPECT_GT(max_lines_behind, 0U);
    });
}

// The finds of several clients, each of whose own operations must be seen in their order.
TEST_F(LinearizableTables, bucketed_read_in_place) {
    with_runtime([](Worker& here) {
        auto regions = Partitioned<Bucketed>::create(65536, owners());
        ASSERT_TRUE(regions.ok());
        InBatches<Partitioned<Bucketed>, ReadingClient> way(regions.value());
        InjectDelays const delays(&RandomPause::point);
        expect_linearizable(runs, [&](std::uint64_t number) {
            std::vector<std::uint64_t> some = keys(number);
            if (number % 2 == 0) some = crowd(number);
            return RecordedRun(here, way, {.keys = some, .seed = number}).history();
        });
    });
}

TEST_F(LinearizableTables, chained) {
    with_runtime([](Worker& here) {
        auto maps = ChainedMaps::create(7, owners());
        expect_linearizable_regions(here, maps);
    });
}

TEST_F(LinearizableTables, in_batches) {
    with_runtime([](Worker& here) {
        MapRegions regions({core_id(0), core_id(1), core_id(2), core_id(3)}, &RandomPause::point);
        InBatches way(regions);
        expect_linearizable(runs, [&](std::uint64_t number) {
            return RecordedRun(here, way, {.keys = keys(number), .seed = number}).history();
        });
    });
}

TEST_F(LinearizableTables, regions_that_move_meanwhile) {
    with_runtime([](Worker& here) {
        std::atomic<std::size_t> next{0};
        std::size_t hand_overs = 0;
        expect_linearizable(runs, [&](std::uint64_t number) {
            MovingRegions regions(3, cores);
            TwoPhases way(regions);
            RecordedRun run(
                here, way, {.keys = keys(number), .seed = number, .operations_per_call = 5},
                [&](Worker& worker, TaskGroup& group) { regions.hand_over(worker, group, next.fetch_add(1) % 3); });
            hand_overs += regions.hand_overs();
            return run.history();
        });
        EXPECT_GT(hand_overs, runs * 20);
    });
}

} // namespace
} // namespace mxk::test
