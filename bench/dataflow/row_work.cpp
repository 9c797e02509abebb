#include "bench/dataflow/row_work.hpp"

#include "base/splitmix.hpp"
#include "hashtable/fraction.hpp"

namespace mxk::bench {
namespace {

constexpr RowSteps one_step{.factor = golden_ratio, .summand = splitmix_step};

std::uint64_t after_step(std::uint64_t value) {
    return value * one_step.factor + one_step.summand;
}

// `a`, then `b`.
RowSteps joined(RowSteps const& a, RowSteps const& b) {
    return {.factor = a.factor * b.factor, .summand = b.factor * a.summand + b.summand};
}

} // namespace

RowSteps RowSteps::of(std::uint64_t steps) {
    RowSteps result;
    for (RowSteps power = one_step; steps != 0; steps >>= 1, power = joined(power, power))
        if ((steps & 1) != 0) result = joined(result, power);
    return result;
}

std::uint64_t RowSteps::sum(std::uint64_t rows) const {
    // 0 + 1 + ... + rows - 1, of which the even one of two factors is halved
    std::uint64_t const numbers = rows == 0 ? 0 : (rows % 2 == 0 ? rows / 2 * (rows - 1) : (rows - 1) / 2 * rows);
    return factor * numbers + summand * rows;
}

[[gnu::noinline]] void make_rows(std::uint64_t first, std::uint64_t* out, std::size_t rows) {
    for (std::size_t row = 0; row < rows; ++row) out[row] = first + row;
}

[[gnu::noinline]] void work_rows(std::uint64_t const* in, std::uint64_t* out, std::size_t rows, std::uint32_t work) {
    // Four rows by each step, so that four multiplications are under way: with a loop of the steps for each row, the
    // speed depended by a third on the address at which the linker put that loop.
    std::size_t row = 0;
    for (; row + 4 <= rows; row += 4) {
        std::uint64_t a = in[row];
        std::uint64_t b = in[row + 1];
        std::uint64_t c = in[row + 2];
        std::uint64_t d = in[row + 3];
        for (std::uint32_t i = 0; i < work; ++i) {
            a = after_step(a);
            b = after_step(b);
            c = after_step(c);
            d = after_step(d);
        }
        out[row] = a;
        out[row + 1] = b;
        out[row + 2] = c;
        out[row + 3] = d;
    }
    for (; row < rows; ++row) {
        std::uint64_t value = in[row];
        for (std::uint32_t i = 0; i < work; ++i) value = after_step(value);
        out[row] = value;
    }
}

[[gnu::noinline]] void add_rows(std::uint64_t const* in, std::uint64_t* sums, std::size_t rows) {
    for (std::size_t row = 0; row < rows; ++row) sums[row] += in[row];
}

[[gnu::noinline]] std::uint64_t sum_rows(std::uint64_t const* in, std::size_t rows) {
    std::uint64_t sum = 0;
    for (std::size_t row = 0; row < rows; ++row) sum += in[row];
    return sum;
}

} // namespace mxk::bench
