// A part of a task's body, recorded from here to the end of the block if the core's timeline is recorded at both:
//
//     TimelineSlice const slice(worker, EventKind::GrowthStep, &table);
#pragma once

#include "tasks/timeline/core_timeline.hpp"
#include "tasks/worker.hpp"

namespace mxk {

class TimelineSlice {
  public:
    TimelineSlice(Worker& worker, EventKind kind, void const* subject, std::uint64_t detail = 0)
        : worker_(worker)
        , timeline_(worker.timeline())
        , kind_(kind)
        , subject_(subject)
        , detail_(detail) {
        if (timeline_ != nullptr) [[unlikely]]
            begin_ = clock::timestamp();
    }
    ~TimelineSlice() {
        if (timeline_ != nullptr && timeline_ == worker_.timeline()) [[unlikely]]
            timeline_->add_inner(kind_, begin_, clock::timestamp(), subject_, detail_);
    }
    TimelineSlice(TimelineSlice const&) = delete;
    TimelineSlice& operator=(TimelineSlice const&) = delete;

  private:
    Worker& worker_;
    CoreTimeline* timeline_;
    EventKind kind_;
    void const* subject_;
    std::uint64_t detail_;
    Cycles begin_{};
};

// The same for what takes no time.
inline void note_instant(Worker& worker, EventKind kind, void const* subject, std::uint64_t detail = 0) {
    if (CoreTimeline* const timeline = worker.timeline()) [[unlikely]]
        timeline->add_instant(kind, subject, detail);
}

} // namespace mxk
