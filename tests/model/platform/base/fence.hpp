// base/fence.hpp for the model checker.
#pragma once

#include <source_location>

#include "tests/model/places.hpp"

namespace mxk {

inline void store_load_fence(std::source_location from = std::source_location::current()) {
    test::Places::fence({.from = from, .kind = test::PlaceKind::Fence, .fence = test::Fence::SeqCst});
}
inline void store_load_fence_was_there(std::source_location from = std::source_location::current()) {
    test::Places::fence_was_there({.from = from, .kind = test::PlaceKind::Fence, .fence = test::Fence::SeqCst});
}

} // namespace mxk
