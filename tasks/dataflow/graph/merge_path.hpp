// Merging two sorted runs in pieces that know nothing of each other: row n of the merged run begins at one place in
// each of the two, which a binary search finds (co-ranking: Siebert and Traeff, Efficient MPI implementation of a
// parallel, stable merge algorithm, 2012; the merge path of Odeh et al., 2012). Of equal keys those of the left run
// come first, so the merge is stable, and so are its pieces.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace mxk::dataflow {

// Keys in ascending order that are somebody else's.
struct KeyRun {
    std::uint64_t const* keys = nullptr;
    std::size_t rows = 0;
};

// How many of the first `row` rows of the merged run are from the left one. O(log(min(row, rows))), no memory.
inline std::size_t rows_from_left(KeyRun left, KeyRun right, std::size_t row) {
    std::size_t low = row > right.rows ? row - right.rows : 0;
    std::size_t high = std::min(row, left.rows);
    while (low != high) { // the answer is in [low, high]
        std::size_t const from_left = low + (high - low) / 2;
        // One more of the left run belongs to them if it is not behind the last one taken from the right run.
        if (left.keys[from_left] <= right.keys[row - from_left - 1])
            low = from_left + 1;
        else
            high = from_left;
    }
    return low;
}

// Rows [from, to) of the merged run, to out[0] and on, which none of the inputs' memory may be.
inline void merge_piece(KeyRun left, KeyRun right, std::size_t from, std::size_t to, std::uint64_t* out) {
    std::size_t const left_from = rows_from_left(left, right, from);
    std::size_t const left_to = rows_from_left(left, right, to);
    std::uint64_t const* a = left.keys + left_from;
    std::uint64_t const* const a_end = left.keys + left_to;
    std::uint64_t const* b = right.keys + (from - left_from);
    std::uint64_t const* const b_end = right.keys + (to - left_to);
    while (a != a_end && b != b_end) { // no branch that depends on keys: it would be guessed wrong
        bool const takes_right = *b < *a;
        *out++ = takes_right ? *b : *a;
        b += takes_right ? 1 : 0;
        a += takes_right ? 0 : 1;
    }
    out = std::copy(a, a_end, out);
    std::copy(b, b_end, out);
}

} // namespace mxk::dataflow
