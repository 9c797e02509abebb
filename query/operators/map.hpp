// Adds a column: a function of others, for the rows that are selected.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <span>
#include <string_view>
#include <type_traits>

#include "base/format.hpp"
#include "query/operators/columns_of.hpp"
#include "tasks/dataflow/graph/box.hpp"
#include "tasks/dataflow/graph/column_types.hpp"
#include "tasks/dataflow/graph/model.hpp"

namespace mxk::query {

// What a function of a row may give in place of an Out: the query ends with an error where it does not fit.
template <typename Out> struct Checked {
    Out value;
    bool is_wrong;
};
template <typename T> Checked<T> checked_product(std::type_identity_t<T> a, std::type_identity_t<T> b) {
    Checked<T> result;
    result.is_wrong = __builtin_mul_overflow(a, b, &result.value);
    return result;
}

// Function: Out(T...) or Checked<Out>(T...) of the values of one row.
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
        MXK_TRY(columns_.with_values(*envelope, [&](auto const*... values) -> Result<void> {
            if constexpr (std::same_as<decltype(function_(*values...)), Checked<Out>>) {
                bool is_wrong = false;
                envelope->for_each_row([&](auto row) {
                    auto const [value, is_wrong_here] = function_(values[row]...);
                    out[row] = value;
                    is_wrong |= is_wrong_here;
                });
                if (is_wrong) return first_wrong(*envelope, values...);
            } else {
                envelope->for_each_row([&](auto row) { out[row] = function_(values[row]...); });
            }
            return {};
        }));
        envelope->columns[to_] = std::move(made);
        emit(std::move(envelope));
        return dataflow::Step::More;
    }

  private:
    [[gnu::cold]] Error first_wrong(dataflow::Envelope const& envelope, Ts const*... values) const {
        FixedText<120> of;
        envelope.for_each_row([&](auto row) {
            if (of.view().empty() && function_(values[row]...).is_wrong)
                (format(of, "{}{}", of.view().empty() ? "" : ", ", values[row]), ...);
        });
        return Error::of("expected a result that fits in {}, got another one of {}",
                         dataflow::name_of(dataflow::column_type_of<Out>()), of.view());
    }

    std::size_t to_;
    ColumnsOf<Ts...> columns_;
    Function function_;
};

template <typename Out, typename... Ts, typename Function>
dataflow::Model::BoxId add_map(dataflow::Model& model, std::string_view name, std::size_t to, ColumnsOf<Ts...> columns,
                               Function function) {
    return model.add<Map<Out, Function, Ts...>>(name, to, columns, function);
}

} // namespace mxk::query
