#include "tasks/dataflow/graph/column_types.hpp"

namespace mxk::dataflow {

std::string_view name_of(ColumnType type) {
    switch (type) {
    case ColumnType::Unknown: return "unknown";
    case ColumnType::None: return "none";
    case ColumnType::U8: return "u8";
    case ColumnType::U32: return "u32";
    case ColumnType::I32: return "i32";
    case ColumnType::U64: return "u64";
    case ColumnType::I64: return "i64";
    case ColumnType::I128: return "i128";
    case ColumnType::Object: return "object";
    }
    return "unknown";
}

Result<void> InputColumns::expect(std::size_t number, ColumnType type) const {
    if (number >= types.of.size())
        return Error::of("input '{}': expected a column from 0 to {}, got {}", input, types.of.size() - 1, number);
    ColumnType const got = types.of[number];
    if (got == type || got == ColumnType::Unknown || type == ColumnType::Unknown) return {};
    return Error::of("input '{}': expected column {} from box '{}' to be of type {}, got {}", input, number, sender,
                     name_of(type), name_of(got));
}

} // namespace mxk::dataflow
