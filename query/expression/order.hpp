// The order of values: NaN is equal to itself and above all other numbers, -0.0 is 0.0, texts are compared byte by
// byte.
#pragma once

#include <string_view>

namespace mxk::query::order {

template <typename T> [[nodiscard]] bool less(T const& a, T const& b) {
    return a < b;
}
template <> [[nodiscard]] inline bool less(double const& a, double const& b) {
    return a < b || (b != b && a == a); // only NaN differs from itself
}
template <typename T> [[nodiscard]] bool equal(T const& a, T const& b) {
    return a == b;
}
template <> [[nodiscard]] inline bool equal(double const& a, double const& b) {
    return a == b || (a != a && b != b);
}

} // namespace mxk::query::order
