// Tables that grow and shrink while short runs of all cores work on a few of their keys are linearizable.
#include <atomic>
#include <vector>

#include "hashtable/batch/reading_client.hpp"
#include "hashtable/layout/cuckoo_slots.hpp"
#include "hashtable/layout/open_slots.hpp"
#include "hashtable/table/linear_buckets.hpp"
#include "tests/unit/growing_regions.hpp"
#include "tests/unit/in_batches.hpp"
#include "tests/unit/linearizable_fixture.hpp"
#include "tests/unit/random_pause.hpp"

namespace mxk::test {
namespace {

template <typename Table> class LinearizableGrowing : public LinearizableRuns {
  protected:
    static std::vector<Owner> owners() {
        std::vector<Owner> result;
        for (std::size_t i = 0; i < cores; ++i) result.push_back({core_id(i), workers::of(core_id(i)).node()});
        return result;
    }
};
using GrowingLayouts = testing::Types<Extendible<OpenSlots<>>, Extendible<CuckooSlots<>>, LinearBuckets<>,
                                      Extendible<ChainHeads<PairNode>>>;
TYPED_TEST_SUITE(LinearizableGrowing, GrowingLayouts);

TYPED_TEST(LinearizableGrowing, tables) {
    constexpr std::uint64_t runs = 12;
    this->with_runtime([](Worker& here) {
        bench::KeySequence const sequence(1);
        std::atomic<std::size_t> next{0};
        std::size_t moves = 0;
        TestFixture::expect_linearizable(runs, [&](std::uint64_t number) {
            GrowingRegions<TypeParam> regions(TestFixture::owners());
            TwoPhases way(regions);
            std::vector<std::uint64_t> keys;
            for (std::uint64_t i = 0; i <= number % 6; ++i) keys.push_back(sequence(number * 6 + i));
            RecordedRun run(here, way, {.keys = keys, .seed = number, .operations_per_call = 5},
                            [&](Worker& worker, TaskGroup& group) {
                                // relaxed: only a number
                                std::size_t const at =
                                    next.fetch_add(1, std::memory_order_relaxed) % TestFixture::cores;
                                regions.come_and_go(worker, group, at, 3000);
                            });
            moves += regions.moves();
            return run.history();
        });
        EXPECT_GT(moves, runs * 20) << "blocks have become others while keys were worked on";
    });
}

// Finds where the keys lie, changes by batches, of buckets that are divided and made one meanwhile.
using LinearizableLinear = LinearizableGrowing<LinearBuckets<>>;
TEST_F(LinearizableLinear, read_in_place) {
    constexpr std::uint64_t runs = 12;
    with_runtime([](Worker& here) {
        bench::KeySequence const sequence(1);
        std::atomic<std::size_t> next{0};
        InjectDelays const delays(&RandomPause::point);
        expect_linearizable(runs, [&](std::uint64_t number) {
            GrowingRegions<LinearBuckets<>> regions(owners());
            InBatches<Sharded<LinearBuckets<>>, ReadingClient> way(regions.shards());
            std::vector<std::uint64_t> keys;
            for (std::uint64_t i = 0; i <= number % 6; ++i) keys.push_back(sequence(number * 6 + i));
            RecordedRun run(here, way, {.keys = keys, .seed = number, .operations_per_call = 5},
                            [&](Worker& worker, TaskGroup& group) {
                                // relaxed: only a number
                                std::size_t const at = next.fetch_add(1, std::memory_order_relaxed) % cores;
                                regions.come_and_go(worker, group, at, 3000);
                            });
            return run.history();
        });
    });
}

} // namespace
} // namespace mxk::test
