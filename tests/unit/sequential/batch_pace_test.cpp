// When batches leave, and how many are under way, where latency has a cap: with times that the test says. And how an
// owner that does not run is told from one that is behind.
#include <gtest/gtest.h>

#include "hashtable/batch/batch_pace.hpp"
#include "hashtable/batch/descheduled_owner.hpp"
#include "tests/unit/memory_fixture.hpp"

namespace mxk::test {
namespace {

constexpr Cycles at(std::uint64_t time) {
    return static_cast<Cycles>(time);
}

class BatchPaceTest : public MemoryTest {
  protected:
    static constexpr std::uint64_t cap = 1000;
    static constexpr std::size_t batches = 40;

    BatchPaceTest() {
        configure({1 * MiB});
        auto made = BatchPace::create(at(cap), 2, batches, node_id(0));
        EXPECT_TRUE(made.ok());
        pace = std::move(made).value();
    }
    void TearDown() override {
        pace = BatchPace();
        MemoryTest::TearDown();
    }
    // A batch is away so long; the region holds `held` when it leaves.
    void trip(std::uint64_t time, std::size_t held) {
        pace.sent(0, 7, held, at(now));
        now += time;
        pace.came_home(0, 7, at(now));
    }

    BatchPace pace;
    std::uint64_t now = 5000;
};

TEST_F(BatchPaceTest, without_a_cap_there_is_none_and_no_memory) {
    std::size_t const before = used_bytes();
    auto const made = BatchPace::create(at(0), 2, batches, node_id(0));
    ASSERT_TRUE(made.ok());
    EXPECT_FALSE(made.value().has_cap());
    EXPECT_EQ(used_bytes(), before);
    EXPECT_FALSE(BatchPace().has_cap());
    EXPECT_TRUE(pace.has_cap());
}

TEST_F(BatchPaceTest, an_operation_waits_for_others_as_long_as_the_way_leaves_it) {
    EXPECT_EQ(pace.max_age(0), at(cap / 2)); // nothing is known
    for (int i = 0; i < 100; ++i) trip(400, 1);
    EXPECT_NEAR(static_cast<double>(raw(pace.max_age(0))), cap - 400, 40);
    EXPECT_EQ(pace.max_age(1), at(cap / 2)); // each region has its own
    for (int i = 0; i < 100; ++i) trip(i % 2 == 0 ? 300 : 500, 1);
    EXPECT_EQ(pace.max_age(0), at(cap / 4)); // 400 and four times 100
    for (int i = 0; i < 100; ++i) trip(5000, 1);
    EXPECT_EQ(pace.max_age(0), at(cap / 4));
    for (int i = 0; i < 100; ++i) trip(10, 1);
    EXPECT_EQ(pace.max_age(0), at(cap / 4 * 3));
}

TEST_F(BatchPaceTest, an_open_batch_is_due_by_its_age) {
    pace.opened(0, at(now));
    EXPECT_FALSE(pace.is_due(0, at(now + cap / 2 - 1)));
    EXPECT_TRUE(pace.is_due(0, at(now + cap / 2)));
}

TEST_F(BatchPaceTest, late_batches_make_the_window_smaller_once_in_a_trip) {
    EXPECT_EQ(pace.window(0), batches);
    // Three that left together.
    for (std::size_t i = 0; i < 3; ++i) pace.sent(0, i, 3, at(now));
    for (std::size_t i = 0; i < 3; ++i) pace.came_home(0, i, at(now + cap));
    EXPECT_EQ(pace.window(0), batches - batches / 8);
    EXPECT_EQ(pace.window(1), batches);
    now += cap + 1;
    trip(cap, 3);
    EXPECT_LT(pace.window(0), batches - batches / 8);
    for (int i = 0; i < 100; ++i) trip(cap, 3);
    EXPECT_EQ(pace.window(0), 2U); // one to be filled while another is away
    EXPECT_TRUE(pace.may_hold_more(0, 1));
    EXPECT_FALSE(pace.may_hold_more(0, 2));
}

TEST_F(BatchPaceTest, the_window_grows_again_where_it_is_what_limits) {
    for (int i = 0; i < 100; ++i) trip(cap, 2);
    ASSERT_EQ(pace.window(0), 2U);
    for (int i = 0; i < 100; ++i) trip(cap / 4, 1); // in time, but more could have been held
    EXPECT_EQ(pace.window(0), 2U);
    for (int i = 0; i < 3; ++i) trip(cap / 4, pace.window(0));
    EXPECT_EQ(pace.window(0), 3U); // about one more for each window's worth
    for (int i = 0; i < 10000; ++i) trip(cap / 4, pace.window(0));
    EXPECT_EQ(pace.window(0), batches); // as many as there are
}

TEST_F(BatchPaceTest, without_memory_there_is_none) {
    EXPECT_FALSE(BatchPace::create(at(cap), 100000, 400000, node_id(0)).ok());
}

TEST(DescheduledOwner, is_noticed_when_nothing_comes_home_for_long) {
    DescheduledOwner absence(at(100));
    EXPECT_FALSE(absence.is_watching());
    absence.refused(3);
    ASSERT_TRUE(absence.is_watching());
    EXPECT_EQ(absence.region(), 3U);
    EXPECT_FALSE(absence.look(at(1000)));
    EXPECT_FALSE(absence.look(at(1099)));
    absence.refused(3); // a batch came home meanwhile
    EXPECT_FALSE(absence.look(at(1150)));
    EXPECT_FALSE(absence.look(at(1249)));
    EXPECT_TRUE(absence.look(at(1250)));
    EXPECT_TRUE(absence.is_absent());
    EXPECT_FALSE(absence.look(at(5000))); // once
}

TEST(DescheduledOwner, ends_with_the_first_batch_that_comes_home) {
    DescheduledOwner absence(at(100));
    absence.refused(3);
    EXPECT_FALSE(absence.look(at(1000)));
    ASSERT_TRUE(absence.look(at(1100)));
    absence.refused(3); // what is in reserve is used up
    absence.refused(2); // another owner has no room, but runs
    absence.refused(2);
    EXPECT_TRUE(absence.is_absent());
    absence.refused(3);
    EXPECT_FALSE(absence.is_absent());
    EXPECT_EQ(absence.region(), 3U);
    EXPECT_FALSE(absence.look(at(9000))); // its time begins anew
    absence.stop_watching();
    EXPECT_FALSE(absence.is_watching());
}

} // namespace
} // namespace mxk::test
