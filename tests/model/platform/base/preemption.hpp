// base/preemption.hpp for the model checker: a thread of it is a core.
#pragma once

namespace mxk {

inline void hold_preemption() {}
inline void release_preemption() {}

} // namespace mxk
