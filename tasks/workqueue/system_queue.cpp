#include <cstddef>
#include <new>

#include "base/panic.hpp"
#include "tasks/workers.hpp"
#include "tasks/workqueue/work_queue.hpp"

namespace mxk {
namespace {

// Not an object of its own: the bare machine destroys nothing at its end.
alignas(WorkQueue) constinit std::byte memory_of_queue[sizeof(WorkQueue)]{};
constinit WorkQueue* the_queue = nullptr;

} // namespace

WorkQueue& system_work_queue() {
    return *the_queue;
}

namespace system_queue {

Result<void> create() {
    expect(the_queue == nullptr, "the system queue is created once");
    // The caller is no core yet.
    the_queue = new (memory_of_queue)
        WorkQueue(MXK_TRY(WorkQueue::Memory::create({.name = "system", .node = workers::of(core_id(0)).node()})));
    return {};
}

void destroy() {
    if (the_queue != nullptr) the_queue->~WorkQueue();
    the_queue = nullptr;
}

bool has_worked() {
    if (the_queue == nullptr) return false;
    WorkQueueReport const report = the_queue->report();
    return report.created != 0 || report.counts.workers != 0; // or one is being created
}

} // namespace system_queue
} // namespace mxk
