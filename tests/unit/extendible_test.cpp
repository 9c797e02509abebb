// Tables that grow and shrink block by block, against the standard's map: every layout, with every kind of key.
#include "hashtable/extendible.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <unordered_map>
#include <vector>

#include "hashtable/cuckoo_slots.hpp"
#include "hashtable/open_slots.hpp"
#include "hashtable/pair_buckets.hpp"
#include "tests/unit/memory_fixture.hpp"

namespace mxk::test {
namespace {

// Keys with a number each.
template <typename Key> struct KeyOf;
template <> struct KeyOf<std::uint64_t> {
    static std::uint64_t of(std::uint64_t number) { return number + 1; }
};
template <std::size_t Size> struct KeyOf<Bytes<Size>> {
    // Differ in their last bytes only, so that all words count.
    static Bytes<Size> of(std::uint64_t number) {
        std::string text(Size, '.');
        for (std::size_t i = 0; i < 8; ++i) text[Size - 1 - i] = static_cast<char>('a' + (number >> 4 * i & 15));
        return Bytes<Size>(text);
    }
};

// One table and its model.
template <typename Table> class Compared {
  public:
    using Key = typename Table::Key;

    Compared(TableSize size, std::uint64_t seed, typename Table::HashType const& hash = {}, LeadingBits leading = {})
        : random(seed)
        , table(Table::create(size, node_id(0), hash, leading).value()) {}

    void insert(std::uint64_t number) {
        std::uint64_t const value = random();
        bool const is_new = model.try_emplace(number, value).second;
        ASSERT_EQ(table.insert(KeyOf<Key>::of(number), value), is_new ? Insert::Inserted : Insert::Present);
    }
    void erase(std::uint64_t number) {
        ASSERT_EQ(table.erase(KeyOf<Key>::of(number)), model.erase(number) == 1) << number;
    }
    void find(std::uint64_t number) {
        auto const* const value = table.find(KeyOf<Key>::of(number));
        auto const expected = model.find(number);
        ASSERT_EQ(value != nullptr, expected != model.end()) << number;
        if (value != nullptr) {
            ASSERT_EQ(*value, expected->second);
        }
    }

    // Operations on numbers below `range`, of which `inserts` and `erases` of 100 are such. Work is done now and then.
    void run(std::size_t operations, std::uint64_t range, unsigned inserts, unsigned erases) {
        for (std::size_t i = 0; i < operations && !testing::Test::HasFatalFailure(); ++i) {
            std::uint64_t const number = random() % range;
            unsigned const kind = static_cast<unsigned>(random() % 100);
            if (kind < inserts)
                insert(number);
            else if (kind < inserts + erases)
                erase(number);
            else
                find(number);
            if (random() % 64 == 0) table.work();
        }
    }

    void check_all() {
        ASSERT_EQ(table.size(), model.size());
        for (auto const& [number, value] : model) {
            auto const* const found = table.find(KeyOf<Key>::of(number));
            ASSERT_TRUE(found != nullptr && *found == value) << number;
        }
        std::size_t visited = 0;
        table.for_each([&](Key const&, std::uint64_t) { ++visited; });
        ASSERT_EQ(visited, model.size());
    }

    std::mt19937_64 random;
    std::unordered_map<std::uint64_t, std::uint64_t> model;
    Table table;
};

template <typename Table> class ExtendibleTest : public MemoryTest {};
using Tables =
    testing::Types<Extendible<OpenSlots<>>, Extendible<OpenSlots<Bytes<16>>>, Extendible<OpenSlots<Bytes<32>>>,
                   Extendible<CuckooSlots<>>, Extendible<CuckooSlots<Bytes<16>>>, Extendible<CuckooSlots<Bytes<32>>>,
                   Extendible<PairBuckets>>;
TYPED_TEST_SUITE(ExtendibleTest, Tables);

TYPED_TEST(ExtendibleTest, grows_and_shrinks_among_random_operations) {
    this->configure({512 * MiB});
    std::size_t const used = this->used_bytes();
    {
        Compared<TypeParam> t({.slots = 16}, 1);
        for (int wave = 0; wave < 3 && !this->HasFatalFailure(); ++wave) {
            t.run(200'000, 100'000, 70, 10);
            t.check_all();
            t.run(200'000, 100'000, 20, 20);
            t.check_all();
            t.run(400'000, 100'000, 2, 80);
            t.check_all();
        }
        EXPECT_LT(t.table.slot_count(), 20'000U) << "it has shrunk";
    }
    EXPECT_EQ(this->used_bytes(), used);
}

} // namespace
} // namespace mxk::test
