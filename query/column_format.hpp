// Tables of columns in bytes, as queries read them: docs/query.md has the same for people who write such files. All
// numbers are little-endian. Everything stands at the first place where it can, so a file's layout follows from its
// numbers of tables, columns, rows and dictionary entries:
//
//     48 bytes     header
//     48 each      tables
//     64 each      columns, of the first table first
//     32 each      dictionary entries, of the first column that has some first
//     zeros        up to a multiple of 64
//     values       of each column in order, each padded with zeros to a multiple of 64
//
// A label is a text of 1 to 31 characters, padded with zeros to 32 bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/bytes.hpp"

namespace mxk::query {

// How the values of a column are stored. The numbers stand in files and never change.
enum class ColumnType : std::uint8_t { U8 = 1, I32 = 2, I64 = 3 };

// What they stand for.
enum class ColumnMeaning : std::uint8_t {
    Number = 0,
    Decimal = 1,    // times 10^scale: 12.34 is 1234 at scale 2
    Date = 2,       // I32: days since 1970-01-01
    Character = 3,  // U8: one printable character of ASCII
    Dictionary = 4, // U8: which entry of the column's dictionary
};

namespace column_format {

constexpr std::string_view magic = "MXKCOLUM";
constexpr std::uint32_t byte_order = 0x01020304;
constexpr std::uint32_t swapped_byte_order = 0x04030201; // as read on a machine of the other order
constexpr std::uint32_t version = 1;

constexpr std::size_t label_bytes = 32;
constexpr std::size_t values_alignment = 64; // a cache line, and the widest vector register

constexpr std::uint32_t max_tables = 64;
constexpr std::uint32_t max_columns = 256;        // of a table
constexpr std::uint32_t max_entries = 256;        // of a dictionary: its codes are bytes
constexpr std::uint64_t max_rows = 4'000'000'000; // so that a row's number fits in 32 bits
constexpr unsigned max_scale = 18;                // 10^18 fits in 64 bits

using Label = std::array<char, label_bytes>;

struct Header {
    std::array<char, 8> magic; // 0
    std::uint32_t byte_order;  // 8
    std::uint32_t version;     // 12
    std::uint64_t file_bytes;  // 16: of the whole file
    std::uint64_t values_at;   // 24: offset of the first column's values
    std::uint32_t tables;      // 32
    std::uint32_t columns;     // 36: of all tables
    std::uint32_t check_sum;   // 40: CRC-32 of the 40 bytes before and of all from byte 48 up to values_at
    std::uint32_t zero;        // 44
};
static_assert(sizeof(Header) == 48);

struct TableEntry {
    Label name;            // 0
    std::uint64_t rows;    // 32
    std::uint32_t columns; // 40
    std::uint32_t zero;    // 44
};
static_assert(sizeof(TableEntry) == 48);

struct ColumnEntry {
    Label name;                       // 0
    std::uint8_t type;                // 32: ColumnType
    std::uint8_t meaning;             // 33: ColumnMeaning
    std::uint8_t scale;               // 34: digits behind the point of a Decimal, otherwise 0
    std::uint8_t zero;                // 35
    std::uint32_t check_sum;          // 36: CRC-32 of the values, without padding
    std::uint64_t values_at;          // 40
    std::uint64_t dictionary_at;      // 48: 0 without a dictionary
    std::uint32_t dictionary_entries; // 56
    std::uint32_t zero_behind;        // 60
};
static_assert(sizeof(ColumnEntry) == 64);

constexpr std::size_t check_sum_at = offsetof(Header, check_sum);
constexpr std::size_t directory_at = sizeof(Header);

// A part of a file that was checked to have it.
template <typename T> T entry_at(std::span<std::byte const> file, std::uint64_t offset) {
    return read<T>(file, offset).value_or(T{});
}

} // namespace column_format

// 0 for what is no type.
constexpr std::size_t bytes_of(ColumnType type) {
    switch (type) {
    case ColumnType::U8: return 1;
    case ColumnType::I32: return 4;
    case ColumnType::I64: return 8;
    }
    return 0;
}

constexpr std::string_view name_of(ColumnType type) {
    switch (type) {
    case ColumnType::U8: return "u8";
    case ColumnType::I32: return "i32";
    case ColumnType::I64: return "i64";
    }
    return "none";
}

constexpr std::string_view name_of(ColumnMeaning meaning) {
    switch (meaning) {
    case ColumnMeaning::Number: return "number";
    case ColumnMeaning::Decimal: return "decimal";
    case ColumnMeaning::Date: return "date";
    case ColumnMeaning::Character: return "character";
    case ColumnMeaning::Dictionary: return "dictionary";
    }
    return "none";
}

} // namespace mxk::query
