// The order of values: NaN is equal to itself and above all other numbers, -0.0 is 0.0, texts are compared byte by
// byte.
#pragma once

#include <concepts>

namespace mxk::query::order {

template <typename T> [[nodiscard]] bool less(T const& a, T const& b) {
    if constexpr (std::floating_point<T>)
        return a < b || (b != b && a == a); // only NaN differs from itself
    else
        return a < b;
}
template <typename T> [[nodiscard]] bool equal(T const& a, T const& b) {
    if constexpr (std::floating_point<T>)
        return a == b || (a != a && b != b);
    else
        return a == b;
}

} // namespace mxk::query::order
