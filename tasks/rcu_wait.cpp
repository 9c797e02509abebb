#include "tasks/rcu_wait.hpp"

#include <cstddef>

#include "arch/sections.hpp"
#include "base/panic.hpp"
#include "kernel/memory/node_vector.hpp"
#include "tasks/count_down.hpp"
#include "tasks/workers.hpp"

namespace mxk::rcu {
namespace {

struct WaiterCallback : Callback {
    explicit WaiterCallback(CountDown& its_waiter)
        : waiter(&its_waiter) {
        function = [](Callback& self) { static_cast<WaiterCallback&>(self).waiter->count(); };
    }
    CountDown* waiter;
};

// Who waited in a section, would wait for himself: on metal for ever.
void expect_no_section() {
    expect(!arch::is_in_section(), "who waits for a grace period is in no read section");
}

} // namespace

void synchronize(Haste haste) {
    expect_no_section();
    CountDown waiter(1);
    WaiterCallback callback(waiter);
    call(callback, haste);
    waiter.wait();
}

// A core runs its callbacks in the order in which it got them.
Result<void> barrier() {
    expect_no_section();
    CountDown waiter(workers::count());
    auto callbacks =
        MXK_TRY(NodeVector<WaiterCallback>::create(workers::count(), workers::of(arch::home_core()).node()));
    for (std::size_t i = 0; i < workers::count(); ++i)
        periods()->call(core_id(i), callbacks.emplace(waiter), Haste::Soon);
    waiter.wait();
    return {};
}

void LaterTask::append(Task& task, Haste haste) {
    task_ = &task;
    function = [](Callback& self) { Worker::current().append(*static_cast<LaterTask&>(self).task_); };
    call(*this, haste);
}

void attend_quiescent() {
    Worker::current().pass_quiescent();
}

} // namespace mxk::rcu
