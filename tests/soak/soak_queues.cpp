// Work queues as a part of `soak`.
#include <array>
#include <atomic>
#include <cstdint>

#include "kernel/testing.hpp"
#include "tests/kernel/mixed_work.hpp"
#include "tests/soak/soak_part.hpp"

namespace mxk {
namespace {

// Queues that come and go, and the system's, which stays.
void soak_queues(SoakRun const& run) {
    bench::Random random(run.seed);
    while (!run.is_over()) {
        std::array<Mixed, 40> items;
        Semaphore tokens(2);
        Semaphore done;
        std::atomic<std::uint32_t> left{items.size()};
        WorkQueue own(MXK_REQUIRE_VALUE(WorkQueue::Memory::create({.name = "soak", .limits = some_limits(random)})));
        for (Mixed& item : items) {
            item.queue = random.below(2) == 0 ? &own : &system_work_queue();
            item.tokens = &tokens;
            item.left = &left;
            item.done = &done;
            item.seed = random.next();
            item.rounds = static_cast<std::uint32_t>(random.below(10));
            MXK_CHECK(item.queue->enqueue(item, &Mixed::run));
        }
        done.wait();
        own.stop();
        MXK_CHECK_EQUAL(own.report().counts.workers, 0U);
    }
    while (system_work_queue().report().counts.active() != 0) this_thread::yield();
}

constexpr SoakPart workq_part{.name = "workq", .summary = "work queues that come and go", .run = &soak_queues};
MXK_REGISTER(mxk_soak_parts, SoakPart, workq_part);

} // namespace
} // namespace mxk
