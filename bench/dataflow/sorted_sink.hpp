// A sink that checks that values come in ascending order, besides what SinkBox checks.
#pragma once

#include "bench/dataflow/graph_boxes.hpp"

namespace mxk::bench {

class SortedSinkBox final : public CountingSinkBox {
  public:
    using CountingSinkBox::CountingSinkBox;

  private:
    Result<dataflow::Step> receive(dataflow::CoreScheduler& /*here*/, std::size_t /*input*/,
                                   EnvelopePointer envelope) override {
        auto const* const keys = envelope->values<std::uint64_t>(0);
        bool is_ascending = last_ <= keys[0];
        for (std::size_t row = 1; row < envelope->rows; ++row)
            is_ascending = is_ascending && keys[row - 1] <= keys[row];
        last_ = keys[envelope->rows - 1];
        if (!is_ascending) graph().done.is_in_order = false;
        count(*envelope);
        return dataflow::Step::More;
    }
    std::uint64_t last_ = 0;
};

} // namespace mxk::bench
