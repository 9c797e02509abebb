// tasks/threads/semaphore.hpp for the model checker: as tasks/threads/mxos/semaphore.cpp has it, with a word of its own
// by which a waiter is woken. A timeout may come at any time.
#pragma once

#include <cstdint>

#include "base/result.hpp"
#include "base/spin_wait.hpp"
#include "base/units.hpp"
#include "tasks/threads/semaphore_core.hpp"
#include "tests/model/atomic.hpp"

namespace mxk {

inline Result<void> check_waiting_time(Nanoseconds /*time*/) {
    return {};
}

class Semaphore {
  public:
    explicit Semaphore(std::uint32_t units)
        : core_(units) {}
    void wait() {
        Caller caller;
        if (!core_.take_or_wait(caller)) caller.await();
    }
    Result<bool> wait_for(Nanoseconds /*time*/) {
        Caller caller;
        if (core_.take_or_wait(caller)) return true;
        if (core_.withdraw(caller)) return false;
        caller.await();
        return true;
    }
    void post() {
        if (SemaphoreCore::Waiter* const waiter = core_.give())
            static_cast<Caller*>(waiter)->is_woken.store(1, std::memory_order_release);
    }

  private:
    struct Caller : SemaphoreCore::Waiter {
        void await() const {
            for (SpinWait wait; is_woken.load(std::memory_order_acquire) == 0;) wait.turn();
        }
        test::ModelAtomic<std::uint32_t> is_woken{0U};
    };

    SemaphoreCore core_;
};

} // namespace mxk
