// arch/cpu.hpp for the model checker: time passes when a use says so.
#pragma once

#include "base/units.hpp"

namespace mxk::test {

inline Cycles model_time{}; // set by a use

} // namespace mxk::test

namespace mxk::arch {

inline Cycles timestamp() {
    return test::model_time;
}
inline void pause() {}

} // namespace mxk::arch
