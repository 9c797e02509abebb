// base/prefetch.hpp for the model checker.
#pragma once

namespace mxk {

inline void prefetch_far(void const* /*address*/) {}
inline void prefetch_for_read(void const* /*address*/) {}
inline void prefetch_for_write(void const* /*address*/) {}

} // namespace mxk
