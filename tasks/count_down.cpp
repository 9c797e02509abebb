#include "tasks/count_down.hpp"

#include "arch/attention.hpp"
#include "tasks/threads/kill.hpp"
#include "tasks/threads/semaphore.hpp"

namespace mxk {

bool CountDown::add(Waiter& waiter) {
    Waiter* before = waiters_.load(std::memory_order_acquire);
    do {
        if (before == happened()) return false;
        waiter.next = before;
        // release: pairs with the exchange in count(), whose caller reads the waiter; acquire: it is over, and what was
        // done before can be read
    } while (!waiters_.compare_exchange_weak(before, &waiter, std::memory_order_release, std::memory_order_acquire));
    return true;
}

void CountDown::block() {
    EndHold const hold; // it is in the list
    Semaphore told(0);
    Waiter self{.thread = &told};
    if (add(self)) told.wait();
}

void CountDown::tell(Waiter* first) {
    while (first != nullptr) {
        Waiter& waiter = *first;
        first = waiter.next; // once told, it is gone
        if (waiter.thread != nullptr) {
            waiter.thread->post();
            continue;
        }
        CoreId const core = waiter.core;
        waiter.is_told.store(true, std::memory_order_release); // pairs with wait()
        arch::wake(core);
    }
}

} // namespace mxk
