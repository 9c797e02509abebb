// base/refusal.hpp for the model checker: memory is refused while a use says so.
#pragma once

namespace mxk::test {

inline bool model_memory_is_refused = false; // set by a use

} // namespace mxk::test

namespace mxk::inject {

[[nodiscard]] inline bool refuses_memory() {
    return test::model_memory_is_refused;
}

} // namespace mxk::inject
