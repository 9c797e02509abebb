// What a stage of a graph does to a row, ours or a peer's: a number of multiplications that depend on each other. Rows
// are the numbers from 0 on. The sum at the end is known beforehand, since any number of such steps is one
// multiplication and one addition, modulo 2^64.
#pragma once

#include <cstddef>
#include <cstdint>

namespace mxk::bench {

// value -> factor * value + summand
struct RowSteps {
    std::uint64_t factor = 1;
    std::uint64_t summand = 0;

    // So many of them, one after the other.
    static RowSteps of(std::uint64_t steps);
    // Of the results for the rows from 0 up to, not including, `rows`.
    [[nodiscard]] std::uint64_t sum(std::uint64_t rows) const;
};

// Functions of their own, so that all who are compared run the same instructions.
void make_rows(std::uint64_t first, std::uint64_t* out, std::size_t rows);
// `work`: steps for each row.
void work_rows(std::uint64_t const* in, std::uint64_t* out, std::size_t rows, std::uint32_t work);
void add_rows(std::uint64_t const* in, std::uint64_t* sums, std::size_t rows);
std::uint64_t sum_rows(std::uint64_t const* in, std::size_t rows);

} // namespace mxk::bench
