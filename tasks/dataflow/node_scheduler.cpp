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

void NodeScheduler::prepend(Request& request) {
    lock_.lock();
    request.next_waiting = oldest_waiting_;
    oldest_waiting_ = &request;
    if (youngest_waiting_ == nullptr) youngest_waiting_ = &request;
    waiting_.store(waiting() + 1, std::memory_order_relaxed);
    lock_.unlock();
}

bool NodeScheduler::remove_waiting(Request& request) {
    Request* before = nullptr;
    Request* at = oldest_waiting_;
    while (at != nullptr && at != &request) {
        before = at;
        at = at->next_waiting;
    }
    if (at == nullptr) return false;
    (before != nullptr ? before->next_waiting : oldest_waiting_) = request.next_waiting;
    if (youngest_waiting_ == &request) youngest_waiting_ = before;
    waiting_.store(waiting() - 1, std::memory_order_relaxed);
    return true;
}

Request* NodeScheduler::take_youngest() {
    lock_.lock();
    Request* const request = youngest_waiting_;
    if (request != nullptr) remove_waiting(*request);
    lock_.unlock();
    return request;
}

void NodeScheduler::serve(RequestPlace& place) {
    lock_.lock();
    work_.add(place);
    note_active();
    lock_.unlock();
}

bool NodeScheduler::remove(Request& request, RequestPlace& place) {
    lock_.lock();
    bool const was_here = work_.remove(place) || remove_waiting(request);
    note_active();
    lock_.unlock();
    return was_here;
}

RequestPlace* NodeScheduler::youngest() {
    lock_.lock();
    RequestPlace* const place = work_.youngest();
    lock_.unlock();
    return place;
}

} // namespace mxk::dataflow
