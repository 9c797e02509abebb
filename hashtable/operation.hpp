// What can be done to a table, for every layout, every model and every benchmark.
#pragma once

#include <cstdint>
#include <type_traits>

namespace mxk {

enum class Operation : std::uint8_t { Insert, Find, Erase };

// An operation as a type: what dispatch() hands on, for use as a template argument.
template <Operation operation> using OperationConstant = std::integral_constant<Operation, operation>;

// Calls function(OperationConstant<...>) for what is known at run time only: the one switch over operations, from
// where on each has code of its own. Inline: it stands in front of every operation.
template <typename Function>
[[gnu::always_inline]] constexpr decltype(auto) dispatch(Operation operation, Function&& function) {
    switch (operation) {
    case Operation::Insert: return function(OperationConstant<Operation::Insert>{});
    case Operation::Find: return function(OperationConstant<Operation::Find>{});
    case Operation::Erase: break;
    }
    return function(OperationConstant<Operation::Erase>{});
}

} // namespace mxk
