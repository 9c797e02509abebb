// An Extendible table and its model, the standard's map: every operation has to come to the same in both. Operations
// are on numbers, each of which stands for a key (table_content.hpp).
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <unordered_map>
#include <vector>

#include "hashtable/table/extendible.hpp"
#include "tests/unit/table_content.hpp"

namespace mxk::test {

// Of 100 operations, how many are inserts and erases; the others look for keys.
struct OperationMix {
    unsigned inserts;
    unsigned erases;
};

template <typename TableType> class GrowingTable {
  public:
    using Table = TableType;
    using Key = typename Table::Key;
    using Item = typename Table::Item;
    using Items = ItemsOf<Item>;

    explicit GrowingTable(TableSize size, typename Table::HashType const& hash = {}, HashPrefix prefix = {})
        : hash_(hash)
        , prefix_(prefix)
        , table(Table::create(size, node_id(0), hash, prefix).value()) {}
    ~GrowingTable() {
        for (auto const& [number, item] : model) Items::destroy(item);
    }
    GrowingTable(GrowingTable const&) = delete;
    GrowingTable& operator=(GrowingTable const&) = delete;

    // The numbers of `count` keys that belong to this table: those whose hashes begin with its prefix.
    [[nodiscard]] std::vector<std::uint64_t> numbers(std::size_t count) const {
        std::vector<std::uint64_t> result;
        for (std::uint64_t number = 0; result.size() < count; ++number)
            if (prefix_.bits == 0 || hash_(KeyOf<Key>::of(number)) >> (64 - prefix_.bits) == prefix_.value)
                result.push_back(number);
        return result;
    }

    // What the table said. Full is only right if the key is not there; the test says when it may be at all.
    Insert insert(std::uint64_t number) {
        Key const key = KeyOf<Key>::of(number);
        Item const item = Items::make(key, random());
        Insert const result = table.insert(key, item);
        bool const was_there = model.contains(number);
        EXPECT_EQ(result == Insert::Present, was_there) << number;
        if (result == Insert::Inserted)
            model.emplace(number, item);
        else
            Items::destroy(item);
        return result;
    }
    // The operations that overwrite, of tables of values.
    Insert upsert(std::uint64_t number) {
        Item const value = random();
        Insert const result = table.upsert(KeyOf<Key>::of(number), value);
        EXPECT_EQ(result == Insert::Present, model.contains(number)) << number;
        if (result != Insert::Full) model[number] = value;
        return result;
    }
    void update(std::uint64_t number) {
        Item const value = random();
        auto const expected = model.find(number);
        ASSERT_EQ(table.update(KeyOf<Key>::of(number), value), expected != model.end()) << number;
        if (expected != model.end()) expected->second = value;
    }
    void modify(std::uint64_t number) {
        auto const before = table.modify(KeyOf<Key>::of(number), [](Item value) { return ~value; });
        auto const expected = model.find(number);
        ASSERT_EQ(before.has_value(), expected != model.end()) << number;
        if (!before) return;
        ASSERT_EQ(*before, expected->second) << number;
        expected->second = ~expected->second;
    }
    void erase(std::uint64_t number) {
        auto const expected = model.find(number);
        ASSERT_EQ(table.erase(KeyOf<Key>::of(number)), expected != model.end()) << number;
        if (expected == model.end()) return;
        Items::destroy(expected->second);
        model.erase(expected);
    }
    void find(std::uint64_t number) {
        auto const found = table.find(KeyOf<Key>::of(number));
        auto const expected = model.find(number);
        ASSERT_EQ(found != nullptr, expected != model.end()) << number;
        if (found != nullptr) {
            ASSERT_EQ(Items::shown(found), expected->second) << number;
        }
    }

    // Random operations, of which none may be Full; work() is done after one of `operations_per_work`.
    void run(std::size_t operations, std::vector<std::uint64_t> const& numbers, OperationMix mix,
             unsigned operations_per_work = 64) {
        for (std::size_t i = 0; i < operations && !testing::Test::HasFailure(); ++i) {
            std::uint64_t const number = numbers[random() % numbers.size()];
            unsigned const kind = static_cast<unsigned>(random() % 100);
            if (kind < mix.inserts)
                ASSERT_NE(random() % 4 == 0 ? insert_or_upsert(number) : insert(number), Insert::Full);
            else if (kind < mix.inserts + mix.erases)
                erase(number);
            else
                find_or_overwrite(number);
            if (random() % operations_per_work == 0) table.work();
        }
    }
    void finish_work() {
        while (table.has_work()) table.work();
    }

    // The table has what the model has, by every way to look at it.
    void check_all() {
        if (testing::Test::HasFailure()) return; // one is enough
        ASSERT_EQ(table.size(), model.size());
        for (auto const& [number, item] : model) {
            auto const found = table.find(KeyOf<Key>::of(number));
            ASSERT_TRUE(found != nullptr && Items::shown(found) == item) << number;
        }
        std::size_t visited = 0;
        bool all_expected = true;
        table.for_each([&](Key const& key, Item item) {
            ++visited;
            auto const expected = model.find(KeyOf<Key>::number(key));
            all_expected = all_expected && expected != model.end() && expected->second == item &&
                           KeyOf<Key>::of(expected->first) == key;
        });
        ASSERT_EQ(visited, model.size());
        ASSERT_TRUE(all_expected);
        ASSERT_EQ(table.find(Key{}), nullptr);
        ASSERT_FALSE(table.erase(Key{}));
    }

  private:
    static constexpr bool has_values = std::is_same_v<Item, std::uint64_t>;

    Insert insert_or_upsert(std::uint64_t number) {
        if constexpr (has_values) return upsert(number);
        return insert(number);
    }
    void find_or_overwrite(std::uint64_t number) {
        if constexpr (has_values) {
            unsigned const draw = static_cast<unsigned>(random() % 4);
            if (draw == 0) return update(number);
            if (draw == 1) return modify(number);
        }
        find(number);
    }

    typename Table::HashType hash_;
    HashPrefix prefix_;

  public:
    std::mt19937_64 random{1};
    std::unordered_map<std::uint64_t, Item> model;
    Table table;
};

} // namespace mxk::test
