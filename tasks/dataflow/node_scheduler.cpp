#include "tasks/dataflow/node_scheduler.hpp"

namespace mxk::dataflow {

void NodeScheduler::append(Request& request) {
    lock_.lock();
    request.next_waiting = nullptr;
    (youngest_waiting_ != nullptr ? youngest_waiting_->next_waiting : oldest_waiting_) = &request;
    youngest_waiting_ = &request;
    waiting_.store(waiting() + 1, std::memory_order_relaxed);
    lock_.unlock();
}

Request* NodeScheduler::take_youngest() {
    lock_.lock();
    Request* const request = youngest_waiting_;
    if (request != nullptr) {
        Request* before = oldest_waiting_ != request ? oldest_waiting_ : nullptr;
        while (before != nullptr && before->next_waiting != request) before = before->next_waiting;
        (before != nullptr ? before->next_waiting : oldest_waiting_) = nullptr;
        youngest_waiting_ = before;
        waiting_.store(waiting() - 1, std::memory_order_relaxed);
    }
    lock_.unlock();
    return request;
}

void NodeScheduler::serve(RequestPlace& place, std::uint32_t guests_more) {
    lock_.lock();
    work_.add(place);
    guests_.store(guests() + guests_more, std::memory_order_relaxed);
    note_active();
    lock_.unlock();
}

void NodeScheduler::remove(RequestPlace& place) {
    lock_.lock();
    expect(work_.remove(place), "a request that has begun is served by all nodes that hold it");
    if (place.is_guest_of(place_)) guests_.store(guests() - 1, std::memory_order_relaxed);
    note_active();
    lock_.unlock();
}

bool NodeScheduler::share(Request& request, NodeScheduler& to) {
    if (!request.place()->add_holder(to.place())) return false;
    to.serve(*request.place(), 1);
    return true;
}

void NodeScheduler::forget(std::span<NodeScheduler> nodes, RequestPlace& place) {
    for (NodeScheduler& node : nodes)
        if (place.is_held_by(node.place())) node.remove(place);
    place.close();
}

RequestPlace* NodeScheduler::youngest() {
    lock_.lock();
    RequestPlace* const place = work_.youngest();
    lock_.unlock();
    return place;
}

} // namespace mxk::dataflow
