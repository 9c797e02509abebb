// The graphs that are measured, ours and a peer's: a source, branches of stages, a join where there are several
// branches, and a sink. With one branch it is a pipe.
//
//                 +-> stage -> stage -+
//     source -> --+-> stage -> stage -+-> join -> sink
//                 +-> stage -> stage -+
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/units.hpp"

namespace mxk::bench {

struct GraphShape {
    std::uint32_t envelopes = 1; // from the source
    std::uint32_t rows = 1;      // of an envelope
    std::uint32_t branches = 1;
    std::uint32_t stages = 1;   // of a branch
    std::uint32_t work = 0;     // steps for each row in each stage (row_work.hpp)
    std::uint32_t slow = 1;     // how many times that in a pipe's stage in the middle, or in all stages of branch 0
    std::uint32_t capacity = 4; // envelopes that wait at an input
    bool is_timed = false;      // how long each box works is wanted: GraphResult::work

    [[nodiscard]] bool is_slow(std::uint32_t branch, std::uint32_t stage) const {
        return branches == 1 ? stage == stages / 2 : branch == 0;
    }
    [[nodiscard]] std::uint32_t work_of(std::uint32_t branch, std::uint32_t stage) const {
        return is_slow(branch, stage) ? work * slow : work;
    }
    [[nodiscard]] std::uint64_t all_rows() const { return std::uint64_t{envelopes} * rows; }
    [[nodiscard]] std::uint32_t boxes() const { return 2 + branches * stages + (branches > 1 ? 1 : 0); }
    // Of all values that come to the sink.
    [[nodiscard]] std::uint64_t check_sum() const;
};

// What came to the sink of one request, and how long the boxes worked.
struct GraphResult {
    Cycles start{}; // of the source's first run
    Cycles end{};   // of the sink's last one
    std::uint64_t check_sum = 0;
    std::uint64_t rows = 0;
    bool is_in_order = true;
    // How long boxes worked, if it was wanted: all of them; the one that worked more than any other, and runs on one
    // core at a time; and those on an envelope's way through the first branch, one after the other.
    Cycles work{};
    Cycles max_box{};
    Cycles path{};

    void add_work(Cycles of_box, bool is_on_path);

    [[nodiscard]] bool is_right(GraphShape const& shape) const {
        return check_sum == shape.check_sum() && rows == shape.all_rows() && is_in_order;
    }
    // Cycles: no schedule takes less on so many cores.
    [[nodiscard]] double ideal(std::size_t cores, std::uint32_t envelopes) const;
};

} // namespace mxk::bench
