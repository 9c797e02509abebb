// A sink that checks that values come in ascending order, besides what SinkBox checks.
#pragma once

#include "bench/dataflow/graph_boxes.hpp"

namespace mxk::bench {

class SortedSinkBox final : public GraphBox {
  public:
    static constexpr std::array<std::string_view, 1> inputs{"rows"};
    static constexpr bool has_output = false;
    using GraphBox::GraphBox;

  private:
    Result<dataflow::Step> receive(dataflow::CoreScheduler& /*here*/, std::size_t /*input*/,
                                   EnvelopePointer envelope) override {
        auto const* const keys = envelope->values<std::uint64_t>(0);
        bool is_ascending = last_ <= keys[0];
        for (std::size_t row = 1; row < envelope->rows; ++row)
            is_ascending = is_ascending && keys[row - 1] <= keys[row];
        last_ = keys[envelope->rows - 1];
        if (!is_ascending || envelope->sequence != sequence_++) graph().done.is_in_order = false;
        check_sum_ += sum_rows(keys, envelope->rows);
        rows_ += envelope->rows;
        return dataflow::Step::More;
    }
    Result<dataflow::Step> finish(dataflow::CoreScheduler& /*here*/) override {
        GraphResult& done = graph().done;
        done.end = clock::timestamp();
        done.check_sum = check_sum_;
        done.rows = rows_;
        return dataflow::Step::Done;
    }
    std::uint64_t check_sum_ = 0;
    std::uint64_t rows_ = 0;
    std::uint64_t last_ = 0;
    std::uint64_t sequence_ = 0;
};

} // namespace mxk::bench
