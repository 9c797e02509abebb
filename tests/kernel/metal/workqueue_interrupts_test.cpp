// Work that interrupt handlers enqueue: on cores that sleep, run tasks, run threads. Metal only.
#include <algorithm>
#include <atomic>

#include "arch/x86_64/exceptions/interrupts.hpp"
#include "kernel/memory/node_vector.hpp"
#include "kernel/testing.hpp"
#include "tasks/workqueue/work_queue.hpp"
#include "tests/kernel/metal/interrupts/enqueue.hpp"
#include "tests/kernel/thread_group.hpp"

namespace mxk {
namespace {

constinit std::atomic<std::uint64_t> items_run{0};

MXK_TEST(workqueue, interrupts_enqueue) {
    std::size_t const cores = workers::count();
    std::size_t const rounds = std::max<std::size_t>(2'000 / cores, 8); // an emulator's cores take turns
    auto items = NodeVector<WorkItem>::create(rounds * cores, Worker::current().node());
    MXK_CHECK(items.ok());
    if (!items) return;
    for (std::size_t i = 0; i < rounds * cores; ++i) items.value().emplace();
    items_run.store(0, std::memory_order_relaxed);
    auto memory = WorkQueue::Memory::create({.name = "interrupts"});
    MXK_CHECK(memory.ok());
    if (!memory) return;
    WorkQueue queue(std::move(memory).value());
    {
        EnqueueingInterrupts const interrupts(arch::vector::first_free, queue, items.value().span(),
                                              [](WorkItem&) { items_run.fetch_add(1, std::memory_order_relaxed); });
        std::atomic<bool> stopped{false};
        auto spinner = [&] {
            while (!stopped.load(std::memory_order_relaxed)) {
            }
        };
        ThreadGroup group(1);
        group.start({.core = core_id(cores - 1), .name = "spinner"}, spinner);
        // Of interrupts that are pending already one more makes none, so each round waits for the one before.
        for (std::size_t round = 0; round < rounds; ++round) {
            for (std::size_t core = 0; core < cores; ++core) interrupts.send(core);
            wait_until([&] { return interrupts.handled() == (round + 1) * cores; });
            // In the first half each round's items have run before the next: nothing but the interrupt wakes anybody.
            if (round < rounds / 2)
                wait_until([&] { return items_run.load(std::memory_order_relaxed) == (round + 1) * cores; });
        }
        stopped.store(true, std::memory_order_relaxed);
        group.join();
        MXK_CHECK_EQUAL(interrupts.refused(), 0U);
    }
    queue.stop();
    MXK_CHECK_EQUAL(items_run.load(), rounds * cores);
    MXK_CHECK_EQUAL(queue.report().executed, rounds * cores);
}

} // namespace
} // namespace mxk
