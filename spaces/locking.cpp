#include "spaces/locking.hpp"

#include "arch/core_local.hpp"
#include "base/inject.hpp"
#include "base/panic.hpp"

namespace mxk::mapping {

Result<Locking::Records> Locking::make_records(std::span<topology::Core const> cores) {
    auto records = MXK_TRY(Records::with_room(cores.size(), cores.front().node));
    for (topology::Core const& core : cores)
        if (auto const added = records.add(core.node); !added) return added.error();
    return records;
}

void Locking::Visit::begin() {
    if (locking_.kind_ == LockingKind::Coarse) {
        locking_.lock_.lock();
        locking_.shared_.taken.add(1);
        has_all_ = true;
    } else if (locking_.kind_ == LockingKind::Cascade) {
        locking_.cascade_.lock(own_.part, cascade_);
        if (cascade_.has_coarse) locking_.shared_.taken.add(1);
        if (cascade_.fine != nullptr) own_.record.taken.add(1);
        has_all_ = cascade_.has_all_parts();
        if (has_all_) in_flight_ = &locking_.shared_.in_flight;
    } else if constexpr (inject::enabled) {
        expect(index(arch::core_local().id) == own_.part, "an object that has an owner is touched by that core alone");
    }
}

void Locking::Visit::end() {
    if (locking_.kind_ == LockingKind::Coarse) locking_.lock_.unlock();
    if (locking_.kind_ == LockingKind::Cascade) locking_.cascade_.unlock(cascade_);
}

void Locking::claim(Own& own) {
    if (kind_ == LockingKind::Dynamic) own.dynamic.disable();
    if (kind_ == LockingKind::Cascade) cascade_.claim();
}
void Locking::share(Own& own) {
    if (kind_ == LockingKind::Dynamic) own.dynamic.enable();
    if (kind_ == LockingKind::Cascade) cascade_.coarsen();
}
bool Locking::is_settled(Own const& own) const {
    return kind_ == LockingKind::Cascade ? cascade_.is_stable() : own.dynamic.is_stable();
}

} // namespace mxk::mapping
