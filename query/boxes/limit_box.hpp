// The first rows that come, and no more: the boxes in front of it come to an end then, as far as nobody else wants what
// they have, so that a scan stops where it is.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "tasks/dataflow/graph/box.hpp"
#include "tasks/dataflow/graph/column_types.hpp"

namespace mxk::query {

class LimitBox final : public dataflow::Box {
  public:
    static constexpr std::string_view kind = "limit";
    static constexpr std::array<std::string_view, 1> inputs{"rows"};
    static constexpr bool has_output = true;
    static constexpr bool has_many_inputs = true;
    static Result<dataflow::ColumnTypes> columns(std::span<dataflow::InputColumns const> given,
                                                 std::uint64_t /*rows*/) {
        return given[0].types;
    }

    LimitBox(dataflow::Query& query, CoreId core, std::uint64_t rows)
        : Box(query, core)
        , left_(rows) {}

  protected:
    Result<dataflow::Step> receive(dataflow::CoreScheduler& /*here*/, std::size_t /*input*/,
                                   dataflow::EnvelopePointer envelope) override {
        if (left_ == 0) return dataflow::Step::Done;
        if (envelope->selected >= left_) {
            // Without a selection, the rows behind are no rows of it any more; with one, they are not selected.
            envelope->selected = static_cast<std::uint32_t>(left_);
            if (!envelope->selection) envelope->rows = envelope->selected;
        }
        left_ -= envelope->selected;
        emit(std::move(envelope));
        return left_ == 0 ? dataflow::Step::Done : dataflow::Step::More;
    }

  private:
    std::uint64_t left_;
};

} // namespace mxk::query
