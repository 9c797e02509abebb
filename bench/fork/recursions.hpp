// Programs that fork where they call themselves: Fibonacci numbers, queens, a matrix product.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace mxk::bench {

// A fork for each call that is not a leaf: nothing but forks and joins.
template <typename Forks> std::uint64_t fibonacci(Forks forks, unsigned n) {
    if (n < 2) return n;
    std::uint64_t first = 0;
    std::uint64_t second = 0;
    forks.both([&](auto& its) { first = fibonacci(its, n - 1); }, [&](auto& its) { second = fibonacci(its, n - 2); });
    return first + second;
}

// Queens on a board that do not attack each other.
constexpr unsigned max_queens = 16;
struct QueenCounts {
    std::uint64_t solutions = 0;
    std::uint64_t boards = 0; // that were looked at: with one queen more or less, each

    QueenCounts& operator+=(QueenCounts const& other) {
        solutions += other.solutions;
        boards += other.boards;
        return *this;
    }
};
// A row of the board; which columns have a queen already, and which ones are attacked across.
struct QueenRow {
    std::uint32_t columns = 0;
    std::uint32_t to_left = 0;
    std::uint32_t to_right = 0;

    [[nodiscard]] QueenRow next(std::uint32_t queen) const {
        return {columns | queen, (to_left | queen) << 1, (to_right | queen) >> 1};
    }
};
// `all`: the columns of the board.
template <typename Forks> QueenCounts place_queens(Forks forks, QueenRow row, std::uint32_t all) {
    if (row.columns == all) return {.solutions = 1, .boards = 1};
    std::array<std::uint32_t, max_queens> queens; // NOLINT: those that are read are written before
    std::size_t count = 0;
    for (std::uint32_t rest = all & ~(row.columns | row.to_left | row.to_right); rest != 0; rest &= rest - 1)
        queens[count++] = rest & (~rest + 1);
    if (count == 0) return {.solutions = 0, .boards = 1};
    QueenCounts counts = forks.template sum_of_each<max_queens>(
        count, [&](auto& its, std::size_t i) { return place_queens(its, row.next(queens[i]), all); });
    ++counts.boards;
    return counts;
}

// c += a b, of squares in matrices of `stride` columns: by quarters, of which four are computed at the same time, down
// to blocks.
constexpr std::size_t matrix_block = 32;
void multiply_block(double const* a, double const* b, double* c, std::size_t stride);
template <typename Forks>
void multiply(Forks forks, double const* a, double const* b, double* c, std::size_t size, std::size_t stride) {
    if (size == matrix_block) return multiply_block(a, b, c, stride);
    std::size_t const half = size / 2;
    for (std::size_t k = 0; k < 2; ++k) {
        auto const quarter = [=](auto& its, std::size_t i, std::size_t j) {
            multiply(its, a + (i * stride + k) * half, b + (k * stride + j) * half, c + (i * stride + j) * half, half,
                     stride);
        };
        auto const row = [&](auto& its, std::size_t i) {
            its.both([&](auto& left) { quarter(left, i, 0); }, [&](auto& right) { quarter(right, i, 1); });
        };
        forks.both([&](auto& its) { row(its, 0); }, [&](auto& its) { row(its, 1); });
    }
}

} // namespace mxk::bench
