// Adds a column: a function of others, for the rows that are selected.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "tasks/dataflow/graph/box.hpp"
#include "tasks/dataflow/graph/column_types.hpp"
#include "tasks/dataflow/graph/model.hpp"
#include "tests/kernel/query/row_boxes/columns_of.hpp"

namespace mxk::query_tests {

// Function: Out(T...) of the values of one row.
template <typename Out, typename Function, typename... Ts> class Map : public dataflow::Box {
  public:
    static constexpr std::array<std::string_view, 1> inputs{"rows"};
    static constexpr bool has_output = true;
    static Result<dataflow::ColumnTypes> columns(std::span<dataflow::InputColumns const> given, std::size_t to,
                                                 ColumnsOf<Ts...> columns, Function const& /*function*/) {
        MXK_TRY(columns.check(given[0]));
        return given[0].with(to, dataflow::column_type_of<Out>());
    }

    // `to`: the new column's number.
    Map(dataflow::Query& query, CoreId core, std::size_t to, ColumnsOf<Ts...> columns, Function function)
        : Box(query, core)
        , to_(to)
        , columns_(columns)
        , function_(function) {}

  protected:
    Result<dataflow::Step> receive(dataflow::CoreScheduler& /*here*/, std::size_t /*input*/,
                                   dataflow::EnvelopePointer envelope) override {
        auto made = dataflow::Column::create_for<Out>(envelope->rows);
        if (!made) return dataflow::no_memory_for_envelopes();
        Out* const out = made.template writable<Out>();
        columns_.with_values(*envelope, [&](auto const*... values) {
            envelope->for_each_row([&](auto row) { out[row] = function_(values[row]...); });
        });
        envelope->columns[to_] = std::move(made);
        emit(std::move(envelope));
        return dataflow::Step::More;
    }

  private:
    std::size_t to_;
    ColumnsOf<Ts...> columns_;
    Function function_;
};

template <typename Out, typename... Ts, typename Function>
dataflow::Model::BoxId add_map(dataflow::Model& model, std::string_view name, std::size_t to, ColumnsOf<Ts...> columns,
                               Function function) {
    return model.add<Map<Out, Function, Ts...>>(name, to, columns, function);
}

} // namespace mxk::query_tests
