// How other rooms put what they do into the timeline of the core that they run on, if it is recorded:
//
//     TimelineSlice const slice(worker, EventKind::GrowthStep, &table); // from here to the end of the block
//     note_instant(worker, EventKind::OwnerChange, &shard);
#pragma once

#include <cstdint>

#include "tasks/timeline/event.hpp"
#include "tasks/worker.hpp"

namespace mxk {

// `begin`: a time stamp in a task's body that has not ended yet.
void add_slice(CoreTimeline& timeline, EventKind kind, Cycles begin, void const* subject, std::uint64_t detail);
void add_instant(CoreTimeline& timeline, EventKind kind, void const* subject, std::uint64_t detail);

// A part of a task's body, recorded if the core's timeline is recorded at both ends.
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
            add_slice(*timeline_, kind_, begin_, subject_, detail_);
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

// What takes no time.
inline void note_instant(Worker& worker, EventKind kind, void const* subject, std::uint64_t detail = 0) {
    if (CoreTimeline* const timeline = worker.timeline()) [[unlikely]]
        add_instant(*timeline, kind, subject, detail);
}

} // namespace mxk
