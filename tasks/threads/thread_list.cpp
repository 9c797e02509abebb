#include "base/spin_lock.hpp"
#include "tasks/threads/thread_record.hpp"

namespace mxk::thread_list {
namespace {

constinit SpinLock lock{lock_bands::objects.rank(8)}; // all below
constinit LinkedList<ThreadRecord, &ThreadRecord::links> list;
constinit std::uint32_t last_id = 0;

} // namespace

void add(ThreadRecord& record) {
    LockGuard const guard(lock);
    record.id = ++last_id;
    list.append(record);
}

void remove(ThreadRecord& record) {
    LockGuard const guard(lock);
    list.remove(record);
}

void for_each(void (*visit)(ThreadRecord const&, void* context), void* context) {
    LockGuard const guard(lock);
    for (ThreadRecord const* record = list.first(); record != nullptr; record = list.next(*record))
        visit(*record, context);
}

bool visit_one(std::uint32_t id, void (*visit)(ThreadRecord&, void* context), void* context) {
    LockGuard const guard(lock);
    for (ThreadRecord* record = list.first(); record != nullptr; record = list.next(*record)) {
        if (record->id != id) continue;
        visit(*record, context);
        return true;
    }
    return false;
}

} // namespace mxk::thread_list
