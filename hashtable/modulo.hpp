// key mod n without a division instruction, exact for all 64-bit keys and n: the bucket of a key (thesis section 3.1).
// One multiplication by a reciprocal that is computed once, one by n, and one conditional subtraction.
#pragma once

#include <cstdint>
#include <limits>

#include "base/panic.hpp"
#include "hashtable/fraction.hpp"

namespace mxk {

class Modulo {
  public:
    // `divisor` > 0.
    explicit Modulo(std::uint64_t divisor)
        : divisor_(divisor) {
        expect(divisor != 0, "a table has no less than one bucket");
        reciprocal_ = std::numeric_limits<std::uint64_t>::max() / divisor;
    }

    [[nodiscard]] std::uint64_t divisor() const { return divisor_; }

    [[nodiscard]] std::uint64_t operator()(std::uint64_t value) const {
        std::uint64_t const rest = value - low_quotient(value) * divisor_;
        return rest >= divisor_ ? rest - divisor_ : rest;
    }

    [[nodiscard]] std::uint64_t quotient(std::uint64_t value) const {
        std::uint64_t const low = low_quotient(value);
        return value - low * divisor_ >= divisor_ ? low + 1 : low;
    }

  private:
    // With n the divisor and m the reciprocal: m = (2^64 - 1 - e) / n for some 0 <= e < n. So for x < 2^64
    //
    //     x * m / 2^64  =  x / n  -  (x / 2^64) * ((1 + e) / n)  =  x / n - d,   0 <= d < 1,
    //
    // because the first factor of d is less than 1 and the second up to 1. Rounding down, floor(x / n - d) is
    // floor(x / n) or one less, never more. Therefore the rest x - q * n is x mod n or x mod n + n: one conditional
    // subtraction is enough. It cannot overflow even for n > 2^63, since it is up to x.
    [[nodiscard]] std::uint64_t low_quotient(std::uint64_t value) const { return high_product(value, reciprocal_); }

    std::uint64_t divisor_;
    std::uint64_t reciprocal_ = 0;
};

} // namespace mxk
