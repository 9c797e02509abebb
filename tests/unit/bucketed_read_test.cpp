// A Bucketed table that is read in place while its owner changes it.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <thread>
#include <vector>

#include "hashtable/layout/bucketed.hpp"
#include "tests/read_in_place.hpp"
#include "tests/unit/bucketed_model.hpp"
#include "tests/unit/memory_fixture.hpp"
#include "tests/unit/random_pause.hpp"

namespace mxk::test {
namespace {

class BucketedRead : public MemoryTest {
  protected:
    void SetUp() override { configure({64 * MiB}); }
};

TEST_F(BucketedRead, by_threads_while_the_owner_erases_and_inserts) {
    constexpr std::size_t readers = 2;
    constexpr std::size_t changes = 100'000;
    constexpr std::uint64_t finds = 20'000; // of keys that come and go, by each reader, before it is over
    StandaloneBucketed t;
    ReadInPlace all(t.table);
    std::atomic<bool> is_over{false};
    std::array<ReadInPlace<Bucketed>::Reader, readers> seen;
    std::atomic<std::size_t> still_few{readers};
    InjectDelays const delays(&RandomPause::point);
    std::vector<std::thread> threads;
    threads.reserve(readers);
    for (std::size_t i = 0; i < readers; ++i)
        threads.emplace_back([&, i] {
            bool is_few = true;
            for (bench::Random random(i + 1); !is_over.load(std::memory_order_relaxed);) {
                seen.at(i).look(all, random);
                if (is_few && seen.at(i).found >= finds) {
                    is_few = false;
                    --still_few;
                }
            }
        });
    bench::Random random(7);
    for (std::size_t i = 0; i < changes || still_few.load() != 0; ++i) all.change(random);
    is_over.store(true, std::memory_order_relaxed);
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(all.wrong_by_owner, 0U);
    for (ReadInPlace<Bucketed>::Reader const& reader : seen) EXPECT_EQ(reader.wrong, 0U);
}

// What is read alone is what the owner finds, however many lines there are behind.
TEST_F(BucketedRead, is_what_the_owner_finds) {
    StandaloneBucketed t;
    for (std::uint64_t number = 1; number < 200; ++number) {
        ASSERT_EQ(t.table.insert(StandaloneBucketed::key_in(5, number), number), Insert::Inserted);
        if (number % 3 == 0) ASSERT_TRUE(t.table.erase(StandaloneBucketed::key_in(5, number / 2)) || number % 2 == 0);
        for (std::uint64_t other = 1; other < 210; ++other) {
            std::uint64_t const key = StandaloneBucketed::key_in(5, other);
            std::uint64_t const* const found = t.table.find(key);
            auto const read = t.table.read(key);
            ASSERT_EQ(read.has_value(), found != nullptr) << other;
            if (read) ASSERT_EQ(*read, *found);
            // The first line alone says Behind, or the same.
            auto const first = t.table.read_first(t.table.position(key));
            ASSERT_NE(first.seen, Bucketed::Seen::Changed);
            if (first.seen != Bucketed::Seen::Behind) ASSERT_EQ(first.seen == Bucketed::Seen::There, read.has_value());
        }
    }
    EXPECT_FALSE(t.table.read(0));
}

} // namespace
} // namespace mxk::test
