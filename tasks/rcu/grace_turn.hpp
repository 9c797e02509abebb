// What a coroutine awaits until nobody uses any more what was unlinked before (tasks/rcu/rcu_wait.hpp):
//
//     Object* const old = table.unlink(key);
//     co_await rcu::after_grace_period();
//     pool.destroy(*old);
#pragma once

#include <concepts>
#include <coroutine>

#include "arch/sections.hpp"
#include "base/panic.hpp"
#include "tasks/coroutine_task.hpp"
#include "tasks/rcu/rcu_wait.hpp"

namespace mxk::rcu {

// In the awaiting coroutine's frame.
class AfterGracePeriod {
  public:
    explicit AfterGracePeriod(Urgency urgency)
        : urgency_(urgency) {}

    static bool await_ready() { return false; }
    template <std::derived_from<CoroutineTask> Promise> void await_suspend(std::coroutine_handle<Promise> coroutine) {
        expect(!arch::is_in_section(), "nobody waits for a grace period in a read section");
        later_.append(coroutine.promise(), urgency_);
    }
    static Worker& await_resume() { return Worker::current(); }

  private:
    LaterTask later_;
    Urgency urgency_;
};

// The rest runs on this core after a grace period that has begun after this; its core runs other tasks meanwhile. Not
// in a ReadSection, which is a panic. Gives the worker.
[[nodiscard]] inline AfterGracePeriod after_grace_period(Urgency urgency = Urgency::Next) {
    return AfterGracePeriod(urgency);
}

} // namespace mxk::rcu
