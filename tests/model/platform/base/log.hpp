// base/log.hpp for the model checker: what is logged is counted.
#pragma once

#include <cstddef>

namespace mxk::test {

inline std::size_t model_warnings = 0; // set back by a use

} // namespace mxk::test

namespace mxk::log {

template <typename... Arguments> void warn(char const* /*pattern*/, Arguments const&... /*arguments*/) {
    ++test::model_warnings;
}

} // namespace mxk::log
