// arch/cpu.hpp for the model checker: time passes when a use says so.
#pragma once

#include <cstdint>

#include "base/units.hpp"

namespace mxk::test {

inline Cycles model_time{};                  // set by a use
inline std::uint64_t model_time_of_look = 0; // that passes with each look, where one thread looks
inline bool model_has_avx2 = false;          // the same

} // namespace mxk::test

namespace mxk::arch {

inline Cycles timestamp() {
    test::model_time = static_cast<Cycles>(raw(test::model_time) + test::model_time_of_look);
    return test::model_time;
}
inline void pause() {}
inline bool has_avx2() {
    return test::model_has_avx2;
}

} // namespace mxk::arch
