// What can be done to a table, for every layout, every model and every benchmark.
#pragma once

#include <cstdint>
#include <type_traits>

namespace mxk {

enum class Operation : std::uint8_t { Insert, Find, Erase };

// An operation that is known at compile time; converts to its value.
template <Operation operation> using OperationTag = std::integral_constant<Operation, operation>;

// Calls visitor(OperationTag<...>) for an operation that is known at run time only, and gives what it returns: the one
// place where operations are told apart. Inlined, so that the visitor's three bodies stand where it is called.
template <typename Visitor>
[[gnu::always_inline]] constexpr decltype(auto) dispatch(Operation operation, Visitor&& visitor) {
    switch (operation) {
    case Operation::Insert: return visitor(OperationTag<Operation::Insert>());
    case Operation::Find: return visitor(OperationTag<Operation::Find>());
    case Operation::Erase: break;
    }
    return visitor(OperationTag<Operation::Erase>());
}

} // namespace mxk
