// The concurrent table of chains under many users.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/inject.hpp"
#include "base/splitmix.hpp"
#include "hashtable/shared/concurrent/concurrent_pairs.hpp"
#include "hashtable/shared/concurrent/resizing_chains.hpp"
#include "kernel/memory/node_vector.hpp"
#include "kernel/sync/rcu/rcu.hpp"
#include "kernel/testing.hpp"
#include "tasks/worker.hpp"

namespace mxk::chain_stress {

using concurrent::Node;

// Who works with it: the item's key is its place among its owner's, of which all owners' equal ones have the same hash.
struct TestItem : Node, rcu::Callback {
    static constexpr std::uint64_t poison = 0xfaec'faec'faec'faec;
    enum class State : std::uint8_t { Free, InTable, Removed };

    std::uint64_t owner = 0;
    std::uint64_t key = 0;
    std::atomic<State> state{State::Free};
};

// After a grace period an item is poisoned, and can be inserted again.
struct RetireItem {
    void operator()(Node& node) const {
        auto& item = static_cast<TestItem&>(node);
        item.function = [](rcu::Callback& self) {
            auto& its = static_cast<TestItem&>(self);
            its.key = TestItem::poison;
            its.owner = TestItem::poison;
            its.hash = TestItem::poison;
            its.state.store(TestItem::State::Free, std::memory_order_release); // with its owner's look
        };
        rcu::call(item);
    }
};
using Table = concurrent::ResizingChains<RetireItem>;

inline std::uint64_t hash_of(std::uint64_t key) {
    return MixedHash()(key) & ~std::uint64_t{1};
}
struct IsItem {
    bool operator()(Node const& node) const {
        auto const& item = static_cast<TestItem const&>(node);
        return item.key == key && (!owner || item.owner == *owner);
    }
    std::uint64_t key;
    std::optional<std::uint64_t> owner;
};

// A table on the first core's node.
class Chains {
  public:
    explicit Chains(concurrent::TableShape const& shape) {
        NodeId const node = Worker::current().node();
        auto parts = Table::make(shape, {&node, 1});
        MXK_CHECK(parts.ok());
        if (parts) table_.emplace(std::move(parts.value()), RetireItem());
    }
    [[nodiscard]] bool ok() const { return table_.has_value(); }
    Table& operator*() { return *table_; }
    Table* operator->() { return &*table_; }

  private:
    std::optional<Table> table_;
};

inline void put(TestItem& item, std::uint64_t key, std::uint64_t owner) {
    item.key = key;
    item.owner = owner;
    item.hash = hash_of(key);
    item.state.store(TestItem::State::InTable, std::memory_order_relaxed);
}

// Many users, each with items of its own, and some that stay in the table.
class Stress {
  public:
    static constexpr std::size_t items_each = 64;

    // In a section.
    Stress(Table& table, std::size_t users, NodeId node, std::uint64_t seed)
        : table_(table)
        , first_noise_(splitmix(seed))
        , items_(NodeVector<std::array<TestItem, items_each>>::create(users, node)) {
        MXK_CHECK(items_.ok());
        if (!items_) return;
        for (std::size_t i = 0; i < users; ++i) items_.value().emplace();
        // The last item of each remains: everybody must find it, always.
        for (std::size_t i = 0; i < users; ++i) {
            TestItem& item = items_.value()[i][items_each - 1];
            put(item, items_each - 1, i);
            table_.insert(item);
        }
    }
    [[nodiscard]] bool ok() const { return items_.ok(); }
    [[nodiscard]] std::size_t wrong() const { return wrong_.load(std::memory_order_relaxed); }
    [[nodiscard]] std::size_t users() const { return items_.value().size(); }

    // One operation, in a section. `number`: that nobody has had.
    void operate(std::size_t user, std::uint64_t number) {
        std::uint64_t const noise = splitmix(first_noise_ + number * users() + user);
        std::size_t const key = (noise >> 8) % (items_each - 1);
        bool const updates = noise % users() <= user; // the first users mostly look, the last ones mostly write
        if ((noise >> 32) % 4 == 0) return look_at_others(noise);
        own(items_.value()[user][key], key, user, updates, (noise >> 40) % 2 == 0);
    }
    // All of their items, and those that remain. In a section.
    void remove_all() {
        for (auto& items : items_.value())
            for (TestItem& item : items)
                if (item.state.load(std::memory_order_acquire) == TestItem::State::InTable)
                    expect_that(table_.remove(item));
    }

  private:
    void expect_that(bool is_so) {
        if (!is_so) wrong_.fetch_add(1, std::memory_order_relaxed);
    }
    // Nobody else changes whether it is in the table.
    void own(TestItem& item, std::uint64_t key, std::uint64_t user, bool updates, bool by_item) {
        TestItem::State const state = item.state.load(std::memory_order_acquire);
        bool const is_in = state == TestItem::State::InTable;
        IsItem const is{key, user};
        if (!updates || state == TestItem::State::Removed)
            return expect_that(table_.find(hash_of(key), is) == (is_in ? &item : nullptr));
        if (!is_in) {
            put(item, key, user);
            return by_item ? table_.insert(item) : expect_that(table_.insert_unique(item, is) == nullptr);
        }
        item.state.store(TestItem::State::Removed, std::memory_order_relaxed); // before anybody can retire it
        if (by_item)
            expect_that(table_.remove(item));
        else
            expect_that(table_.remove(hash_of(key), is) == &item);
    }
    void look_at_others(std::uint64_t noise) {
        std::uint64_t const other = (noise >> 16) % users();
        IsItem const stays{items_each - 1, other};
        Node const* const found = table_.find(hash_of(items_each - 1), stays);
        expect_that(found == &items_.value()[other][items_each - 1]);
        // One that comes and goes: if it is found, it is not given back before the section ends.
        std::size_t const key = (noise >> 24) % (items_each - 1);
        auto const* const item = static_cast<TestItem const*>(table_.find(hash_of(key), IsItem{key, {}}));
        if (item == nullptr) return;
        inject::point();
        expect_that(item->key == key && item->hash == hash_of(key) && item->owner < users());
    }

    Table& table_;
    std::uint64_t first_noise_;
    Result<NodeVector<std::array<TestItem, items_each>>> items_;
    std::atomic<std::size_t> wrong_{0};
};

} // namespace mxk::chain_stress
