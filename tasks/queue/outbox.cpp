#include "tasks/queue/outbox.hpp"

namespace mxk {

Outbox::Outbox(CoreId receiver, Mailbox& to, std::size_t sender)
    : to_(to)
    , ring_(to.open(sender))
    , watch_(to.watch(sender))
    , receiver_(receiver) {}

bool Outbox::send_waiting() {
    while (!waiting_.empty() && ring_->has_room()) (void)ring_->push(*waiting_.take());
    line_room_ = ring_->room_in_line();
    unconfirmed_ = true;
    return watch();
}

} // namespace mxk
