#include "bench/adaptive/page_changes.hpp"

namespace mxk::bench {

Result<PageChanges> PageChanges::create(CoreId home, NodeId node, MappedSpace& space,
                                        mapping::MappingDatabase& database, std::size_t max_pages) {
    PageChanges made(space, database);
    if (!made.has_owners()) return made;
    made.calls_ = MXK_TRY(NodeVector<Call>::create(space.pages(), node));
    made.settling_ = MXK_TRY(NodeVector<Call>::create(space.pages(), node));
    for (std::size_t page = 0; page < space.pages(); ++page) {
        Call* const last = made.calls_.size() != 0 ? &made.calls_[made.calls_.size() - 1] : nullptr;
        if (last != nullptr && last->count < max_pages && last->owner() == space.owner(page))
            ++last->count;
        else
            made.calls_.emplace(home, space, database, page);
        bool is_new = true;
        for (Call const& other : made.settling_) is_new = is_new && other.owner() != space.owner(page);
        if (is_new) made.settling_.emplace(home, space, database, page);
    }
    return made;
}

void PageChanges::send(PageChange change, Task& waiter) {
    Worker& here = Worker::current();
    auto const calls = (change == PageChange::Settle ? settling_ : calls_).span();
    waiter_ = &waiter;
    left_ = calls.size();
    sent_ += calls.size();
    bool is_for_others = false;
    for (Call& call : calls) {
        CoreId const owner = call.owner();
        call.changes = this;
        call.wanted = change;
        call.body = &PageChanges::at_owner;
        is_for_others = is_for_others || owner != here.core();
        here.append(call, owner);
    }
    if (is_for_others) here.flush();
}

void PageChanges::at_owner(Worker& there, Task& task) {
    auto& call = static_cast<Call&>(task);
    call.is_done = true;
    for (std::size_t i = 0; i < call.count; ++i)
        call.is_done = call.space->change(*call.database, call.wanted, call.first + i) && call.is_done;
    call.body = &PageChanges::complete;
    if (there.core() == call.home) return complete(there, call);
    there.append(call, call.home);
}

void PageChanges::complete(Worker& home, Task& task) {
    auto& call = static_cast<Call&>(task);
    PageChanges& self = *call.changes;
    self.is_done_ = self.is_done_ && call.is_done;
    if (--self.left_ == 0) self.waiter_->body(home, *self.waiter_);
}

} // namespace mxk::bench
