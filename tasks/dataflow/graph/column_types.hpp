// Which types the columns of envelopes have, as far as boxes say so. A model is checked with them before it runs, so
// that a wrong type is an error of the model with a box and an input in it, and not a wrong answer. Boxes that say
// nothing give columns of unknown types, which fit everything.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/result.hpp"
#include "tasks/dataflow/graph/envelope.hpp"

namespace mxk::dataflow {

enum class ColumnType : std::uint8_t {
    Unknown,
    None, // no such column
    U8,
    U32,
    I32,
    U64,
    I64,
    I128,
    Object // something of a box's own, for boxes that know what it is
};
std::string_view name_of(ColumnType type);

// Of values that columns of tables and of operators are made of. Others are unknown.
template <typename T> constexpr ColumnType column_type_of() {
    if constexpr (std::same_as<T, std::uint8_t>) return ColumnType::U8;
    if constexpr (std::same_as<T, std::uint32_t>) return ColumnType::U32;
    if constexpr (std::same_as<T, std::int32_t>) return ColumnType::I32;
    if constexpr (std::same_as<T, std::uint64_t>) return ColumnType::U64;
    if constexpr (std::same_as<T, std::int64_t>) return ColumnType::I64;
    if constexpr (std::same_as<T, __int128>) return ColumnType::I128;
    return ColumnType::Unknown;
}

struct ColumnTypes {
    std::array<ColumnType, Envelope::max_columns> of{}; // Unknown

    // Columns 0 and on are these, and there are no others.
    template <typename... Ts> static constexpr ColumnTypes only() {
        static_assert(sizeof...(Ts) <= Envelope::max_columns);
        ColumnTypes result;
        result.of.fill(ColumnType::None);
        std::size_t at = 0;
        ((result.of[at++] = column_type_of<Ts>()), ...);
        return result;
    }
    // These, and one more, or another one in its place.
    [[nodiscard]] constexpr ColumnTypes with(std::size_t number, ColumnType type) const {
        ColumnTypes result = *this;
        result.of[number] = type;
        return result;
    }
};

// What comes to an input, for BoxType::columns() (model.hpp).
struct InputColumns {
    std::string_view input;
    std::string_view sender; // the box's name
    ColumnTypes types{};

    // Errors: that column is missing, or of another type.
    [[nodiscard]] Result<void> expect(std::size_t number, ColumnType type) const;
};

} // namespace mxk::dataflow
