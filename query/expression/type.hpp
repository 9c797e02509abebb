// Types of the values in queries, and how they are stored. A type is what a user means (a decimal of scale 2), a
// storage what lies in memory (32 bits of a column file, 64 bits of an expression), a lane what expressions compute in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/result.hpp"
#include "base/text.hpp"

namespace mxk::query {

__extension__ using Int128 = __int128;

enum class Kind : std::uint8_t {
    Bool,
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
    Decimal,    // 64 bits or fewer, times 10^-scale
    Decimal128, // 128 bits; of scale 0 an integer
    F32,
    F64,
    Date,      // days since 1970-01-01
    Character, // one printable character of ASCII
    Text
};

struct Type {
    Kind kind = Kind::I64;
    std::uint8_t scale = 0; // of decimals; otherwise 0

    friend bool operator==(Type, Type) = default;
};
// "i64", "decimal of scale 2", ...
FixedText<32> name_of(Type type);

constexpr unsigned max_decimal_scale = 36;
// Errors: the scale is too large, or of no decimal.
Result<void> check_scale(Type type);

enum class Storage : std::uint8_t { U8, U16, U32, U64, I8, I16, I32, I64, I128, F32, F64, Text };
std::size_t bytes_of(Storage storage);
// Of what queries make of this kind.
Storage storage_of(Kind kind);

// Of integers that fit 64 bits, of others, of floating-point numbers; a Bool is a byte, 0 or 1; a Text is a
// std::string_view of memory that lives as long as the request.
enum class Lane : std::uint8_t { Bool, I64, I128, F64, Text };
Lane lane_of(Kind kind);
std::size_t bytes_of(Lane lane);

// Whether values are compared and added as whole numbers, decimals among them.
bool is_whole(Kind kind);
// Whether they can be computed with.
bool is_number(Kind kind);
bool is_decimal(Kind kind);

// f(T{}), T the type of the values of this storage of whole numbers.
template <typename F> auto with_whole(Storage storage, F f) {
    switch (storage) {
    case Storage::U8: return f(std::uint8_t{});
    case Storage::U16: return f(std::uint16_t{});
    case Storage::U32: return f(std::uint32_t{});
    case Storage::U64: return f(std::uint64_t{});
    case Storage::I8: return f(std::int8_t{});
    case Storage::I16: return f(std::int16_t{});
    case Storage::I32: return f(std::int32_t{});
    case Storage::I128: return f(Int128{});
    default: return f(std::int64_t{});
    }
}
// The same of a lane.
template <typename F> auto with_lane(Lane lane, F f) {
    switch (lane) {
    case Lane::Bool: return f(std::uint8_t{});
    case Lane::I128: return f(Int128{});
    case Lane::F64: return f(double{});
    case Lane::Text: return f(std::string_view{});
    default: return f(std::int64_t{});
    }
}

// All values of a whole kind lie in it: what the data says, or the type.
struct Range {
    Int128 low = 0;
    Int128 high = 0;

    [[nodiscard]] bool fits_64_bits() const { return low >= INT64_MIN && high <= INT64_MAX; }
};
// Of whole numbers: by what has to fit.
Type whole_type(Range const& range, bool of_decimals, std::uint8_t scale);
constexpr Int128 int128_max = static_cast<Int128>(~static_cast<unsigned __int128>(0) >> 1);
constexpr Int128 int128_min = -int128_max - 1;
Range full_range(Kind kind);

} // namespace mxk::query
