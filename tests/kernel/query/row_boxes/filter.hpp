// Keeps the rows for which a condition holds, by a selection: the columns stay as they are.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "tasks/dataflow/graph/box.hpp"
#include "tasks/dataflow/graph/column_types.hpp"
#include "tasks/dataflow/graph/model.hpp"
#include "tests/kernel/query/row_boxes/columns_of.hpp"

namespace mxk::query_tests {

// Condition: bool(T...) of the values of one row; without branches it is fastest.
template <typename Condition, typename... Ts> class Filter : public dataflow::Box {
    using Row = dataflow::Envelope::Row;

  public:
    static constexpr std::array<std::string_view, 1> inputs{"rows"};
    static constexpr bool has_output = true;
    static Result<dataflow::ColumnTypes> columns(std::span<dataflow::InputColumns const> given,
                                                 ColumnsOf<Ts...> columns, Condition const& /*condition*/) {
        MXK_TRY(columns.check(given[0]));
        return given[0].types;
    }

    Filter(dataflow::Query& query, CoreId core, ColumnsOf<Ts...> columns, Condition condition)
        : Box(query, core)
        , columns_(columns)
        , condition_(condition) {}

  protected:
    Result<dataflow::Step> receive(dataflow::CoreScheduler& /*here*/, std::size_t /*input*/,
                                   dataflow::EnvelopePointer envelope) override {
        auto chosen = dataflow::Column::create_for<Row>(envelope->selected);
        if (!chosen) return dataflow::no_memory_for_envelopes();
        Row* const out = chosen.template writable<Row>();
        Row const count = columns_.with_values(*envelope, [&](auto const*... values) {
            Row kept = 0;
            envelope->for_each_row([&](Row row) {
                out[kept] = row; // written in any case, so that nothing has to be predicted
                kept += condition_(values[row]...) ? 1U : 0U;
            });
            return kept;
        });
        if (count == 0) return dataflow::Step::More;
        envelope->selection = std::move(chosen);
        envelope->selected = count;
        emit(std::move(envelope));
        return dataflow::Step::More;
    }

  private:
    ColumnsOf<Ts...> columns_;
    Condition condition_;
};

template <typename... Ts, typename Condition>
dataflow::Model::BoxId add_filter(dataflow::Model& model, std::string_view name, ColumnsOf<Ts...> columns,
                                  Condition condition) {
    return model.add<Filter<Condition, Ts...>>(name, columns, condition);
}

} // namespace mxk::query_tests
