#include "tasks/rcu_wait.hpp"

#include <atomic>
#include <cstddef>

#include "arch/attention.hpp"
#include "arch/sections.hpp"
#include "base/panic.hpp"
#include "kernel/memory/node_vector.hpp"
#include "tasks/threads/semaphore.hpp"
#include "tasks/threads/thread.hpp"
#include "tasks/workers.hpp"

namespace mxk::rcu {
namespace {

// Waits for a number of callbacks, in a thread or in a task.
class Waiter {
  public:
    explicit Waiter(std::size_t callbacks)
        : left_(callbacks) {}

    // release: what has run before, is visible to who has waited. The last one may be the end of this.
    void count_down() {
        CoreId const home = home_;
        bool const is_thread = is_thread_;
        if (left_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
        if (is_thread) return ended_.post();
        has_ended_.store(true, std::memory_order_release); // gone from here on
        arch::wake(home);
    }
    void wait() {
        if (is_thread_) return ended_.wait();
        Worker::current().run_until([this] { return has_ended_.load(std::memory_order_acquire); });
    }

  private:
    bool is_thread_ = in_thread();
    CoreId home_ = arch::home_core();
    std::atomic<std::size_t> left_;
    std::atomic<bool> has_ended_{false};
    Semaphore ended_{0};
};

struct WaiterCallback : Callback {
    explicit WaiterCallback(Waiter& its_waiter)
        : waiter(&its_waiter) {
        function = [](Callback& self) { static_cast<WaiterCallback&>(self).waiter->count_down(); };
    }
    Waiter* waiter;
};

// A waiter in a section would wait for itself, for ever.
void expect_no_section() {
    expect(!arch::is_in_section(), "nobody waits for a grace period in a read section");
}

} // namespace

void synchronize(Haste haste) {
    expect_no_section();
    Waiter waiter(1);
    WaiterCallback callback(waiter);
    call(callback, haste);
    waiter.wait();
}

// A core runs its callbacks in the order in which it got them.
Result<void> barrier() {
    expect_no_section();
    Waiter waiter(workers::count());
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

Throttle::~Throttle() {
    for (Marker& marker : markers_) await(marker);
}

void Throttle::await(Marker& marker) {
    if (!marker.is_given) return;
    marker.has_run.wait();
    marker.is_given = false;
}

void Throttle::call(Callback& callback, Haste haste) {
    expect_no_section();
    rcu::call(callback, haste);
    if (++given_ < batch_) return;
    given_ = 0;
    Marker& marker = markers_.at(next_);
    marker.function = [](Callback& self) { static_cast<Marker&>(self).has_run.post(); };
    marker.is_given = true;
    rcu::call(marker, Haste::Soon);
    next_ ^= 1U;
    await(markers_.at(next_)); // the half before this one
}

void attend_quiescent() {
    Worker::current().pass_quiescent();
}

} // namespace mxk::rcu
