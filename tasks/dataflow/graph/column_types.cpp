#include "tasks/dataflow/graph/column_types.hpp"

namespace mxk::dataflow {

std::string_view name_of(ColumnType type) {
    switch (type) {
    case ColumnType::Unknown: return "unknown";
    case ColumnType::None: return "none";
    case ColumnType::U8: return "u8";
    case ColumnType::U16: return "u16";
    case ColumnType::U32: return "u32";
    case ColumnType::U64: return "u64";
    case ColumnType::I8: return "i8";
    case ColumnType::I16: return "i16";
    case ColumnType::I32: return "i32";
    case ColumnType::I64: return "i64";
    case ColumnType::I128: return "i128";
    case ColumnType::F32: return "f32";
    case ColumnType::F64: return "f64";
    case ColumnType::FirstOther: break;
    }
    return "object";
}
namespace {

Result<void> expect_room(std::string_view input, std::size_t number) {
    if (number < Envelope::max_columns) return {};
    return Error::of("input '{}': expected a column from 0 to {}, got {}", input, Envelope::max_columns - 1, number);
}

} // namespace

Result<void> InputColumns::expect(std::size_t number, ColumnType type) const {
    MXK_TRY(expect_room(input, number));
    ColumnType const got = types.of[number];
    if (got == type || got == ColumnType::Unknown || type == ColumnType::Unknown) return {};
    bool const are_objects = type >= ColumnType::FirstOther && got >= ColumnType::FirstOther;
    return Error::of("input '{}': expected column {} from box '{}' to be of type {}, got {}{}", input, number, sender,
                     name_of(type), are_objects ? "another " : "", name_of(got));
}

Result<ColumnTypes> InputColumns::with(std::size_t number, ColumnType type) const {
    MXK_TRY(expect_room(input, number));
    ColumnTypes result = types;
    result.of[number] = type;
    return result;
}

} // namespace mxk::dataflow
