// A column file (column_format.hpp) in memory: its tables, their columns by name and type. They are views of the file's
// bytes, checked as a whole once; nothing is copied, and looking a column up is for a query's beginning, not for its
// rows. Any core, never blocks, unless said otherwise.
//
//     memory::ScratchMemory memory(Worker::current().node());
//     Arena arena(memory);
//     ColumnFile const file = MXK_TRY(ColumnFile::read("tpch.mxkc", arena));
//     Table const lineitem = MXK_TRY(file.table("lineitem"));
//     std::span<std::int32_t const> const quantity = MXK_TRY(lineitem.column<std::int32_t>("l_quantity"));
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/arena.hpp"
#include "base/result.hpp"
#include "query/column_format.hpp"

namespace mxk::query {

template <typename T>
concept ColumnValue = std::same_as<T, std::uint8_t> || std::same_as<T, std::int32_t> || std::same_as<T, std::int64_t>;

template <ColumnValue T>
constexpr ColumnType type_of = sizeof(T) == 1   ? ColumnType::U8
                               : sizeof(T) == 4 ? ColumnType::I32
                                                : ColumnType::I64;

class Column {
  public:
    [[nodiscard]] std::string_view name() const { return name_; }
    [[nodiscard]] ColumnType type() const { return static_cast<ColumnType>(entry_.type); }
    [[nodiscard]] ColumnMeaning meaning() const { return static_cast<ColumnMeaning>(entry_.meaning); }
    // Digits behind the point of a Decimal; otherwise 0.
    [[nodiscard]] unsigned scale() const { return entry_.scale; }
    // An error if its values stand for something else.
    [[nodiscard]] Result<void> expect_meaning(ColumnMeaning wanted, unsigned wanted_scale = 0) const;
    // One for each row. Aligned to 64 bytes, and up to the next multiple of 64 zeros follow, which may be read, too. An
    // error if the column has another type.
    template <ColumnValue T> [[nodiscard]] Result<std::span<T const>> values() const {
        MXK_TRY(expect_type(type_of<T>));
        return std::span<T const>(reinterpret_cast<T const*>(values_.data()), values_.size() / sizeof(T));
    }

    // Of a Dictionary: how many codes there are, from 0 on; otherwise 0.
    [[nodiscard]] std::size_t codes() const { return entry_.dictionary_entries; }
    // `code` is below codes().
    [[nodiscard]] std::string_view text(std::size_t code) const;
    // Of a text; an error if no value of the column can be this one.
    [[nodiscard]] Result<std::uint8_t> code(std::string_view wanted) const;

  private:
    friend class Table;

    Column(std::span<std::byte const> file, std::uint64_t entry_at, std::uint64_t rows);

    [[nodiscard]] Result<void> expect_type(ColumnType wanted) const;

    column_format::ColumnEntry entry_;
    std::string_view name_;
    std::span<std::byte const> values_;
    std::span<std::byte const> dictionary_;
};

class Table {
  public:
    [[nodiscard]] std::string_view name() const { return name_; }
    // Up to column_format::max_rows, possibly 0.
    [[nodiscard]] std::uint64_t rows() const { return rows_; }
    [[nodiscard]] std::size_t columns() const { return columns_; }
    // `number` is below columns().
    [[nodiscard]] Column column(std::size_t number) const;
    // An error that lists the columns if there is none of this name.
    [[nodiscard]] Result<Column> column(std::string_view name) const;
    // Its values, whatever they stand for; an error also if it has another type.
    template <ColumnValue T> [[nodiscard]] Result<std::span<T const>> column(std::string_view name) const {
        Column const found = MXK_TRY(column(name));
        return found.values<T>();
    }
    // An error also if they stand for something else.
    template <ColumnValue T>
    [[nodiscard]] Result<std::span<T const>> column(std::string_view name, ColumnMeaning meaning,
                                                    unsigned scale = 0) const {
        Column const found = MXK_TRY(column(name));
        MXK_TRY(found.expect_meaning(meaning, scale));
        return found.values<T>();
    }

  private:
    friend class ColumnFile;

    Table(std::span<std::byte const> file, std::uint64_t entry_at, std::uint64_t columns_at);

    std::span<std::byte const> file_;
    std::string_view name_;
    std::uint64_t rows_;
    std::size_t columns_;
    std::uint64_t columns_at_; // the entry of its first column
};

class ColumnFile {
  public:
    // `bytes`, aligned to 64, must live as long as this and all that comes from it. The error names the offset and what
    // was expected there. Reads all of them, which takes about a second for a gigabyte.
    static Result<ColumnFile> check(std::span<std::byte const> bytes);
    // The file at `path`, or the loader's module of this name: in `arena`, or where the loader put it. Waits for the
    // file system.
    static Result<ColumnFile> read(std::string_view path, Arena& arena);

    [[nodiscard]] std::size_t bytes() const { return bytes_.size(); }
    [[nodiscard]] std::size_t tables() const;
    // `number` is below tables().
    [[nodiscard]] Table table(std::size_t number) const;
    // An error that lists the tables if there is none of this name.
    [[nodiscard]] Result<Table> table(std::string_view name) const;

  private:
    explicit ColumnFile(std::span<std::byte const> bytes)
        : bytes_(bytes) {}

    std::span<std::byte const> bytes_;
};

} // namespace mxk::query
