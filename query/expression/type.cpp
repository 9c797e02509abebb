#include "query/expression/type.hpp"

#include <array>
#include <limits>

#include "base/format.hpp"

namespace mxk::query {
namespace {

struct KindEntry {
    std::string_view name;
    Storage storage;
    Lane lane;
};
constexpr std::array<KindEntry, 16> kinds{{{.name = "bool", .storage = Storage::U8, .lane = Lane::Bool},
                                           {.name = "i8", .storage = Storage::I8, .lane = Lane::I64},
                                           {.name = "i16", .storage = Storage::I16, .lane = Lane::I64},
                                           {.name = "i32", .storage = Storage::I32, .lane = Lane::I64},
                                           {.name = "i64", .storage = Storage::I64, .lane = Lane::I64},
                                           {.name = "u8", .storage = Storage::U8, .lane = Lane::I64},
                                           {.name = "u16", .storage = Storage::U16, .lane = Lane::I64},
                                           {.name = "u32", .storage = Storage::U32, .lane = Lane::I64},
                                           {.name = "u64", .storage = Storage::U64, .lane = Lane::I128},
                                           {.name = "decimal", .storage = Storage::I64, .lane = Lane::I64},
                                           {.name = "decimal128", .storage = Storage::I128, .lane = Lane::I128},
                                           {.name = "f32", .storage = Storage::F32, .lane = Lane::F64},
                                           {.name = "f64", .storage = Storage::F64, .lane = Lane::F64},
                                           {.name = "date", .storage = Storage::I32, .lane = Lane::I64},
                                           {.name = "character", .storage = Storage::U8, .lane = Lane::I64},
                                           {.name = "text", .storage = Storage::Text, .lane = Lane::Text}}};

KindEntry const& entry_of(Kind kind) {
    return kinds[static_cast<std::size_t>(kind)];
}

template <typename T> Range range_of() {
    return {.low = std::numeric_limits<T>::min(), .high = std::numeric_limits<T>::max()};
}

} // namespace

FixedText<32> name_of(Type type) {
    FixedText<32> name(entry_of(type.kind).name);
    if (type.kind == Kind::Decimal || type.kind == Kind::Decimal128) format(name, " of scale {}", type.scale);
    return name;
}

Result<void> check_scale(Type type) {
    if (type.scale > max_decimal_scale)
        return Error::of("expected a decimal of scale 0 to {}, got {}", max_decimal_scale, type.scale);
    if (type.scale != 0 && !is_decimal(type.kind))
        return Error::of("expected a scale of decimals only, got {} of {}", type.scale, name_of(type).view());
    return {};
}

std::size_t bytes_of(Storage storage) {
    constexpr std::array<std::uint8_t, 12> bytes{1, 2, 4, 8, 1, 2, 4, 8, 16, 4, 8, sizeof(std::string_view)};
    return bytes[static_cast<std::size_t>(storage)];
}

Storage storage_of(Kind kind) {
    return entry_of(kind).storage;
}

Lane lane_of(Kind kind) {
    return entry_of(kind).lane;
}

std::size_t bytes_of(Lane lane) {
    constexpr std::array<std::uint8_t, 5> bytes{1, 8, 16, 8, sizeof(std::string_view)};
    return bytes[static_cast<std::size_t>(lane)];
}

bool is_whole(Kind kind) {
    return lane_of(kind) == Lane::I64 || lane_of(kind) == Lane::I128;
}

bool is_number(Kind kind) {
    bool const is_other = kind == Kind::Date || kind == Kind::Character;
    return (is_whole(kind) && !is_other) || lane_of(kind) == Lane::F64;
}

bool is_decimal(Kind kind) {
    return kind == Kind::Decimal || kind == Kind::Decimal128;
}

Type whole_type(Range const& range, bool of_decimals, std::uint8_t scale) {
    if (!range.fits_64_bits()) return {.kind = Kind::Decimal128, .scale = scale};
    if (of_decimals) return {.kind = Kind::Decimal, .scale = scale};
    return {.kind = Kind::I64};
}

Range full_range(Kind kind) {
    switch (storage_of(kind)) {
    case Storage::U8: return range_of<std::uint8_t>();
    case Storage::U16: return range_of<std::uint16_t>();
    case Storage::U32: return range_of<std::uint32_t>();
    case Storage::U64: return range_of<std::uint64_t>();
    case Storage::I8: return range_of<std::int8_t>();
    case Storage::I16: return range_of<std::int16_t>();
    case Storage::I32: return range_of<std::int32_t>();
    case Storage::I128: return {.low = int128_min, .high = int128_max};
    default: return range_of<std::int64_t>();
    }
}

} // namespace mxk::query
