// What a bulk call has done to a table.
#pragma once

#include <cstddef>

#include "base/result.hpp"

namespace mxk {

struct [[nodiscard]] BulkResult {
    std::size_t wanted = 0;  // operations of the call
    std::size_t done = 0;    // of these, the first ones, which took effect
    std::size_t changed = 0; // of these, how many inserted or erased a key

    [[nodiscard]] bool ok() const { return done == wanted; }
    explicit operator bool() const { return ok(); }
    // Of one that is not ok.
    [[nodiscard]] Error error() const {
        return Error::of("out of memory: {} of {} operations on a table have been done", done, wanted);
    }
};

} // namespace mxk
