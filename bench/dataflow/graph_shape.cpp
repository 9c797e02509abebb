#include "bench/dataflow/graph_shape.hpp"

#include <algorithm>

#include "bench/dataflow/row_work.hpp"

namespace mxk::bench {

std::uint64_t GraphShape::check_sum() const {
    std::uint64_t sum = 0;
    for (std::uint32_t branch = 0; branch < branches; ++branch) {
        std::uint64_t steps = 0;
        for (std::uint32_t stage = 0; stage < stages; ++stage) steps += work_of(branch, stage);
        sum += RowSteps::of(steps).sum(all_rows());
    }
    return sum;
}

void GraphResult::add_work(Cycles of_box, bool is_on_path) {
    work = work + of_box;
    max_box = std::max(max_box, of_box);
    if (is_on_path) path = path + of_box;
}

double GraphResult::ideal(std::size_t cores, std::uint32_t envelopes) const {
    double const shared = static_cast<double>(raw(work)) / static_cast<double>(cores);
    double const of_envelope = static_cast<double>(raw(path)) / envelopes;
    return std::max({shared, static_cast<double>(raw(max_box)), of_envelope});
}

} // namespace mxk::bench
