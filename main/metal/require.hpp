// What the start cannot do without.
#pragma once

#include <utility>

#include "base/panic.hpp"
#include "base/result.hpp"

namespace mxk::metal {

template <typename T> T require(Result<T> result) {
    if (!result) panic("start: {}", result.error().message());
    return std::move(result).value();
}

} // namespace mxk::metal
