#include "tasks/queue/core_queue.hpp"

namespace mxk {

Result<CoreQueue::Memory> CoreQueue::Memory::create(std::size_t cores, NodeId node) {
    auto outboxes = MXK_TRY(NodeVector<OutboxPlace>::create(cores, node));
    for (std::size_t i = 0; i < cores; ++i) outboxes.emplace();
    return Memory(MXK_TRY(Mailbox::Memory::create(cores, node)), std::move(outboxes));
}

// The first task ever sent there.
void CoreQueue::open(OutboxPlace& place, CoreQueue& to, CoreId target) {
    place.emplace(target, to.mailbox_, index(self_));
}

} // namespace mxk
