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

void NodeScheduler::serve(RequestPlace& place, bool is_guest) {
    lock_.lock();
    work_.add(place);
    guests_.store(guests() + (is_guest ? 1 : 0), std::memory_order_relaxed);
    note_active();
    lock_.unlock();
}

void NodeScheduler::remove(RequestPlace const& place, bool is_guest) {
    lock_.lock();
    expect(work_.remove(place), "a request that has begun is served by all nodes that hold it");
    guests_.store(guests() - (is_guest ? 1 : 0), std::memory_order_relaxed);
    note_active();
    lock_.unlock();
}

bool NodeScheduler::share(Request& request, NodeScheduler& to) {
    if (!request.place()->add_holder(to.place())) return false;
    to.serve(*request.place(), true);
    return true;
}

void NodeScheduler::forget(std::span<NodeScheduler> nodes, RequestPlace& place) {
    for (NodeScheduler& node : nodes)
        if (place.is_held_by(node.place())) node.remove(place, place.is_guest_of(node.place()));
    place.close();
}

RequestPlace* NodeScheduler::youngest() {
    lock_.lock();
    RequestPlace* const place = work_.youngest();
    lock_.unlock();
    return place;
}

} // namespace mxk::dataflow
