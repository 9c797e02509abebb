// Which types the columns of envelopes have, as far as boxes say so. A model is checked with them before it runs, so
// that a wrong type is an error of the model with a box and an input in it, and not a wrong answer. Boxes that say
// nothing give columns of unknown types, which fit everything.
#pragma once

#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/result.hpp"
#include "tasks/dataflow/graph/envelope.hpp"

namespace mxk::dataflow {

enum class ColumnType : std::uint32_t {
    Unknown,
    None, // no such column
    U8,
    U16,
    U32,
    U64,
    I8,
    I16,
    I32,
    I64,
    I128,
    F32,
    F64,
    FirstOther = 0x8000'0000 // and on: each type that is none of these has a number by its name
};
std::string_view name_of(ColumnType type);

template <typename T> constexpr ColumnType column_type_of() {
    using enum ColumnType;
    if constexpr (std::same_as<T, __int128>) return I128;
    if constexpr (std::same_as<T, float>) return F32;
    if constexpr (std::same_as<T, double>) return F64;
    if constexpr (std::integral<T>) {
        constexpr std::array of_signed{I8, I16, I32, I64};
        constexpr std::array of_unsigned{U8, U16, U32, U64};
        constexpr std::size_t power = std::bit_width(sizeof(T)) - 1;
        return std::signed_integral<T> ? of_signed[power] : of_unsigned[power];
    }
    std::uint32_t hash = 0x811c'9dc5; // FNV-1a
    for (char const character : std::string_view(__PRETTY_FUNCTION__))
        hash = (hash ^ static_cast<unsigned char>(character)) * 0x0100'0193;
    return static_cast<ColumnType>(hash | static_cast<std::uint32_t>(FirstOther));
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
};

// What comes to an input, for BoxType::columns() (model.hpp).
struct InputColumns {
    std::string_view input;
    std::string_view sender; // the box's name
    ColumnTypes types{};

    // Errors: that column is missing, or of another type; it is none that an envelope has room for.
    [[nodiscard]] Result<void> expect(std::size_t number, ColumnType type) const;
    // These, and one more, or another one in its place. Errors: an envelope has no room for it.
    [[nodiscard]] Result<ColumnTypes> with(std::size_t number, ColumnType type) const;
};

} // namespace mxk::dataflow
