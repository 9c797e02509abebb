#include "base/spin_lock.hpp"
#include "tasks/threads/thread_record.hpp"

namespace mxk::thread_list {
namespace {

constinit SpinLock lock{LockRank::ThreadList}; // all below
constinit ThreadRecord* first = nullptr;
constinit ThreadRecord* last = nullptr;

} // namespace

void add(ThreadRecord& record) {
    LockGuard const guard(lock);
    record.previous = last;
    (last != nullptr ? last->next : first) = &record;
    last = &record;
}

void remove(ThreadRecord& record) {
    LockGuard const guard(lock);
    (record.previous != nullptr ? record.previous->next : first) = record.next;
    (record.next != nullptr ? record.next->previous : last) = record.previous;
}

void for_each(void (*visit)(ThreadRecord const&, void* context), void* context) {
    LockGuard const guard(lock);
    for (ThreadRecord const* record = first; record != nullptr; record = record->next) visit(*record, context);
}

} // namespace mxk::thread_list
