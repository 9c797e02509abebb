// Functions that can be called from the console, by `call` on one core and by `mcall` on all of them. One registers
// itself where it is defined:
//
//     Result<std::uint64_t> peek(std::uint64_t address);
//     constexpr auto peek_function = inspect::function<&peek>(
//         {.name = "peek", .summary = "the eight bytes at an address", .parameters = "ADDRESS"});
//     MXK_REGISTER(mxk_functions, inspect::Function, peek_function);
//
// It takes up to `max_parameters` numbers and gives a number, nothing, or a Result of these. It runs on a core between
// two tasks of that: it does not wait for tasks, and does not block for long.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/registry.hpp"
#include "base/result.hpp"

namespace mxk::inspect {

constexpr std::size_t max_parameters = 4;

struct Function {
    std::string_view name;
    std::string_view summary;         // one line, what it does
    std::string_view parameters = {}; // a word for each, with a blank between

    // Given by function().
    std::size_t parameter_count = 0;
    bool has_value = false;
    Result<std::uint64_t> (*run)(std::span<std::uint64_t const> arguments) = nullptr; // so many
};

MXK_REGISTRY(mxk_functions, Function, registered_functions)

// Called by nothing: reaching it makes a description that has not one word for each parameter a compile-time error.
void each_parameter_has_one_name();

template <auto called> struct Called;
template <typename Value, typename... Numbers, Value (*called)(Numbers...)> struct Called<called> {
    static_assert(sizeof...(Numbers) <= max_parameters && (std::is_same_v<Numbers, std::uint64_t> && ...));
    static constexpr std::size_t parameter_count = sizeof...(Numbers);
    static constexpr bool has_value =
        std::is_same_v<Value, std::uint64_t> || std::is_same_v<Value, Result<std::uint64_t>>;

    static Result<std::uint64_t> run(std::span<std::uint64_t const> arguments) {
        return run_with(arguments, std::index_sequence_for<Numbers...>());
    }

  private:
    template <std::size_t... place>
    static Result<std::uint64_t> run_with([[maybe_unused]] std::span<std::uint64_t const> arguments,
                                          std::index_sequence<place...> /*places*/) {
        if constexpr (has_value) {
            return called(arguments[place]...);
        } else if constexpr (std::is_void_v<Value>) {
            called(arguments[place]...);
            return std::uint64_t{0};
        } else {
            Result<void> const done = called(arguments[place]...);
            if (!done) return done.error();
            return std::uint64_t{0};
        }
    }
};

template <auto called> consteval Function function(Function described) {
    std::size_t names = described.parameters.empty() ? 0 : 1;
    for (char const each : described.parameters) names += each == ' ' ? 1U : 0U;
    if (names != Called<called>::parameter_count) each_parameter_has_one_name();
    described.parameter_count = names;
    described.has_value = Called<called>::has_value;
    described.run = &Called<called>::run;
    return described;
}

} // namespace mxk::inspect
