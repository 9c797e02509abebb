// Coroutines from where there is none: a plain body, or the console's task, starts one and learns of its end.
//
//     if (!start(here, value_of(table, key), [] (Worker& worker, std::uint64_t value) { ... })) ... // no memory
//
//     TaskGroup group(here);
//     expect(start(here, group, fill(table)), "no memory");
//     group.wait();
#pragma once

#include <concepts>
#include <type_traits>
#include <utility>

#include "kernel/memory/core_pool.hpp"
#include "tasks/coroutine.hpp"
#include "tasks/task_group.hpp"

namespace mxk {

// Waits for one coroutine in place of a coroutine. Made by Worker::create().
template <typename T, typename Ended> class StartedCoroutine : public Task {
  public:
    StartedCoroutine(Worker& worker, Coroutine<T> coroutine, Ended ended)
        : Task(&StartedCoroutine::finish, worker.core())
        , coroutine_(std::move(coroutine))
        , waiter_{this, worker.core(), 1}
        , ended_(std::move(ended)) {
        coroutine_.task().begin(worker, &waiter_);
    }

  private:
    static void finish(Worker& worker, Task& task) noexcept {
        auto& self = static_cast<StartedCoroutine&>(task);
        Ended ended = std::move(self.ended_);
        if constexpr (std::is_void_v<T>) {
            worker.destroy(self);
            ended(worker);
        } else {
            T result = std::move(self.coroutine_.result());
            worker.destroy(self);
            ended(worker, std::move(result));
        }
    }

    Coroutine<T> coroutine_;
    CoroutineWaiter waiter_;
    [[no_unique_address]] Ended ended_;
};

// Starts a coroutine that nobody waits for: it begins behind what stands in the queue of the calling core, whose worker
// is `here`. False if it is empty. Never blocks.
[[nodiscard]] inline bool start(Worker& here, Coroutine<> coroutine) {
    if (!coroutine) return false;
    coroutine.release().begin(here, nullptr);
    return true;
}

// The same, and calls ended(worker, result) on this core (for void, ended(worker)) when it has ended, come here, and is
// gone with all that its parameters held. (One that was made on another core is then on its way there.) False, and
// nothing is called, if it is empty or there is no memory. Never blocks, except for a new slab of memory.
template <typename T, typename Ended>
requires(std::is_void_v<T>&& std::invocable<Ended, Worker&>) ||
    std::invocable<Ended, Worker&, T> [[nodiscard]] bool start(Worker& here, Coroutine<T> coroutine, Ended ended) {
    using Started = StartedCoroutine<T, Ended>;
    static_assert(sizeof(Started) <= CorePool::largest_bytes, "what is called at the end captures less than 1 KiB");
    return coroutine && here.create<Started>(here, std::move(coroutine), std::move(ended)) != nullptr;
}

// Starts it as one of a group that is waited for. The group's owner, or a task of the group on any core.
[[nodiscard]] inline bool start(Worker& here, TaskGroup& group, Coroutine<> coroutine) {
    group.begin_one();
    if (start(here, std::move(coroutine), [&group](Worker& worker) { group.finish_one(worker); })) return true;
    group.give_up_one();
    return false;
}

} // namespace mxk
