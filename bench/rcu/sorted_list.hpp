// A linked list sorted by key, as `bench list` reads and writes it. The same code for all ways to protect it
// (list_protection.hpp): readers may walk while one writer replaces an item, if items are not given back before those
// readers have gone; or nobody walks meanwhile. Items that were given back are poisoned.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/units.hpp"
#include "bench/workload/instructions.hpp"
#include "kernel/sync/rcu/rcu.hpp"

namespace mxk::bench {

class ListItemPool;

// Fields are atomic because of protections that do not protect: who walks a list of them reads what is written.
struct alignas(cache_line_bytes) ListItem : rcu::Callback {
    static constexpr std::uint64_t poison = 0xfaec'faec'faec'faec; // above all keys, and no key's value

    std::atomic<ListItem*> link{nullptr};
    std::atomic<std::uint64_t> key{poison};
    std::atomic<std::uint64_t> value{poison};
    ListItem* next_free = nullptr; // its pool's, as the next one
    ListItemPool* pool = nullptr;
};
static_assert(sizeof(ListItem) == cache_line_bytes);

// A core's free items. Its own core uses it, unless a function says otherwise.
class ListItemPool {
  public:
    // Null: there is none. The newest first.
    [[nodiscard]] ListItem* take() {
        ListItem* const item = free_;
        if (item != nullptr) free_ = std::exchange(item->next_free, nullptr);
        return item;
    }
    // What nobody uses any more: poisoned from now on.
    void give_back(ListItem& item) {
        item.key.store(ListItem::poison, std::memory_order_relaxed);
        item.value.store(ListItem::poison, std::memory_order_relaxed);
        item.link.store(nullptr, std::memory_order_relaxed);
        item.next_free = std::exchange(free_, &item);
    }
    // What was unlinked: the same after a grace period.
    void give_back_after_readers(ListItem& item) {
        item.pool = this;
        item.function = [](rcu::Callback& self) {
            auto& its = static_cast<ListItem&>(self);
            ListItemPool& pool = *its.pool;
            pool.give_back(its);
            // release: pairs with waiting()
            pool.waiting_.store(pool.waiting_.load(std::memory_order_relaxed) - 1, std::memory_order_release);
        };
        waiting_.store(waiting_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
        rcu::call(item);
    }

    // Any core: items for which a grace period has not ended.
    [[nodiscard]] std::size_t waiting() const { return waiting_.load(std::memory_order_acquire); }
    // Any core while nobody uses it: how many are free; none if one of them is not poisoned any more.
    [[nodiscard]] std::size_t count_free() const {
        std::size_t count = 0;
        for (ListItem const* item = free_; item != nullptr; item = item->next_free, ++count)
            if (item->key.load(std::memory_order_relaxed) != ListItem::poison ||
                item->value.load(std::memory_order_relaxed) != ListItem::poison ||
                item->link.load(std::memory_order_relaxed) != nullptr)
                return 0;
        return count;
    }

  private:
    ListItem* free_ = nullptr;
    std::atomic<std::size_t> waiting_{0};
};

class SortedList {
  public:
    // While nobody uses the list: in front of all others.
    void push_front(ListItem& item, std::uint64_t key) {
        item.key.store(key, std::memory_order_relaxed);
        item.value.store(value_of(key), std::memory_order_relaxed);
        item.link.store(first_.load(std::memory_order_relaxed), std::memory_order_relaxed);
        first_.store(&item, std::memory_order_release);
    }

    // The value that is with the key, or nothing. A reader.
    [[nodiscard]] std::optional<std::uint64_t> find(std::uint64_t key) const {
        // acquire, each link: pairs with replace(); what it leads to is complete
        ListItem const* at = first_.load(std::memory_order_acquire);
        for (; at != nullptr; at = at->link.load(std::memory_order_acquire)) {
            std::uint64_t const here = at->key.load(std::memory_order_relaxed);
            if (here < key) continue;
            if (here == key) return at->value.load(std::memory_order_relaxed);
            break;
        }
        return std::nullopt;
    }

    // Puts the item in the place of the key's, with the next version of its value; gives that one, which is unlinked.
    // Null: the key is not there, and nothing was changed. The only writer.
    [[nodiscard]] ListItem* replace(std::uint64_t key, ListItem& item) {
        std::atomic<ListItem*>* link = &first_;
        ListItem* at = link->load(std::memory_order_acquire);
        for (; at != nullptr; link = &at->link, at = link->load(std::memory_order_acquire))
            if (at->key.load(std::memory_order_relaxed) >= key) break;
        if (at == nullptr || at->key.load(std::memory_order_relaxed) != key) return nullptr;
        item.key.store(key, std::memory_order_relaxed);
        item.value.store(at->value.load(std::memory_order_relaxed) + version_step, std::memory_order_relaxed);
        item.link.store(at->link.load(std::memory_order_relaxed), std::memory_order_relaxed);
        link->store(&item, std::memory_order_release);
        return at;
    }

    // visit(item) in their order, until it gives false; while nobody writes.
    template <typename Visit> void visit_while(Visit visit) const {
        ListItem const* at = first_.load(std::memory_order_acquire);
        while (at != nullptr && visit(*at)) at = at->link.load(std::memory_order_acquire);
    }

  private:
    std::atomic<ListItem*> first_{nullptr};
};

} // namespace mxk::bench
