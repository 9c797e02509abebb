#include "tasks/timeline/core_timeline.hpp"

#include <algorithm>

namespace mxk {

void CoreTimeline::start(std::uint64_t idle, bool waits_below) {
    std::fill_n(reinterpret_cast<std::byte*>(ring_.data()), ring_.size() * sizeof(TimelineEvent), std::byte{0});
    idle_ = idle;
    started_ = clock::timestamp();
    boundary_ = started_;
    if (waits_below) enter(waiting_);
}

void CoreTimeline::stop(std::uint64_t idle) {
    idle_ = idle - idle_;
    stopped_ = clock::timestamp();
    for (Turn const* turn = std::exchange(innermost_, nullptr); turn != nullptr; turn = turn->below_)
        add_turn(*turn, stopped_);
}

void CoreTimeline::begin_slice() {
    boundary_ = clock::timestamp();
}

void CoreTimeline::end_slice(EventKind kind) {
    end_slice_at(kind, clock::timestamp());
}

void CoreTimeline::end_slice_at(EventKind kind, Cycles end) {
    add({kind, boundary_, end, 0, 0});
    boundary_ = end;
}

void CoreTimeline::add_inner(EventKind kind, Cycles begin, Cycles end, void const* subject, std::uint64_t detail) {
    add({kind, begin, end, reinterpret_cast<std::uintptr_t>(subject), detail});
}

void CoreTimeline::add_instant(EventKind kind, void const* subject, std::uint64_t detail) {
    Cycles const now = clock::timestamp();
    add_inner(kind, now, now, subject, detail);
}

} // namespace mxk
