// What can be done to a table, for every layout, every model and every benchmark.
#pragma once

#include <cstdint>
#include <type_traits>

namespace mxk {

// The last three overwrite (overwrites()): Update writes the value of a key that is there, Upsert inserts a key or
// writes its value, Modify reads the value of a key that is there and writes a function of it, as one step.
enum class Operation : std::uint8_t { Insert, Find, Erase, Update, Upsert, Modify };

constexpr bool overwrites(Operation operation) {
    return operation > Operation::Erase;
}

// An operation as a type: what dispatch() hands on, for use as a template argument.
template <Operation operation> using OperationConstant = std::integral_constant<Operation, operation>;

// Calls function(OperationConstant<...>) for what is known at run time only: the one switch over operations, from
// where on each has code of its own. Inline: it stands in front of every operation. Those that overwrite are told apart
// in a second step, so that the first has no more cases than comparisons are good for.
template <typename Function>
[[gnu::always_inline]] constexpr decltype(auto) dispatch_overwrite(Operation operation, Function&& function) {
    switch (operation) {
    case Operation::Update: return function(OperationConstant<Operation::Update>{});
    case Operation::Upsert: return function(OperationConstant<Operation::Upsert>{});
    default: return function(OperationConstant<Operation::Modify>{});
    }
}
template <typename Function>
[[gnu::always_inline]] constexpr decltype(auto) dispatch(Operation operation, Function&& function) {
    switch (operation) {
    case Operation::Insert: return function(OperationConstant<Operation::Insert>{});
    case Operation::Find: return function(OperationConstant<Operation::Find>{});
    case Operation::Erase: return function(OperationConstant<Operation::Erase>{});
    default: return dispatch_overwrite(operation, function);
    }
}

} // namespace mxk
