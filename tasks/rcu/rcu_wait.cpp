#include "tasks/rcu/rcu_wait.hpp"

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

// A waiter in a section would wait for itself, for ever.
void expect_no_section() {
    expect(!arch::is_in_section(), "nobody waits for a grace period in a read section");
}

} // namespace

void synchronize(Urgency urgency) {
    expect_no_section();
    CountDown waiter(1);
    WaiterCallback callback(waiter);
    call(callback, urgency);
    waiter.wait();
}

// A core runs its callbacks in the order in which it got them.
Result<void> barrier() {
    expect_no_section();
    CountDown waiter(workers::count());
    auto callbacks =
        MXK_TRY(NodeVector<WaiterCallback>::create(workers::count(), workers::of(arch::home_core()).node()));
    for (std::size_t i = 0; i < workers::count(); ++i)
        periods()->call(core_id(i), callbacks.emplace(waiter), Urgency::Next);
    waiter.wait();
    return {};
}

void LaterTask::append(Task& task, Urgency urgency) {
    task_ = &task;
    function = [](Callback& self) { Worker::current().append(*static_cast<LaterTask&>(self).task_); };
    call(*this, urgency);
}

Throttle::~Throttle() {
    for (Marker& marker : markers_) await(marker);
}

void Throttle::await(Marker& marker) {
    if (!marker.is_given) return;
    marker.has_run.wait();
    marker.is_given = false;
}

void Throttle::call(Callback& callback, Urgency urgency) {
    expect_no_section();
    rcu::call(callback, urgency);
    if (++given_ < batch_) return;
    given_ = 0;
    Marker& marker = markers_.at(next_);
    marker.function = [](Callback& self) { static_cast<Marker&>(self).has_run.post(); };
    marker.is_given = true;
    rcu::call(marker, Urgency::Next);
    next_ ^= 1U;
    await(markers_.at(next_)); // the half before this one
}

void attend_quiescent() {
    expect(arch::runs_task(), "a task is quiescent in the middle; a thread is wherever it is in no section");
    Worker::current().pass_quiescent();
}

} // namespace mxk::rcu
