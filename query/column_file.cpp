#include "query/column_file.hpp"

#include "arch/files.hpp"
#include "base/panic.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "query/column_check.hpp"
#include "query/expression/shown_names.hpp"

namespace mxk::query {
namespace {

using namespace column_format;

constexpr std::size_t max_file_bytes = 256 * GiB;

// Of a file that was checked.
std::string_view label_at(std::span<std::byte const> file, std::uint64_t offset) {
    std::string_view const label(reinterpret_cast<char const*>(file.data() + offset), label_bytes);
    return label.substr(0, label.find('\0'));
}

} // namespace

Column::Column(std::span<std::byte const> file, std::uint64_t entry_at_offset, std::uint64_t rows)
    : entry_(entry_at<ColumnEntry>(file, entry_at_offset))
    , name_(label_at(file, entry_at_offset))
    , values_(file.subspan(entry_.values_at, rows * bytes_of(type())))
    , dictionary_(file.subspan(entry_.dictionary_at, entry_.dictionary_entries * label_bytes)) {}

Result<void> Column::expect_type(ColumnType wanted) const {
    if (type() == wanted) return {};
    return Error::of("expected the column {} to be of type {}, got {}", name_, name_of(wanted), name_of(type()));
}

Result<void> Column::expect_meaning(ColumnMeaning wanted, unsigned wanted_scale) const {
    if (meaning() == wanted && scale() == wanted_scale) return {};
    return Error::of("expected the column {} to be a {} of scale {}, got a {} of scale {}", name_, name_of(wanted),
                     wanted_scale, name_of(meaning()), scale());
}

std::string_view Column::text(std::size_t code) const {
    expect(code < codes(), "a code is one of the column's dictionary");
    return label_at(dictionary_, code * label_bytes);
}

Result<std::uint8_t> Column::code(std::string_view wanted) const {
    NameList known;
    for (std::size_t code = 0; code < codes(); ++code) {
        if (text(code) == wanted) return static_cast<std::uint8_t>(code);
        known.add(text(code));
    }
    if (codes() == 0) return Error::of("expected the column {} to have a dictionary, got none", name_);
    return Error::of("expected a value of {}: {}; got '{}'", name_, known.view(), shown(wanted).view());
}

Table::Table(std::span<std::byte const> file, std::uint64_t entry_at_offset, std::uint64_t columns_at)
    : file_(file)
    , name_(label_at(file, entry_at_offset))
    , rows_(entry_at<TableEntry>(file, entry_at_offset).rows)
    , columns_(entry_at<TableEntry>(file, entry_at_offset).columns)
    , columns_at_(columns_at) {}

Column Table::column(std::size_t number) const {
    expect(number < columns_, "a column's number is below that of its table's columns");
    return {file_, columns_at_ + number * sizeof(ColumnEntry), rows_};
}

Result<Column> Table::column(std::string_view name) const {
    NameList known;
    for (std::size_t number = 0; number < columns_; ++number) {
        Column const found = column(number);
        if (found.name() == name) return found;
        known.add(found.name());
    }
    return Error::of("expected a column of {}: {}; got '{}'", name_, known.view(), shown(name).view());
}

Result<ColumnFile> ColumnFile::check(std::span<std::byte const> bytes) {
    MXK_TRY(check_column_file(bytes));
    return ColumnFile(bytes);
}

Result<ColumnFile> ColumnFile::read(std::string_view path, Arena& arena) {
    auto const bytes = MXK_TRY(arch::read_file(path, max_file_bytes, arena));
    auto checked = check(bytes);
    if (!checked) return Error::of("{}; the file is {}", checked.error().message(), path); // which may be long
    return checked;
}

std::size_t ColumnFile::tables() const {
    return entry_at<Header>(bytes_, 0).tables;
}

Table ColumnFile::table(std::size_t number) const {
    expect(number < tables(), "a table's number is below that of the file's tables");
    std::uint64_t columns_at = directory_at + tables() * sizeof(TableEntry);
    for (std::size_t before = 0; before < number; ++before) {
        auto const entry = entry_at<TableEntry>(bytes_, directory_at + before * sizeof(TableEntry));
        columns_at += entry.columns * sizeof(ColumnEntry);
    }
    return {bytes_, directory_at + number * sizeof(TableEntry), columns_at};
}

Result<Table> ColumnFile::table(std::string_view name) const {
    NameList known;
    for (std::size_t number = 0; number < tables(); ++number) {
        Table const found = table(number);
        if (found.name() == name) return found;
        known.add(found.name());
    }
    return Error::of("expected a table of the file: {}; got '{}'", known.view(), shown(name).view());
}

} // namespace mxk::query
