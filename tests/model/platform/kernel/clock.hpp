// kernel/clock.hpp for the model checker: a cycle takes a nanosecond.
#pragma once

#include "arch/cpu.hpp"
#include "base/units.hpp"

namespace mxk::clock {

inline Cycles timestamp() {
    return arch::timestamp();
}
inline Cycles to_cycles(Nanoseconds time) {
    return static_cast<Cycles>(raw(time));
}
inline Nanoseconds to_nanoseconds(Cycles time) {
    return static_cast<Nanoseconds>(raw(time));
}

} // namespace mxk::clock
