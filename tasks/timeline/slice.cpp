#include "tasks/timeline/slice.hpp"

#include "tasks/timeline/core_timeline.hpp"

namespace mxk {

void add_slice(CoreTimeline& timeline, EventKind kind, Cycles begin, void const* subject, std::uint64_t detail) {
    timeline.add_inner(kind, begin, clock::timestamp(), subject, detail);
}

void add_instant(CoreTimeline& timeline, EventKind kind, void const* subject, std::uint64_t detail) {
    timeline.add_instant(kind, subject, detail);
}

} // namespace mxk
