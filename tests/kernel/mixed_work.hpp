// Work items of all kinds, and queues for them.
#pragma once

#include <atomic>
#include <cstdint>

#include "bench/workload/random.hpp"
#include "kernel/testing.hpp"
#include "tasks/threads/semaphore.hpp"
#include "tasks/threads/thread.hpp"
#include "tasks/workqueue/work_queue.hpp"

namespace mxk {

// Work of all kinds, from tasks and threads of all cores, in a queue whose limits are drawn, too.
struct Mixed : WorkItem {
    WorkQueue* queue = nullptr;
    Semaphore* tokens = nullptr;
    std::atomic<std::uint32_t>* left = nullptr;
    Semaphore* done = nullptr; // posted by the last one
    std::uint64_t seed = 0;
    std::uint32_t rounds = 0;

    static void run(WorkItem& item) { static_cast<Mixed&>(item).go_on(); }
    void go_on() {
        bench::Random random(seed + rounds);
        switch (random.below(6)) {
        case 0: MXK_CHECK(this_thread::sleep_for(Nanoseconds{random.below(100'000)}).ok()); break;
        case 1: this_thread::yield(); break;
        case 2:
            tokens->wait();
            tokens->post();
            break;
        case 3:
            if (tokens->wait_for(Nanoseconds{random.below(50'000)}).value()) tokens->post();
            break;
        default: break;
        }
        if (rounds-- == 0) {
            Semaphore* const last_posts = done; // the item may be gone once it is counted
            if (left->fetch_sub(1, std::memory_order_acq_rel) == 1) last_posts->post();
            return;
        }
        MXK_CHECK(queue->enqueue(*this, &Mixed::run,
                                 random.below(2) == 0 ? WorkQueue::MayBlock::Yes : WorkQueue::MayBlock::No));
    }
};

inline WorkQueueLimits some_limits(bench::Random& random) {
    return {.min_idle = static_cast<std::uint32_t>(random.below(4)),
            .max_workers = static_cast<std::uint32_t>(4 + random.below(20)),
            .max_running = static_cast<std::uint32_t>(1 + random.below(6)),
            .items_per_worker = static_cast<std::uint32_t>(1 + random.below(8))};
}

} // namespace mxk
