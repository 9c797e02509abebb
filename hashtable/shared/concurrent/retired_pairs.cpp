#include "hashtable/shared/concurrent/retired_pairs.hpp"

#include <utility>

#include "base/lock.hpp"
#include "hashtable/shared/concurrent/pair_supply.hpp"

namespace mxk::concurrent {

void RetiredPairs::add(PairSupply& supply) {
    supply.next_of_table_ = std::exchange(supplies_, &supply);
}

void RetiredPairs::retire(Pair& pair) {
    {
        LockGuard const guard(lock_);
        PairPage::of(&pair).set_waiting(pair, set_);
        has_more_ = is_called_;
        if (std::exchange(is_called_, true)) return;
        set_ ^= 1;
    }
    calls_out_.fetch_add(1, std::memory_order_relaxed); // nobody waits for it while the table is used
    call();
}

void RetiredPairs::call() {
    function = [](rcu::Callback& self) { static_cast<RetiredPairs&>(self).come_back(); };
    rcu::call(*this, rcu::Urgency::Next);
}

void RetiredPairs::come_back() {
    bool has_more = false;
    {
        LockGuard const guard(lock_);
        for (PairSupply* supply = supplies_; supply != nullptr; supply = supply->next_of_table_)
            supply->take_waiting(set_ ^ 1);
        set_ ^= 1;
        has_more = std::exchange(has_more_, false);
        is_called_ = has_more;
    }
    if (has_more) return call();
    calls_out_.fetch_sub(1, std::memory_order_release); // pairs with is_waited_for(): this may be gone
}

} // namespace mxk::concurrent
