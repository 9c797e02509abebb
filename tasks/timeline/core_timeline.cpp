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

} // namespace mxk
