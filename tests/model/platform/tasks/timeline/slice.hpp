// tasks/timeline/slice.hpp for the model checker: nothing is recorded.
#pragma once

#include <cstdint>

#include "tasks/worker.hpp"

namespace mxk {

enum class EventKind : std::uint8_t { GrowthStep, OwnerChange };

class TimelineSlice {
  public:
    TimelineSlice(Worker& /*worker*/, EventKind /*kind*/, void const* /*subject*/) {}
};
inline void note_instant(Worker& /*worker*/, EventKind /*kind*/, void const* /*subject*/) {}

} // namespace mxk
