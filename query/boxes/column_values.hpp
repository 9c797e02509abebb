// Writing what boxes compute into columns of any storage.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>

#include "query/expression/type.hpp"

namespace mxk::query {

// Value i of a lane of type T into place_of(i) of a column of the storage, which has such values.
template <typename T, typename ValueOf, typename PlaceOf = std::identity>
void write_values(Storage storage, void* to, std::size_t count, ValueOf value_of, PlaceOf place_of = {}) {
    auto const write = [&]<typename To>(To /*type*/) {
        for (std::size_t i = 0; i < count; ++i) static_cast<To*>(to)[place_of(i)] = static_cast<To>(value_of(i));
    };
    if constexpr (std::same_as<T, std::string_view> || std::same_as<T, std::uint8_t>)
        write(T{});
    else if constexpr (std::same_as<T, double>)
        storage == Storage::F32 ? write(float{}) : write(double{});
    else
        with_whole(storage, write);
}

} // namespace mxk::query
