// Columns of an envelope by number and type, for functions of their values: what filters, maps and groups are made of.
//
//     ColumnsOf<std::int64_t, std::int32_t>{{1, 2}}      the values of columns 1 and 2
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>

#include "tasks/dataflow/graph/column_types.hpp"
#include "tasks/dataflow/graph/envelope.hpp"

namespace mxk::query_tests {

template <typename... Ts> struct ColumnsOf {
    std::array<std::size_t, sizeof...(Ts)> numbers;

    // f(T const*...): where the values are.
    template <typename Function>
    [[gnu::always_inline]] auto with_values(dataflow::Envelope const& envelope, Function function) const {
        return with_values(envelope, function, std::index_sequence_for<Ts...>{});
    }

    // Errors: a column that is missing, or of another type.
    [[nodiscard]] Result<void> check(dataflow::InputColumns const& input) const {
        return check(input, std::index_sequence_for<Ts...>{});
    }

  private:
    template <std::size_t... places>
    [[nodiscard]] Result<void> check([[maybe_unused]] dataflow::InputColumns const& input,
                                     std::index_sequence<places...>) const {
        Result<void> result;
        static_cast<void>(
            ((result = input.expect(numbers[places], dataflow::column_type_of<Ts>()), result.ok()) && ...));
        return result;
    }
    template <typename Function, std::size_t... places>
    [[gnu::always_inline]] auto with_values(dataflow::Envelope const& envelope, Function& function,
                                            std::index_sequence<places...>) const {
        return function(envelope.values<Ts>(numbers[places])...);
    }
};

} // namespace mxk::query_tests
