// Tables that grow block by block when there is no memory for it: what they have stays right, and they go on when there
// is some again.
#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "base/log.hpp"
#include "hashtable/layout/pair_line.hpp"
#include "tests/unit/sequential/optimised/extendible_fixture.hpp"

namespace mxk::test {
namespace {

class ExtendibleMemoryTest : public ExtendibleTest {
  protected:
    // Takes all memory but so much.
    void leave(std::size_t bytes) {
        std::size_t const free = allocators[0].free_bytes();
        taken_ = memory::allocate(free - bytes, FrameAllocator::frame_bytes, node_id(0)).value();
    }
    void give_back() { memory::free(taken_); }

    // Whether there is memory for the two halves of a block, one of which may lie ready, or for a bucket's next line.
    [[nodiscard]] bool could_grow() const {
        return allocators[0].largest_free_extent() >= align_up(2 * kind().block_bytes, FrameAllocator::frame_bytes);
    }

  private:
    memory::Block taken_{};
};
INSTANTIATE_TEST_SUITE_P(Tables, ExtendibleMemoryTest, all_tables(), name_of);

TEST_P(ExtendibleMemoryTest, ends_in_the_middle_of_growth) {
    configure({256 * MiB});
    std::size_t const used = used_bytes();
    {
        GrowingTable t(kind(), {.slots = 16}, kind().few);
        leave(640 * KiB);
        std::size_t const warnings = log::warning_count();
        auto const numbers = t.numbers(100'000);
        std::size_t full = 0;
        for (std::uint64_t const number : numbers) {
            bool const may_grow = could_grow();
            bool const is_full = t.insert(number) == Insert::Full;
            full += is_full ? 1 : 0;
            ASSERT_FALSE(is_full && may_grow) << number;
            if (full > 300 || (kind().has_nodes && t.model.size() == 80'000)) break;
            if (number % 64 == 0) t.table->work();
        }
        t.check_all();
        if (kind().has_nodes)
            EXPECT_EQ(full, 0U) << "a chain always has room";
        else
            EXPECT_GT(full, 300U);
        EXPECT_EQ(log::warning_count(), warnings + 1);
        EXPECT_GT(t.model.size(), kind().block_slots);

        // What there is can be used, and replaced, for as long as one likes. All tombstones, and all lines behind
        // buckets, come to use again.
        std::vector<std::uint64_t> present;
        for (auto const& [number, item] : t.model) present.push_back(number);
        for (int round = 0; round < 3; ++round) {
            for (std::uint64_t const number : present) {
                t.erase(number);
                ASSERT_EQ(t.insert(number), Insert::Inserted) << number;
                if (number % 64 == 0) t.table->work();
            }
            t.check_all();
        }
        for (std::size_t i = 0; i < present.size(); i += 2) t.erase(present[i]);
        t.check_all();
        std::size_t without_place = 0; // in another order, cuckoo hashing may find no way to the last slots
        for (std::size_t i = 0; i < present.size(); i += 2)
            without_place += t.insert(present[i]) == Insert::Full ? 1U : 0U;
        EXPECT_LE(without_place, kind().is_cuckoo ? present.size() / 20 : 0);
        t.check_all();
        EXPECT_EQ(log::warning_count(), warnings + 1);

        // More of it: on it goes.
        std::size_t const slots = t.table->slot_count();
        give_back();
        for (std::uint64_t const number : numbers) {
            ASSERT_NE(t.insert(number), Insert::Full) << number;
            if (number % 64 == 0) t.table->work();
        }
        t.finish_work();
        t.check_all();
        EXPECT_GT(t.table->slot_count(), slots);
        EXPECT_EQ(log::warning_count(), warnings + 1);
    }
    EXPECT_EQ(used_bytes(), used);
}

// Whatever there is no memory for, no key is lost, and nothing is left behind.
TEST_P(ExtendibleMemoryTest, may_end_at_any_step) {
    configure({256 * MiB});
    std::size_t const used = used_bytes();
    for (std::size_t frames = 0; frames < 60; frames += frames < 4 ? 1 : 13) {
        {
            GrowingTable t(kind(), {.slots = 500}, kind().few);
            auto const numbers = t.numbers(6000);
            leave(frames * FrameAllocator::frame_bytes);
            for (std::uint64_t const number : numbers) {
                (void)t.insert(number);
                if (number % 64 == 0) t.table->work();
            }
            t.check_all();
            for (std::uint64_t const number : numbers) {
                t.erase(number);
                if (number % 16 == 0) t.table->work();
            }
            t.finish_work();
            t.check_all();
            give_back();
        }
        ASSERT_EQ(used_bytes(), used);
        if (HasFailure()) break;
    }
}

TEST_P(ExtendibleMemoryTest, may_not_be_enough_to_begin_with) {
    configure({256 * MiB});
    leave(64 * KiB);
    std::size_t const used = used_bytes();
    EXPECT_EQ(kind().create({.slots = 1'000'000}, {}, {}), nullptr);
    EXPECT_EQ(used_bytes(), used);
}

// There is memory for another bucket, but none for the lines behind it: then all must be as it was.
class PairBucketsMemoryTest : public ExtendibleMemoryTest {};
TEST_F(PairBucketsMemoryTest, may_end_between_a_bucket_and_its_lines) {
    configure({64 * MiB});
    std::size_t const used = used_bytes();
    for (std::size_t frames = 0; frames < 8; ++frames) {
        {
            // All keys are of one bucket, the next that is divided, and then of one of two; the table has memory for
            // the other one's line already.
            auto const table =
                bucketed_table.create({.slots = 513 * PairLine::places, .load = 0.1}, {}, {.bits = 7, .value = 5});
            // The number of a key is less by one.
            auto const number = [](std::uint64_t i) {
                return MixedHash::inverse(std::uint64_t{5} << 57 | std::uint64_t{1} << 48 | i << 20) - 1;
            };
            leave(frames * FrameAllocator::frame_bytes);
            std::vector<std::uint64_t> present;
            for (std::uint64_t i = 0; i < 1000; ++i) {
                if (table->insert(number(i), i) == Insert::Inserted) present.push_back(i);
                if (i % 50 == 49) table->work();
                if (i % 3 == 0 && table->erase(number(i / 2))) std::erase(present, i / 2);
            }
            ASSERT_EQ(table->size(), present.size());
            for (std::uint64_t const i : present) ASSERT_EQ(table->find(number(i)), i);
            give_back();
        }
        ASSERT_EQ(used_bytes(), used) << frames;
    }
}

// What a table says it has is what it has, lines behind buckets and the directory apart.
TEST_P(ExtendibleMemoryTest, is_counted) {
    configure({256 * MiB});
    std::size_t const used = used_bytes();
    std::optional<GrowingTable> t;
    t.emplace(kind(), TableSize{.slots = 16}, kind().few);
    auto const numbers = t->numbers(50'000);
    for (int round = 0; round < 2; ++round) {
        for (std::uint64_t const number : numbers) ASSERT_EQ(t->insert(number), Insert::Inserted);
        std::size_t const taken = used_bytes() - used;
        EXPECT_LE(t->table->bytes(), taken + FrameAllocator::frame_bytes);
        EXPECT_GT(t->table->bytes(), taken / 2);
        for (std::uint64_t const number : numbers) {
            t->erase(number);
            t->table->work();
        }
    }
    auto const other = t->table->take();
    EXPECT_GT(used_bytes(), used);
    EXPECT_EQ(other->size(), 0U);
    t.reset();
    EXPECT_GT(used_bytes(), used) << "the other one has it";
}

} // namespace
} // namespace mxk::test
