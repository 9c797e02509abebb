// A function that other ranks may call: what travels is its number, so it is known by a name that all ranks agree on.
//
//     std::uint64_t add(mxk::Worker& here, std::uint64_t key, std::uint64_t value);
//     constexpr auto remote_add = mxk::remote_function<&add>("example/add");
//     MXK_REGISTER(mxk_remote_functions, mxk::RemoteFunction, remote_add);
//
// It runs as a task does: to its end, on the core it was sent to, without waiting. Its arguments, of up to 48 bytes
// together, and its result, of up to 48, can be copied as bytes. One that returns Result<T> gives the caller its error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "base/registry.hpp"
#include "base/result.hpp"
#include "base/text.hpp"

namespace mxk {

class Worker;

struct RemoteFunction {
    static constexpr std::size_t max_bytes = 48;
    static constexpr std::uint16_t not_numbered = 0xffff;

    std::string_view name; // no two alike
    std::uint16_t argument_bytes;
    std::uint16_t result_bytes;
    std::uint16_t* number;
    // Writes the result, or the text of an error, as far as there is room for max_bytes; gives whether it succeeded.
    bool (*run)(Worker& here, std::byte const* arguments, std::byte* result);
};
MXK_REGISTRY(mxk_remote_functions, RemoteFunction, registered_remote_functions)

namespace remote {

template <typename T> struct ResultOf {
    using Type = T;
    static constexpr bool can_fail = false;
};
template <typename T> struct ResultOf<Result<T>> {
    using Type = T;
    static constexpr bool can_fail = true;
};

// Nothing takes no bytes.
template <typename T>
constexpr std::size_t bytes_of = std::is_void_v<T> ? 0 : sizeof(std::conditional_t<std::is_void_v<T>, char, T>);

template <auto function> struct FunctionTraits;
template <typename R, typename... Arguments, R (*function)(Worker&, Arguments...)> struct FunctionTraits<function> {
    using Returned = typename ResultOf<R>::Type; // may be void
    using Tuple = std::tuple<std::remove_cvref_t<Arguments>...>;

    static constexpr std::size_t argument_bytes = (std::size_t{0} + ... + sizeof(std::remove_cvref_t<Arguments>));
    static constexpr std::size_t result_bytes = bytes_of<Returned>;
    static_assert((std::is_trivially_copyable_v<std::remove_cvref_t<Arguments>> && ...),
                  "arguments of a remote function can be copied as bytes");
    static_assert(std::is_void_v<Returned> || std::is_trivially_copyable_v<Returned>,
                  "the result of a remote function can be copied as bytes");
    static_assert(argument_bytes <= RemoteFunction::max_bytes && result_bytes <= RemoteFunction::max_bytes,
                  "a remote function takes up to 48 bytes, and returns up to 48");

    static inline constinit std::uint16_t number = RemoteFunction::not_numbered;

    static void write(std::byte* to, Arguments const&... arguments) {
        ((std::memcpy(to, &arguments, sizeof arguments), to += sizeof arguments), ...);
    }

    static bool run(Worker& here, std::byte const* from, std::byte* result) {
        Tuple arguments;
        std::apply([&](auto&... each) { ((std::memcpy(&each, from, sizeof each), from += sizeof each), ...); },
                   arguments);
        auto const call = [&]() -> R {
            return std::apply([&](auto const&... each) { return function(here, each...); }, arguments);
        };
        if constexpr (ResultOf<R>::can_fail) {
            R const returned = call();
            if (!returned) {
                std::string_view const text = returned.error().message().substr(0, RemoteFunction::max_bytes - 1);
                std::memcpy(result, text.data(), text.size());
                result[text.size()] = std::byte{0};
                return false;
            }
            if constexpr (!std::is_void_v<Returned>) std::memcpy(result, &returned.value(), result_bytes);
        } else if constexpr (std::is_void_v<R>) {
            call();
        } else {
            R const returned = call();
            std::memcpy(result, &returned, result_bytes);
        }
        return true;
    }
};

// Gives all registered functions their numbers: the same ones in each process of one program. Before they are called.
void number_functions();
RemoteFunction const& function_of(std::uint16_t number);
// Of names and sizes, for a comparison with other ranks.
std::uint32_t sum_of_functions();

} // namespace remote

template <auto function> consteval RemoteFunction remote_function(std::string_view name) {
    using Traits = remote::FunctionTraits<function>;
    return {name, static_cast<std::uint16_t>(Traits::argument_bytes), static_cast<std::uint16_t>(Traits::result_bytes),
            &Traits::number, &Traits::run};
}

} // namespace mxk
