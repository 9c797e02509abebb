// An input is: u8 flags (bit 0: sizes and check sums in the bytes are made right), then the column file.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "base/crc32.hpp"
#include "query/column_file.hpp"
#include "query/values_check_sum.hpp"
#include "tests/fuzz/targets/input.hpp"
#include "tests/unit/aligned_bytes.hpp"

namespace mxk::fuzz {
namespace {

using namespace query::column_format;
using FileBytes = std::span<std::byte>;

constexpr std::uint8_t flag_sums_made_right = 1;

template <typename T> void put_entry(FileBytes file, std::uint64_t offset, T const& entry) {
    std::memcpy(file.data() + offset, &entry, sizeof entry);
}

// The check sum of each column's values, as far as they lie in the file.
void make_columns_right(FileBytes file, Header const& header) {
    std::uint64_t column_at = directory_at + header.tables * sizeof(TableEntry);
    for (std::uint32_t i = 0; i < header.tables; ++i) {
        auto const table = entry_at<TableEntry>(file, directory_at + i * sizeof(TableEntry));
        for (std::uint32_t j = 0; j < table.columns; ++j, column_at += sizeof(ColumnEntry)) {
            if (column_at + sizeof(ColumnEntry) > file.size()) return;
            auto column = entry_at<ColumnEntry>(file, column_at);
            if (column.values_at > file.size()) continue;
            std::uint64_t const room = file.size() - column.values_at;
            std::size_t const width = query::bytes_of(static_cast<query::ColumnType>(column.type));
            if (table.rows > room || table.rows * width > room) continue;
            column.check_sum = query::values_check_sum(file.subspan(column.values_at, table.rows * width));
            put_entry(file, column_at, column);
        }
    }
}

void make_sums_right(FileBytes file) {
    if (file.size() < sizeof(Header)) return;
    auto header = entry_at<Header>(file, 0);
    std::copy(magic.begin(), magic.end(), header.magic.begin());
    header.byte_order = byte_order;
    header.version = version;
    header.file_bytes = file.size();
    header.zero = 0;
    put_entry(file, 0, header);
    if (header.tables <= max_tables) make_columns_right(file, header);
    if (header.values_at < directory_at || header.values_at > file.size()) return;
    std::string_view const text(reinterpret_cast<char const*>(file.data()), header.values_at);
    header.check_sum = crc32(text.substr(directory_at), crc32(text.substr(0, check_sum_at)));
    put_entry(file, 0, header);
}

template <query::ColumnValue T> std::uint64_t sum_of(query::Column const& column, std::uint64_t rows) {
    auto const values = column.values<T>();
    EXPECT_TRUE(values.ok());
    EXPECT_EQ(values.value().size(), rows);
    std::uint64_t sum = 0;
    for (T const value : values.value()) sum += static_cast<std::uint64_t>(value);
    return sum;
}

// Everything in it may be read.
std::uint64_t look_at(query::Column const& column, std::uint64_t rows) {
    for (std::size_t code = 0; code < column.codes(); ++code) {
        auto const found = column.code(column.text(code));
        EXPECT_TRUE(found.ok());
        EXPECT_EQ(column.text(found.value()), column.text(code)); // two codes may have one text
    }
    switch (column.type()) {
    case query::ColumnType::U8: {
        auto const codes = column.values<std::uint8_t>().value();
        for (std::uint8_t const code : codes) EXPECT_TRUE(column.codes() == 0 || code < column.codes());
        return sum_of<std::uint8_t>(column, rows);
    }
    case query::ColumnType::I32: return sum_of<std::int32_t>(column, rows);
    case query::ColumnType::I64: return sum_of<std::int64_t>(column, rows);
    }
    ADD_FAILURE() << "a column without a type";
    return 0;
}

} // namespace

void columns(InputBytes bytes) {
    Input rest(bytes);
    auto const flags = rest.take<std::uint8_t>();
    test::AlignedBytes const copied(rest.take_rest());
    if ((flags & flag_sums_made_right) != 0) make_sums_right(copied.span());
    auto const file = query::ColumnFile::check(copied.span());
    if (!file) {
        EXPECT_TRUE(file.error().message().starts_with("offset ")) << file.error().message();
        return;
    }
    for (std::size_t i = 0; i < file.value().tables(); ++i) {
        query::Table const table = file.value().table(i);
        auto const same = file.value().table(table.name());
        ASSERT_TRUE(same.ok()) << same.error().message();
        EXPECT_EQ(same.value().columns(), table.columns());
        for (std::size_t j = 0; j < table.columns(); ++j) {
            query::Column const column = table.column(j);
            auto const by_name = same.value().column(column.name());
            ASSERT_TRUE(by_name.ok()) << by_name.error().message();
            EXPECT_EQ(look_at(by_name.value(), table.rows()), look_at(column, table.rows()));
        }
    }
}

} // namespace mxk::fuzz
