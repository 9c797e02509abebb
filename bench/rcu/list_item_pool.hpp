// A core's free items of a list. Its own core uses it, unless a function says otherwise.
#pragma once

#include <atomic>
#include <cstddef>
#include <utility>

#include "bench/rcu/sorted_list.hpp"
#include "kernel/sync/rcu/rcu.hpp"

namespace mxk::bench {

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

} // namespace mxk::bench
