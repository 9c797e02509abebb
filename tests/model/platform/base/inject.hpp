// base/inject.hpp for the model checker, which tries all delays.
#pragma once

namespace mxk::inject {

inline void point() {}

} // namespace mxk::inject
