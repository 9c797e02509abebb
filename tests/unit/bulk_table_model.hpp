// A bulk table beside a std::map: random operations on both, bulk and single, whose results have to be the same.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "hashtable/bulk/bulk_table.hpp"

namespace mxk::test {

// How random keys and values of a type are made; `number` is small, so that keys come again.
template <typename T> T made_of(std::uint64_t number) requires std::is_integral_v<T> {
    if (number == 0) return 0;
    if (number == 1) return static_cast<T>(~T{0});
    return static_cast<T>(number * 0x9e37'79b9'7f4a'7c15);
}

struct WideKey {
    std::uint64_t high;
    std::uint64_t low;
    auto operator<=>(WideKey const&) const = default;
};
template <std::same_as<WideKey> T> T made_of(std::uint64_t number) {
    return {number % 3, number};
}

struct WideValue {
    std::array<std::uint64_t, 8> words;
    bool operator==(WideValue const&) const = default;
};
template <std::same_as<WideValue> T> T made_of(std::uint64_t number) {
    T value{};
    for (std::size_t i = 0; i < value.words.size(); ++i) value.words[i] = number + i;
    return value;
}

// Empty, with zero bytes in them, and of sizes around those at which they are stored otherwise.
template <std::same_as<std::string> T> T made_of(std::uint64_t number) {
    if (number == 0) return {};
    std::size_t const sizes[] = {1, 3, 7, 8, 11, 12, 13, 15, 16, 17, 31, 255, 256, 257, 1000};
    T text(sizes[number % std::size(sizes)], '\0');
    std::memcpy(text.data(), &number, std::min(sizeof number, text.size()));
    return text;
}

template <typename Key, typename Value> class TableModel {
  public:
    // `kinds`: of different keys.
    TableModel(Table<Key, Value>& table, std::uint64_t kinds, std::uint32_t seed)
        : table_(table)
        , kinds_(kinds)
        , random_(seed) {}

    // A bulk call of `count` operations.
    void play(std::size_t count) {
        std::vector<Key> keys;
        std::vector<Value> values;
        for (std::size_t i = 0; i < count; ++i) {
            keys.push_back(made_of<Key>(random_() % kinds_));
            values.push_back(made_of<Value>(random_()));
        }
        std::vector<std::uint64_t> mask(table_.mask_words(count), random_());
        std::span<std::uint64_t> const given = random_() % 4 != 0 ? std::span(mask) : std::span<std::uint64_t>();
        switch (random_() % 6) {
        case 4:
            return check(keys, given, table_.update(keys, values, given), [&](std::size_t i) {
                auto const place = map_.find(keys[i]);
                if (place != map_.end()) place->second = values[i];
                return place != map_.end();
            });
        case 0:
            return check(keys, given, table_.insert(keys, values, given),
                         [&](std::size_t i) { return map_.emplace(keys[i], values[i]).second; });
        case 1:
            return check(keys, given, table_.upsert(keys, values, given),
                         [&](std::size_t i) { return map_.insert_or_assign(keys[i], values[i]).second; });
        case 2:
            return check(keys, given, table_.upsert(keys, values, &combine, given), [&](std::size_t i) {
                auto const [place, inserted] = map_.emplace(keys[i], values[i]);
                if (!inserted) combine(place->second, values[i]);
                return inserted;
            });
        case 3:
            return check(keys, given, table_.erase(keys, given),
                         [&](std::size_t i) { return map_.erase(keys[i]) != 0; });
        default: return find(keys, values, given);
        }
    }

    // One operation by the functions for one key.
    void play_one() {
        Key const key = made_of<Key>(random_() % kinds_);
        Value const value = made_of<Value>(random_());
        switch (random_() % 5) {
        case 3:
            ASSERT_EQ(table_.update(key, value), map_.contains(key));
            if (map_.contains(key)) map_.at(key) = value;
            break;
        case 0: ASSERT_EQ(table_.insert(key, value).inserted(), map_.emplace(key, value).second); break;
        case 1: ASSERT_EQ(table_.upsert(key, value).inserted(), map_.insert_or_assign(key, value).second); break;
        case 2: ASSERT_EQ(table_.erase(key), map_.erase(key) != 0); break;
        default:
            std::optional<Value> const found = table_.find(key);
            ASSERT_EQ(found.has_value(), map_.contains(key));
            if (found) {
                ASSERT_EQ(*found, map_.at(key));
            }
        }
    }

    void shrink() { table_.shrink(); }
    void clear() {
        ASSERT_EQ(table_.clear(), map_.size());
        map_.clear();
    }

    // The whole table.
    void compare() {
        ASSERT_EQ(table_.size(), map_.size());
        std::map<Key, Value> all;
        table_.for_each([&](auto const& key, Value const& value) {
            EXPECT_TRUE(all.emplace(Key(key), value).second) << "a key stands twice";
        });
        ASSERT_TRUE(all == map_);
    }

  private:
    static void combine(Value& stored, Value const& given) {
        Value const before = stored; // not commutative: the order counts
        for (std::size_t i = 0; i < sizeof(Value); ++i)
            bytes_of(stored)[i] = static_cast<unsigned char>(3 * bytes_of(before)[i] + bytes_of(given)[i]);
    }
    static unsigned char* bytes_of(Value& value) { return reinterpret_cast<unsigned char*>(&value); }
    static unsigned char const* bytes_of(Value const& value) { return reinterpret_cast<unsigned char const*>(&value); }

    template <typename Expected>
    void check(std::vector<Key> const& keys, std::span<std::uint64_t> mask, BulkResult const& result,
               Expected expected) {
        ASSERT_TRUE(result.ok()) << result.error().message();
        ASSERT_EQ(result.done, keys.size());
        std::size_t changed = 0;
        for (std::size_t i = 0; i < keys.size(); ++i) {
            bool const is_changed = expected(i);
            changed += is_changed ? 1 : 0;
            if (!mask.empty()) {
                ASSERT_EQ((mask[i / 64] >> i % 64 & 1) != 0, is_changed) << i;
            }
        }
        ASSERT_EQ(result.changed, changed);
        expect_nothing_behind(mask, keys.size());
    }
    void find(std::vector<Key> const& keys, std::vector<Value> const& before, std::span<std::uint64_t> mask) {
        std::vector<Value> values = before;
        std::size_t const count = table_.find(keys, values, mask);
        std::size_t found = 0;
        for (std::size_t i = 0; i < keys.size(); ++i) {
            auto const place = map_.find(keys[i]);
            bool const is_there = place != map_.end();
            found += is_there ? 1 : 0;
            ASSERT_EQ(values[i], is_there ? place->second : before[i]) << i;
            if (!mask.empty()) {
                ASSERT_EQ((mask[i / 64] >> i % 64 & 1) != 0, is_there) << i;
            }
        }
        ASSERT_EQ(count, found);
        expect_nothing_behind(mask, keys.size());
    }
    static void expect_nothing_behind(std::span<std::uint64_t const> mask, std::size_t count) {
        if (!mask.empty() && count % 64 != 0) {
            EXPECT_EQ(mask[count / 64] >> count % 64, 0U);
        }
    }

    Table<Key, Value>& table_;
    std::uint64_t kinds_;
    std::mt19937 random_;
    std::map<Key, Value> map_;
};

} // namespace mxk::test
