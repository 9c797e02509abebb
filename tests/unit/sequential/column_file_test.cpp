#include "query/column_file.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/crc32.hpp"
#include "kernel/memory/scratch_memory.hpp"
#include "query/values_check_sum.hpp"
#include "tests/unit/aligned_bytes.hpp"
#include "tests/unit/memory_fixture.hpp"

namespace mxk::query {
namespace {

struct MadeColumn {
    std::string name;
    unsigned type; // as in the file
    unsigned meaning = 0;
    unsigned scale = 0;
    std::vector<std::int64_t> values = {};
    std::vector<std::string> dictionary = {};
};

struct MadeTable {
    std::string name;
    std::vector<MadeColumn> columns;
};

void append(std::string& file, std::uint64_t number, unsigned bytes) {
    for (unsigned i = 0; i < bytes; ++i) file += static_cast<char>(number >> 8 * i);
}

void append_label(std::string& file, std::string const& label) {
    file += label + std::string(32 - label.size(), '\0');
}

std::string padded(std::string const& bytes) {
    return bytes + std::string((64 - bytes.size() % 64) % 64, '\0');
}

std::string stored(MadeColumn const& column) {
    std::string bytes;
    for (std::int64_t const value : column.values)
        append(bytes, static_cast<std::uint64_t>(value), std::vector{1U, 4U, 8U}.at(column.type - 1));
    return bytes;
}

// A column file, byte by byte as the documentation says and not as the parser's structs do.
std::string column_file(std::vector<MadeTable> const& made) {
    std::size_t columns = 0;
    std::string dictionaries;
    for (MadeTable const& table : made)
        for (MadeColumn const& column : table.columns) {
            ++columns;
            for (std::string const& text : column.dictionary) append_label(dictionaries, text);
        }
    std::size_t dictionary_at = 48 + 48 * made.size() + 64 * columns;
    std::size_t values_at = (dictionary_at + dictionaries.size() + 63) / 64 * 64;
    std::string const first_values_at = [&] {
        std::string text;
        append(text, values_at, 8);
        return text;
    }();
    std::string tables;
    std::string entries;
    std::string values;
    for (MadeTable const& table : made) {
        append_label(tables, table.name);
        append(tables, table.columns.front().values.size(), 8);
        append(tables, table.columns.size(), 4);
        append(tables, 0, 4);
        for (MadeColumn const& column : table.columns) {
            std::string const bytes = stored(column);
            append_label(entries, column.name);
            append(entries, column.type, 1);
            append(entries, column.meaning, 1);
            append(entries, column.scale, 1);
            append(entries, 0, 1);
            append(entries, crc32(bytes), 4);
            append(entries, values_at + values.size(), 8);
            append(entries, column.dictionary.empty() ? 0 : dictionary_at, 8);
            append(entries, column.dictionary.size(), 4);
            append(entries, 0, 4);
            dictionary_at += 32 * column.dictionary.size();
            values += padded(bytes);
        }
    }
    std::string head = "MXKCOLUM";
    append(head, 0x01020304, 4);
    append(head, 1, 4);
    append(head, values_at + values.size(), 8);
    head += first_values_at;
    append(head, made.size(), 4);
    append(head, columns, 4);
    std::string directory = tables + entries + dictionaries;
    directory.resize(values_at - 48, '\0');
    append(head, crc32(directory, crc32(head)), 4);
    append(head, 0, 4);
    return head + directory + values;
}

// Two tables: every type and meaning; 3 rows, and 70, which is more than a line of bytes.
std::vector<MadeTable> const made_tables = {
    {"first",
     {{.name = "key", .type = 3, .values = {1, -2, 1LL << 40}},
      {.name = "price", .type = 2, .meaning = 1, .scale = 2, .values = {1234, -1, 0}},
      {.name = "day", .type = 2, .meaning = 2, .values = {0, 9204, -1}},
      {.name = "flag", .type = 1, .meaning = 3, .values = {'A', 'N', 'R'}}}},
    {"second",
     {{.name = "segment",
       .type = 1,
       .meaning = 4,
       .values = std::vector<std::int64_t>(70, 1),
       .dictionary = {"AUTOMOBILE", "BUILDING"}}}}};
// Where the parts of this file are.
constexpr std::size_t tables_at = 48;
constexpr std::size_t columns_at = 144;
constexpr std::size_t dictionary_at = 464;
constexpr std::size_t padding_at = 528;
constexpr std::size_t values_at = 576;
constexpr std::size_t segments_at = 832;
constexpr std::size_t file_bytes = 960;

std::span<std::byte const> bytes_of(std::string const& text) {
    return {reinterpret_cast<std::byte const*>(text.data()), text.size()};
}

// What is wrong with it; empty: nothing.
std::string complaint(std::string const& text) {
    test::AlignedBytes const bytes(bytes_of(text));
    auto const file = ColumnFile::check(bytes.span());
    return file ? "" : std::string(file.error().message());
}

template <typename T> void put(std::string& file, std::size_t offset, T value) {
    __builtin_memcpy(file.data() + offset, &value, sizeof value);
}

// The directory's check sum as it has to be.
void make_directory_right(std::string& file) {
    std::string_view const text = file;
    put(file, 40, crc32(text.substr(48, values_at - 48), crc32(text.substr(0, 40))));
}

// What is wrong when one field is another one, and the check sum is made right.
template <typename T> std::string complaint_with(std::size_t offset, T value) {
    std::string file = column_file(made_tables);
    put(file, offset, value);
    make_directory_right(file);
    return complaint(file);
}

TEST(ColumnFileTest, what_was_written_is_found) {
    test::AlignedBytes const bytes(bytes_of(column_file(made_tables)));
    ASSERT_EQ(bytes.span().size(), file_bytes);
    auto const checked = ColumnFile::check(bytes.span());
    ASSERT_TRUE(checked.ok()) << checked.error().message();
    ColumnFile const& file = checked.value();
    ASSERT_EQ(file.tables(), made_tables.size());
    for (std::size_t i = 0; i < made_tables.size(); ++i) {
        Table const table = file.table(i);
        EXPECT_EQ(table.name(), made_tables[i].name);
        EXPECT_EQ(table.rows(), made_tables[i].columns.front().values.size());
        ASSERT_EQ(table.columns(), made_tables[i].columns.size());
        for (std::size_t j = 0; j < table.columns(); ++j) {
            MadeColumn const& made = made_tables[i].columns[j];
            Column const column = table.column(j);
            EXPECT_EQ(column.name(), made.name);
            EXPECT_EQ(static_cast<unsigned>(column.type()), made.type);
            EXPECT_EQ(static_cast<unsigned>(column.meaning()), made.meaning);
            EXPECT_EQ(column.scale(), made.scale);
            EXPECT_EQ(column.codes(), made.dictionary.size());
        }
    }
    Table const first = file.table("first").value();
    auto const keys = first.column<std::int64_t>("key").value();
    EXPECT_EQ(std::vector(keys.begin(), keys.end()), made_tables[0].columns[0].values);
    auto const days = first.column<std::int32_t>("day").value();
    EXPECT_EQ(std::vector<std::int64_t>(days.begin(), days.end()), made_tables[0].columns[2].values);
    auto const flags = first.column<std::uint8_t>("flag").value();
    EXPECT_EQ(std::vector<std::int64_t>(flags.begin(), flags.end()), made_tables[0].columns[3].values);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(flags.data()) % 64, 0U);
}

TEST(ColumnFileTest, dictionary) {
    test::AlignedBytes const bytes(bytes_of(column_file(made_tables)));
    ColumnFile const file = ColumnFile::check(bytes.span()).value();
    Column const segment = file.table("second").value().column("segment").value();
    EXPECT_EQ(segment.text(0), "AUTOMOBILE");
    EXPECT_EQ(segment.code("BUILDING").value(), 1U);
    EXPECT_EQ(segment.code("BUILD").error().message(),
              "expected a value of segment: AUTOMOBILE, BUILDING; got 'BUILD'");
    EXPECT_EQ(file.table("first").value().column("key").value().code("x").error().message(),
              "expected the column key to have a dictionary, got none");
}

TEST(ColumnFileTest, what_is_not_there) {
    test::AlignedBytes const bytes(bytes_of(column_file(made_tables)));
    ColumnFile const file = ColumnFile::check(bytes.span()).value();
    EXPECT_EQ(file.table("third").error().message(), "expected a table of the file: first, second; got 'third'");
    Table const first = file.table("first").value();
    EXPECT_EQ(first.column<std::int32_t>("keys").error().message(),
              "expected a column of first: key, price, day, flag; got 'keys'");
    EXPECT_EQ(first.column<std::int32_t>("key").error().message(),
              "expected the column key to be of type i32, got i64");
}

TEST(ColumnFileTest, a_table_without_rows) {
    std::vector<MadeTable> const empty = {{"t", {{.name = "a", .type = 2}, {.name = "b", .type = 1}}}};
    test::AlignedBytes const bytes(bytes_of(column_file(empty)));
    auto const file = ColumnFile::check(bytes.span());
    ASSERT_TRUE(file.ok()) << file.error().message();
    EXPECT_TRUE(file.value().table(0).column<std::int32_t>("a").value().empty());
}

TEST(ColumnFileTest, each_field_of_the_header_is_checked) {
    EXPECT_EQ(complaint_with(0, 'm'),
              "offset 0: expected a column file, which begins with MXKCOLUM, got something else");
    EXPECT_EQ(complaint_with(8, 0x04030201), "offset 8: expected the byte order mark 0x01020304 of a little-endian "
                                             "machine, got 0x04030201: the file has the other byte order");
    EXPECT_EQ(complaint_with(8, 5), "offset 8: expected the byte order mark 0x01020304, got 0x00000005");
    EXPECT_EQ(complaint_with(12, 2), "offset 12: expected version 1, got 2");
    EXPECT_EQ(complaint_with(16, ~std::uint64_t{0}),
              "offset 960: expected 18446744073709551615 bytes, got the end of the file");
    EXPECT_EQ(complaint_with(16, std::uint64_t{0}), "offset 0: expected the end of the file, got 960 more bytes");
    EXPECT_EQ(complaint_with(24, std::uint64_t{512}), "offset 24: expected 576, where the values begin, got 512");
    EXPECT_EQ(complaint_with(32, 0), "offset 32: expected 1 to 64 tables, got 0");
    EXPECT_EQ(complaint_with(32, ~0U), "offset 32: expected 1 to 64 tables, got 4294967295");
    EXPECT_EQ(complaint_with(36, ~0U), "offset 36: expected 1 to 16384 columns, got 4294967295");
    EXPECT_EQ(complaint_with(36, 16384U),
              "offset 960: expected 1048720 bytes of tables and columns, got the end of the file");
    EXPECT_EQ(complaint_with(44, 1), "offset 44: expected 0, got 0x00000001");
    std::string file = column_file(made_tables);
    put(file, 40, 0);
    EXPECT_TRUE(complaint(file).starts_with("offset 40: expected the check sum 0x")) << complaint(file);
}

TEST(ColumnFileTest, each_field_of_a_table_is_checked) {
    EXPECT_EQ(complaint_with(tables_at, '\0'), "offset 48: expected a-z, 0-9 or _ of a table's name, got 0x00");
    EXPECT_EQ(complaint_with(tables_at + 2, 'R'), "offset 50: expected a-z, 0-9 or _ of a table's name, got 0x52");
    EXPECT_EQ(complaint_with(tables_at + 31, 'x'), "offset 79: expected a zero behind a text, got 0x78");
    std::string file = column_file({made_tables[0], {"first", made_tables[1].columns}});
    EXPECT_EQ(complaint(file), "offset 96: expected a name that no other table has, got first");
    EXPECT_EQ(complaint_with(tables_at + 32, std::uint64_t{1} << 61),
              "offset 80: expected up to 4000000000 rows of first, got 2305843009213693952");
    EXPECT_EQ(complaint_with(tables_at + 32, std::uint64_t{4'000'000'000}),
              "offset 960: expected 32000000576 bytes, for 4000000000 rows of first.key, got the end of the file");
    EXPECT_EQ(complaint_with(tables_at + 40, 0), "offset 88: expected 1 to 256 columns of first, got 0");
    EXPECT_EQ(complaint_with(tables_at + 40, 6),
              "offset 36: expected 6 columns, which the tables up to first have, got 5");
    EXPECT_EQ(complaint_with(tables_at + 44, 1), "offset 92: expected 0, got 0x00000001");
    // The second table's first column is flag then, with too many rows.
    EXPECT_EQ(complaint_with(tables_at + 40, 3), "offset 838: expected a zero of the padding, got 0x01");
}

TEST(ColumnFileTest, each_field_of_a_column_is_checked) {
    constexpr std::size_t price_at = columns_at + 64;
    constexpr std::size_t segment_at = columns_at + 4 * 64;
    EXPECT_EQ(complaint_with(price_at, '-'), "offset 208: expected a-z, 0-9 or _ of a column's name, got 0x2d");
    EXPECT_EQ(complaint_with(price_at, std::array{'k', 'e', 'y', '\0', '\0'}),
              "offset 208: expected a name that no other column of first has, got key");
    EXPECT_EQ(complaint_with(price_at + 32, std::uint8_t{4}),
              "offset 240: expected a type of price from 1 to 3, got 4");
    EXPECT_EQ(complaint_with(price_at + 33, std::uint8_t{5}),
              "offset 241: expected a meaning of price from 0 to 4, got 5");
    EXPECT_EQ(complaint_with(price_at + 33, std::array<std::uint8_t, 2>{3, 0}),
              "offset 240: expected the type u8 of price, by its meaning, got i32");
    EXPECT_EQ(complaint_with(price_at + 34, std::uint8_t{19}),
              "offset 242: expected a scale of price up to 18, got 19");
    EXPECT_EQ(complaint_with(price_at + 33, std::uint8_t{0}), "offset 242: expected a scale of price up to 0, got 2");
    EXPECT_EQ(complaint_with(price_at + 35, std::uint8_t{1}), "offset 243: expected 0, got 0x01");
    EXPECT_EQ(complaint_with(price_at + 40, std::uint64_t{0}),
              "offset 248: expected the offset 640 of the values of price, got 0");
    EXPECT_EQ(complaint_with(price_at + 48, std::uint64_t{464}),
              "offset 256: expected the offset 0 of the dictionary of price, got 464");
    EXPECT_EQ(complaint_with(price_at + 60, 1), "offset 268: expected 0, got 0x00000001");
    EXPECT_EQ(complaint_with(segment_at + 56, 257), "offset 456: expected up to 256 entries of a dictionary, got 257");
    EXPECT_EQ(complaint_with(segment_at + 56, 1), "offset 24: expected 512, where the values begin, got 576");
    EXPECT_EQ(complaint_with(segment_at + 33, std::uint8_t{3}),
              "offset 456: expected no entries of a dictionary of segment, by its meaning, got 2");
    EXPECT_EQ(complaint_with(dictionary_at + 32, '\n'),
              "offset 496: expected printable ASCII of a text in the dictionary of segment, got 0x0a");
    EXPECT_EQ(complaint_with(padding_at, 'x'), "offset 528: expected a zero of the padding, got 0x78");
}

TEST(ColumnFileTest, values_are_checked) {
    std::string const message = complaint_with(values_at + 8, std::uint8_t{0});
    EXPECT_TRUE(message.starts_with("offset 180: expected the check sum 0x")) << message;
    EXPECT_TRUE(message.find(" of the values of first.key, got 0x") != std::string::npos) << message;
    EXPECT_EQ(complaint_with(values_at + 24, 'x'), "offset 600: expected a zero of the padding, got 0x78");
    auto tables = made_tables;
    tables[1].columns[0].values[69] = 2;
    EXPECT_EQ(complaint(column_file(tables)), "offset 901: expected a code of segment below 2, got 2");
    static_assert(segments_at + 69 == 901);
}

TEST(ColumnFileTest, a_file_of_another_length) {
    std::string const whole = column_file(made_tables);
    EXPECT_EQ(complaint(""), "offset 0: expected a column file, which begins with MXKCOLUM, got the end of the file");
    EXPECT_EQ(complaint(whole.substr(0, 20)), "offset 20: expected a header of 48 bytes, got the end of the file");
    EXPECT_EQ(complaint(whole.substr(0, 900)), "offset 900: expected 960 bytes, got the end of the file");
    EXPECT_EQ(complaint(whole + "xy"), "offset 960: expected the end of the file, got 2 more bytes");
    std::string longer = whole + std::string(64, '\0');
    put(longer, 16, std::uint64_t{longer.size()});
    make_directory_right(longer);
    EXPECT_EQ(complaint(longer),
              "offset 960: expected the end of the file behind the last column's values, got 64 more bytes");
    for (std::size_t size = 0; size < whole.size(); ++size) {
        std::string cut = whole.substr(0, size);
        if (size >= 24) put(cut, 16, std::uint64_t{size}); // it says so itself
        EXPECT_TRUE(complaint(cut).starts_with("offset ")) << size;
    }
}

TEST(ColumnFileTest, every_changed_byte_is_found) {
    std::string const whole = column_file(made_tables);
    for (std::size_t at = 0; at < whole.size(); ++at) {
        std::string changed = whole;
        changed[at] = static_cast<char>(changed[at] ^ 0x10);
        EXPECT_TRUE(complaint(changed).starts_with("offset ")) << at;
    }
}

TEST(ColumnFileTest, bytes_that_are_not_aligned) {
    std::string const whole = "x" + column_file(made_tables);
    test::AlignedBytes const bytes(bytes_of(whole));
    auto const file = ColumnFile::check(bytes.span().subspan(1));
    ASSERT_FALSE(file.ok());
    EXPECT_TRUE(file.error().message().starts_with("offset 0: expected the file at an address that is a multiple of "
                                                   "64, got 0x"));
}

// Of every length around a step of eight bytes, the sum of base/crc32.hpp.
TEST(ColumnFileTest, check_sum_of_values) {
    std::string text;
    for (int i = 0; i < 100; ++i) {
        EXPECT_EQ(values_check_sum(bytes_of(text)), crc32(text)) << text.size();
        text += static_cast<char>(i * 37 + 200);
    }
}

class ColumnFileReadTest : public test::MemoryTest {};

TEST_F(ColumnFileReadTest, a_file_by_its_path) {
    configure({64 * MiB}, {10});
    auto const path = std::filesystem::temp_directory_path() /
                      ("mxk-column-file-" + std::to_string(reinterpret_cast<std::uintptr_t>(this)));
    std::string const whole = column_file(made_tables);
    std::ofstream(path, std::ios::binary) << whole;
    {
        memory::ScratchMemory memory(node_id(0));
        Arena arena(memory);
        auto const file = ColumnFile::read(path.string(), arena);
        ASSERT_TRUE(file.ok()) << file.error().message();
        EXPECT_EQ(file.value().bytes(), file_bytes);
        EXPECT_EQ(file.value().table("second").value().rows(), 70U);
        EXPECT_TRUE(ColumnFile::read("/nothing/here", arena).error().message().starts_with("cannot open"));
    }
    std::filesystem::remove(path);
}

} // namespace
} // namespace mxk::query
