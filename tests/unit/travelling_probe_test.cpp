// What operations on probed regions do: one after the other, and where they meet on their way.
#include <gtest/gtest.h>

#include <random>
#include <unordered_map>

#include "tests/unit/travelling_probe_fixture.hpp"

namespace mxk::test {
namespace {

TEST_F(TravellingProbeTest, every_slot_is_a_home) {
    for (std::size_t regions = 1; regions <= 5; ++regions) {
        Table table = create(13, regions);
        for (std::uint64_t key = 1; key <= 13; ++key) {
            // The thesis' test for the home region leaves out its first slot.
            TravellingProbe probe(key, key + 100);
            EXPECT_EQ(probe.put(table, table.owner(key)), Probed::NotThere);
            EXPECT_EQ(home(table, key).key, key);
            EXPECT_EQ(home(table, key).value, key + 100);
        }
        EXPECT_EQ(pairs(table).size(), 13U);
    }
}

TEST_F(TravellingProbeTest, a_search_goes_round_from_its_home_slot) {
    Table table = create(6, 3); // home of keys 3, 9, 15 ...: the second slot of the second region
    for (std::uint64_t i = 0; i < 6; ++i) EXPECT_EQ(put(table, 3 + 6 * i, i), Probed::NotThere);
    for (std::uint64_t i = 0; i < 6; ++i) {
        std::uint64_t const slot = (3 + i) % 6;
        EXPECT_EQ(home(table, slot).key, 3 + 6 * i);
        TravellingProbe probe(3 + 6 * i);
        std::size_t const visits = 1 + (i + 1) / 2; // to slots 3, 4 and 5, 0 and 1, 2
        std::size_t at = 1;
        for (std::size_t visit = 1; visit < visits; ++visit, at = TravellingProbe::next(table, at))
            EXPECT_EQ(probe.find(table, at), Probed::EndOfRegion);
        EXPECT_EQ(probe.find(table, at), Probed::There);
        EXPECT_EQ(probe.value(), i);
    }
}

TEST_F(TravellingProbeTest, an_empty_slot_ends_a_search_at_once) {
    Table table = create(6, 3);
    TravellingProbe probe(3);
    EXPECT_EQ(probe.find(table, 1), Probed::NotThere);
    EXPECT_EQ(TravellingProbe(3).erase(table, 1), Probed::NotThere);
    EXPECT_EQ(put(table, 3, 0), Probed::NotThere);
    probe = TravellingProbe(9); // the same home slot
    EXPECT_EQ(probe.find(table, 1), Probed::EndOfRegion);
    EXPECT_EQ(probe.find(table, 2), Probed::NotThere);
}

TEST_F(TravellingProbeTest, a_put_replaces_the_value) {
    Table table = create(4, 2);
    EXPECT_EQ(put(table, 5, 1), Probed::NotThere);
    EXPECT_EQ(put(table, 5, 2), Probed::There);
    EXPECT_EQ(find(table, 5), 2U);
    EXPECT_EQ(pairs(table), (Pairs{{5, 2}}));
}

TEST_F(TravellingProbeTest, a_value_of_0_or_1_is_one) {
    Table table = create(4, 2);
    put(table, 1, 0);
    put(table, 2, 1);
    EXPECT_EQ(find(table, 1), 0U);
    EXPECT_EQ(find(table, 2), 1U);
}

// The thesis' insert takes the first deleted slot without looking further.
TEST_F(TravellingProbeTest, a_deleted_slot_does_not_hide_the_key_behind_it) {
    for (std::size_t regions = 1; regions <= 8; ++regions) { // from all in one to each slot a region of its own
        Table table = create(8, regions);
        for (std::uint64_t key = 3; key <= 19; key += 8) put(table, key, key);
        EXPECT_TRUE(erase(table, 3));
        EXPECT_EQ(put(table, 19, 20), Probed::There);
        EXPECT_EQ(pairs(table), (Pairs{{11, 11}, {19, 20}}));
        EXPECT_TRUE(erase(table, 19));
        EXPECT_EQ(find(table, 19), std::nullopt);
        EXPECT_EQ(pairs(table), (Pairs{{11, 11}}));
    }
}

TEST_F(TravellingProbeTest, a_deleted_slot_is_used_again) {
    for (std::size_t regions = 1; regions <= 8; ++regions) {
        Table table = create(8, regions);
        for (std::uint64_t key = 3; key <= 19; key += 8) put(table, key, key);
        EXPECT_TRUE(erase(table, 11));
        EXPECT_EQ(put(table, 27, 1), Probed::NotThere);
        EXPECT_EQ(home(table, 4).key, 27U);
        EXPECT_EQ(pairs(table), (Pairs{{3, 3}, {19, 19}, {27, 1}}));
    }
}

TEST_F(TravellingProbeTest, a_full_table_refuses_new_keys_only) {
    for (std::size_t regions = 1; regions <= 8; ++regions) {
        Table table = create(8, regions);
        for (std::uint64_t key = 1; key <= 8; ++key) EXPECT_EQ(put(table, key * 7, key), Probed::NotThere);
        Pairs const before = pairs(table);
        for (std::uint64_t key = 100; key < 108; ++key) {
            EXPECT_EQ(put(table, key, 0), Probed::Full);
            EXPECT_EQ(find(table, key), std::nullopt);
            EXPECT_FALSE(erase(table, key));
        }
        EXPECT_EQ(pairs(table), before);
        for (std::uint64_t key = 1; key <= 8; ++key) EXPECT_EQ(put(table, key * 7, key + 1), Probed::There);
        // Wherever a slot comes free, every key finds it.
        for (std::uint64_t key = 1; key <= 8; ++key) {
            EXPECT_TRUE(erase(table, key * 7));
            EXPECT_EQ(put(table, 200 + key, 0), Probed::NotThere);
            EXPECT_EQ(put(table, 300 + key, 0), Probed::Full);
        }
    }
}

TEST_F(TravellingProbeTest, a_table_of_deleted_slots_is_as_good_as_empty) {
    for (std::size_t regions = 1; regions <= 8; ++regions) {
        Table table = create(8, regions);
        for (std::uint64_t round = 0; round < 5; ++round) {
            for (std::uint64_t key = 1; key <= 8; ++key) EXPECT_EQ(put(table, key + round, key), Probed::NotThere);
            EXPECT_EQ(table.size(), 8U);
            for (std::uint64_t key = 1; key <= 8; ++key) EXPECT_TRUE(erase(table, key + round));
            EXPECT_EQ(table.size(), 0U);
            for (std::uint64_t key = 1; key <= 16; ++key) EXPECT_EQ(find(table, key), std::nullopt);
        }
    }
}

TEST_F(TravellingProbeTest, random_operations_match_the_standard_map) {
    struct Shape {
        std::size_t slots, regions, keys, operations;
    };
    for (Shape const& shape :
         {Shape{1, 1, 3, 50'000}, Shape{7, 1, 6, 300'000}, Shape{64, 1, 100, 300'000}, Shape{1009, 1, 700, 1'000'000},
          Shape{2, 2, 4, 100'000}, Shape{7, 7, 9, 200'000}, Shape{16, 3, 14, 300'000}, Shape{100, 8, 120, 300'000},
          Shape{1009, 17, 700, 1'000'000}}) {
        Table table = create(shape.slots, shape.regions);
        std::unordered_map<std::uint64_t, std::uint64_t> expected;
        std::mt19937_64 random(shape.slots + shape.regions);
        for (std::uint64_t i = 0; i < shape.operations; ++i) {
            std::uint64_t const key = 1 + random() % shape.keys * 3; // 3 slots apart: where few are taken they crowd
            auto const there = expected.find(key);
            bool const is_there = there != expected.end();
            switch (random() % 3) {
            case 0: {
                bool const is_full = !is_there && expected.size() == shape.slots;
                ASSERT_EQ(put(table, key, i), is_full ? Probed::Full : is_there ? Probed::There : Probed::NotThere);
                if (!is_full) expected[key] = i;
                break;
            }
            case 1:
                ASSERT_EQ(erase(table, key), is_there);
                expected.erase(key);
                break;
            default: ASSERT_EQ(find(table, key), is_there ? std::optional(there->second) : std::nullopt);
            }
            ASSERT_EQ(table.size(), expected.size());
        }
        EXPECT_EQ(pairs(table), Pairs(expected.begin(), expected.end()));
    }
}

// Two regions of two slots, all of which were taken: no search ends before it is back.
class TravellersMeetTest : public TravellingProbeTest {
  protected:
    // 4, 5, 6 and 7 are in slots 0 to 3; 8, 12 and so on have the home slot 0.
    void SetUp() override {
        TravellingProbeTest::SetUp();
        table.emplace(create(4, 2));
        for (std::uint64_t key = 4; key < 8; ++key) put(*table, key, key);
    }
    void TearDown() override {
        table.reset();
        TravellingProbeTest::TearDown();
    }
    std::optional<Table> table;
};

TEST_F(TravellersMeetTest, who_is_behind_a_put_sees_its_key_at_once) {
    erase(*table, 5);
    TravellingProbe putting(8, 80);
    EXPECT_EQ(putting.put(*table, 0), Probed::EndOfRegion);
    TravellingProbe finding(8);
    EXPECT_EQ(finding.find(*table, 0), Probed::There); // were it not, it would be back before a second lap
    EXPECT_EQ(finding.value(), 80U);
    EXPECT_EQ(putting.put(*table, 1), Probed::EndOfRegion);
    EXPECT_EQ(putting.put(*table, 0), Probed::NotThere);
    EXPECT_EQ(pairs(*table), (Pairs{{4, 4}, {6, 6}, {7, 7}, {8, 80}}));
}

TEST_F(TravellersMeetTest, two_puts_of_one_key_get_one_slot) {
    erase(*table, 6);
    TravellingProbe first(8, 80);
    EXPECT_EQ(first.put(*table, 0), Probed::EndOfRegion); // no place
    erase(*table, 5);
    TravellingProbe second(8, 81);
    EXPECT_EQ(second.put(*table, 0), Probed::EndOfRegion); // a place that was none for the first
    EXPECT_EQ(first.put(*table, 1), Probed::EndOfRegion);
    EXPECT_EQ(first.put(*table, 0), Probed::NotThere);
    EXPECT_EQ(second.put(*table, 1), Probed::There); // the first one's
    EXPECT_EQ(pairs(*table), (Pairs{{4, 4}, {7, 7}, {8, 81}}));
}

TEST_F(TravellersMeetTest, an_erase_behind_a_put_that_is_under_way_leaves_nothing) {
    erase(*table, 6);
    put(*table, 8, 80); // in slot 2
    erase(*table, 5);
    TravellingProbe putting(8, 81);
    EXPECT_EQ(putting.put(*table, 0), Probed::EndOfRegion); // in slot 1
    EXPECT_EQ(TravellingProbe(8).erase(*table, 0), Probed::There);
    TravellingProbe finding(8);
    EXPECT_EQ(finding.find(*table, 0), Probed::EndOfRegion);
    EXPECT_EQ(putting.put(*table, 1), Probed::There);
    EXPECT_EQ(finding.find(*table, 1), Probed::EndOfRegion);
    EXPECT_EQ(finding.find(*table, 0), Probed::NotThere);
    EXPECT_EQ(pairs(*table), (Pairs{{4, 4}, {7, 7}}));
}

TEST_F(TravellersMeetTest, who_is_in_front_of_a_put_sees_the_old_value) {
    erase(*table, 6);
    put(*table, 8, 80); // in slot 2
    TravellingProbe finding(8);
    EXPECT_EQ(finding.find(*table, 0), Probed::EndOfRegion);
    erase(*table, 5);
    TravellingProbe putting(8, 81);
    EXPECT_EQ(putting.put(*table, 0), Probed::EndOfRegion); // in slot 1
    EXPECT_EQ(finding.find(*table, 1), Probed::There);
    EXPECT_EQ(finding.value(), 80U);
    EXPECT_EQ(putting.put(*table, 1), Probed::There);
    EXPECT_EQ(find(*table, 8), 81U);
}

TEST_F(TravellersMeetTest, a_put_behind_a_put_behind_an_erase_of_one_key) {
    erase(*table, 7);
    put(*table, 8, 80); // in slot 3
    TravellingProbe erasing(8);
    EXPECT_EQ(erasing.erase(*table, 0), Probed::EndOfRegion);
    erase(*table, 5);
    TravellingProbe first(8, 81);
    EXPECT_EQ(first.put(*table, 0), Probed::EndOfRegion); // in slot 1
    erase(*table, 4);
    TravellingProbe second(8, 82);
    EXPECT_EQ(second.put(*table, 0), Probed::There); // same part: where it is
    EXPECT_EQ(erasing.erase(*table, 1), Probed::There);
    EXPECT_EQ(first.put(*table, 1), Probed::EndOfRegion);
    EXPECT_EQ(first.put(*table, 0), Probed::NotThere);
    EXPECT_EQ(pairs(*table), (Pairs{{6, 6}, {8, 82}}));
}

TEST(TravellingProbeDeathTest, key_0_is_none) {
    EXPECT_DEATH(TravellingProbe(0), "a free slot has key 0");
}

} // namespace
} // namespace mxk::test
