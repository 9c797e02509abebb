#include "query/column_check.hpp"

#include <algorithm>
#include <string_view>

#include "base/crc32.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "query/column_format.hpp"
#include "query/values_check_sum.hpp"

namespace mxk::query {
namespace {

using namespace column_format;

using Bytes = std::span<std::byte const>;

std::string_view text_of(Bytes bytes) {
    return {reinterpret_cast<char const*>(bytes.data()), bytes.size()};
}

// In messages: what a label, which may be any bytes, says.
std::string_view shown(Label const& label) {
    std::string_view const text(label.data(), label.size());
    bool const readable =
        std::all_of(text.begin(), text.end(), [](char character) { return character == 0 || character > ' '; });
    return readable ? text.substr(0, text.find('\0')) : "?";
}

Result<void> check_header(Bytes bytes) {
    if (!text_of(bytes).starts_with(magic))
        return Error::of("offset 0: expected a column file, which begins with {}, got {}", magic,
                         bytes.size() < magic.size() ? "the end of the file" : "something else");
    if (bytes.size() < sizeof(Header))
        return Error::of("offset {}: expected a header of {} bytes, got the end of the file", bytes.size(),
                         sizeof(Header));
    auto const header = entry_at<Header>(bytes, 0);
    if (header.byte_order == swapped_byte_order)
        return Error::of("offset 8: expected the byte order mark 0x{:08x} of a little-endian machine, got 0x{:08x}: "
                         "the file has the other byte order",
                         byte_order, header.byte_order);
    if (header.byte_order != byte_order)
        return Error::of("offset 8: expected the byte order mark 0x{:08x}, got 0x{:08x}", byte_order,
                         header.byte_order);
    if (header.version != version) return Error::of("offset 12: expected version {}, got {}", version, header.version);
    if (header.file_bytes > bytes.size())
        return Error::of("offset {}: expected {} bytes, got the end of the file", bytes.size(), header.file_bytes);
    if (header.file_bytes < bytes.size())
        return Error::of("offset {}: expected the end of the file, got {} more bytes", header.file_bytes,
                         bytes.size() - header.file_bytes);
    if (header.tables == 0 || header.tables > max_tables)
        return Error::of("offset 32: expected 1 to {} tables, got {}", max_tables, header.tables);
    if (header.columns == 0 || header.columns > max_tables * max_columns)
        return Error::of("offset 36: expected 1 to {} columns, got {}", max_tables * max_columns, header.columns);
    if (header.zero != 0) return Error::of("offset 44: expected 0, got 0x{:08x}", header.zero);
    return {};
}

bool is_of_a_name(char character) {
    return (character >= 'a' && character <= 'z') || (character >= '0' && character <= '9') || character == '_';
}

bool is_of_a_text(char character) {
    return character >= ' ' && character <= '~';
}

Result<void> check_label(Bytes bytes, std::uint64_t offset, bool (*is_allowed)(char), std::string_view expected) {
    std::string_view const label = text_of(bytes.subspan(offset, label_bytes));
    std::size_t const length = std::clamp<std::size_t>(label.find('\0'), 1, label_bytes - 1);
    for (std::size_t i = 0; i < label_bytes; ++i) {
        bool const is_text = i < length;
        if (is_text ? is_allowed(label[i]) : label[i] == '\0') continue;
        return Error::of("offset {}: expected {}, got 0x{:02x}", offset + i,
                         is_text ? expected : "a zero behind a text", static_cast<std::uint8_t>(label[i]));
    }
    return {};
}

// The walk over a file's entries and values, in their order. Needs a header that was checked.
class DirectoryCheck {
  public:
    explicit DirectoryCheck(Bytes bytes)
        : bytes_(bytes)
        , header_(entry_at<Header>(bytes, 0))
        , columns_at_(directory_at + header_.tables * sizeof(TableEntry))
        , dictionary_at_(columns_at_ + header_.columns * sizeof(ColumnEntry)) {}

    Result<void> run() {
        MXK_TRY(expect_room(dictionary_at_, "of tables and columns"));
        MXK_TRY(find_values());
        MXK_TRY(check_sum());
        for (std::uint32_t i = 0; i < header_.tables; ++i) MXK_TRY(check_table(i));
        if (columns_ != header_.columns)
            return Error::of("offset 36: expected {} columns, which the tables have, got {}", columns_,
                             header_.columns);
        if (values_at_ != bytes_.size())
            return Error::of(
                "offset {}: expected the end of the file behind the last column's values, got {} more bytes",
                values_at_, bytes_.size() - values_at_);
        return {};
    }

  private:
    [[nodiscard]] Result<void> expect_room(std::uint64_t end, std::string_view of_what) const {
        if (end <= bytes_.size()) return {};
        return Error::of("offset {}: expected {} bytes {}, got the end of the file", bytes_.size(), end, of_what);
    }

    // Where the first column's values begin follows from the numbers of entries.
    Result<void> find_values() {
        std::uint64_t end = dictionary_at_;
        for (std::uint32_t i = 0; i < header_.columns; ++i) {
            std::uint64_t const offset = columns_at_ + i * sizeof(ColumnEntry);
            auto const entries = entry_at<ColumnEntry>(bytes_, offset).dictionary_entries;
            if (entries > max_entries)
                return Error::of("offset {}: expected up to {} entries of a dictionary, got {}",
                                 offset + offsetof(ColumnEntry, dictionary_entries), max_entries, entries);
            end += entries * label_bytes;
        }
        values_at_ = align_up(end, values_alignment);
        if (header_.values_at != values_at_)
            return Error::of("offset 24: expected {}, where the values begin, got {}", values_at_, header_.values_at);
        MXK_TRY(expect_room(values_at_, "in front of the values"));
        return expect_zeros(end, values_at_);
    }

    [[nodiscard]] Result<void> expect_zeros(std::uint64_t begin, std::uint64_t end) const {
        for (std::uint64_t at = begin; at < end; ++at)
            if (bytes_[at] != std::byte{0})
                return Error::of("offset {}: expected a zero of the padding, got 0x{:02x}", at,
                                 std::to_integer<std::uint8_t>(bytes_[at]));
        return {};
    }

    [[nodiscard]] Result<void> check_sum() const {
        std::string_view const text = text_of(bytes_.first(values_at_));
        std::uint32_t const sum = crc32(text.substr(directory_at), crc32(text.substr(0, check_sum_at)));
        if (sum == header_.check_sum) return {};
        return Error::of("offset {}: expected the check sum 0x{:08x} of what the directory holds, got 0x{:08x}",
                         check_sum_at, sum, header_.check_sum);
    }

    Result<void> check_table(std::uint32_t number) {
        std::uint64_t const offset = directory_at + number * sizeof(TableEntry);
        auto const table = entry_at<TableEntry>(bytes_, offset);
        MXK_TRY(check_label(bytes_, offset, is_of_a_name, "a-z, 0-9 or _ of a table's name"));
        for (std::uint32_t other = 0; other < number; ++other)
            if (entry_at<TableEntry>(bytes_, directory_at + other * sizeof(TableEntry)).name == table.name)
                return Error::of("offset {}: expected a name that no other table has, got {}", offset,
                                 shown(table.name));
        if (table.rows > max_rows)
            return Error::of("offset {}: expected up to {} rows of {}, got {}", offset + offsetof(TableEntry, rows),
                             max_rows, shown(table.name), table.rows);
        if (table.columns == 0 || table.columns > max_columns)
            return Error::of("offset {}: expected 1 to {} columns of {}, got {}",
                             offset + offsetof(TableEntry, columns), max_columns, shown(table.name), table.columns);
        if (table.columns > header_.columns - columns_)
            return Error::of("offset 36: expected {} columns, which the tables up to {} have, got {}",
                             columns_ + table.columns, shown(table.name), header_.columns);
        if (table.zero != 0)
            return Error::of("offset {}: expected 0, got 0x{:08x}", offset + offsetof(TableEntry, zero), table.zero);
        for (std::uint32_t i = 0; i < table.columns; ++i) MXK_TRY(check_column(table, i));
        columns_ += table.columns;
        return {};
    }

    [[nodiscard]] std::uint64_t column_offset(std::uint32_t of_table) const {
        return columns_at_ + (columns_ + of_table) * sizeof(ColumnEntry);
    }

    Result<void> check_column(TableEntry const& table, std::uint32_t number) {
        std::uint64_t const offset = column_offset(number);
        auto const column = entry_at<ColumnEntry>(bytes_, offset);
        MXK_TRY(check_label(bytes_, offset, is_of_a_name, "a-z, 0-9 or _ of a column's name"));
        for (std::uint32_t other = 0; other < number; ++other)
            if (entry_at<ColumnEntry>(bytes_, column_offset(other)).name == column.name)
                return Error::of("offset {}: expected a name that no other column of {} has, got {}", offset,
                                 shown(table.name), shown(column.name));
        MXK_TRY(check_kind(column, offset));
        MXK_TRY(check_dictionary(column, offset));
        return check_values(table, column, offset);
    }

    // Type, meaning and scale fit each other.
    static Result<void> check_kind(ColumnEntry const& column, std::uint64_t offset) {
        auto const type = static_cast<ColumnType>(column.type);
        auto const meaning = static_cast<ColumnMeaning>(column.meaning);
        if (bytes_of(type) == 0)
            return Error::of("offset {}: expected a type of {} from 1 to 3, got {}",
                             offset + offsetof(ColumnEntry, type), shown(column.name), column.type);
        if (meaning > ColumnMeaning::Dictionary)
            return Error::of("offset {}: expected a meaning of {} from 0 to 4, got {}",
                             offset + offsetof(ColumnEntry, meaning), shown(column.name), column.meaning);
        bool const is_byte = meaning == ColumnMeaning::Character || meaning == ColumnMeaning::Dictionary;
        ColumnType const expected = is_byte ? ColumnType::U8 : meaning == ColumnMeaning::Date ? ColumnType::I32 : type;
        if (type != expected)
            return Error::of("offset {}: expected the type {} of {}, by its meaning, got {}",
                             offset + offsetof(ColumnEntry, type), name_of(expected), shown(column.name),
                             name_of(type));
        if (unsigned const max = meaning == ColumnMeaning::Decimal ? max_scale : 0; column.scale > max)
            return Error::of("offset {}: expected a scale of {} up to {}, got {}",
                             offset + offsetof(ColumnEntry, scale), shown(column.name), max, column.scale);
        if (column.zero != 0)
            return Error::of("offset {}: expected 0, got 0x{:02x}", offset + offsetof(ColumnEntry, zero), column.zero);
        if (column.zero_behind != 0)
            return Error::of("offset {}: expected 0, got 0x{:08x}", offset + offsetof(ColumnEntry, zero_behind),
                             column.zero_behind);
        return {};
    }

    // The entries of all dictionaries lie within what find_values() has counted.
    Result<void> check_dictionary(ColumnEntry const& column, std::uint64_t offset) {
        bool const wanted = static_cast<ColumnMeaning>(column.meaning) == ColumnMeaning::Dictionary;
        if (wanted != (column.dictionary_entries != 0))
            return Error::of("offset {}: expected {} of {}, by its meaning, got {}",
                             offset + offsetof(ColumnEntry, dictionary_entries),
                             wanted ? "entries of a dictionary" : "no entries of a dictionary", shown(column.name),
                             column.dictionary_entries);
        if (std::uint64_t const expected = wanted ? dictionary_at_ : 0; column.dictionary_at != expected)
            return Error::of("offset {}: expected the offset {} of the dictionary of {}, got {}",
                             offset + offsetof(ColumnEntry, dictionary_at), expected, shown(column.name),
                             column.dictionary_at);
        FixedText<96> expected("printable ASCII of a text in the dictionary of ");
        expected.append(shown(column.name));
        for (std::uint32_t i = 0; i < column.dictionary_entries; ++i, dictionary_at_ += label_bytes)
            MXK_TRY(check_label(bytes_, dictionary_at_, is_of_a_text, expected.view()));
        return {};
    }

    Result<void> check_values(TableEntry const& table, ColumnEntry const& column, std::uint64_t offset) {
        if (column.values_at != values_at_)
            return Error::of("offset {}: expected the offset {} of the values of {}, got {}",
                             offset + offsetof(ColumnEntry, values_at), values_at_, shown(column.name),
                             column.values_at);
        std::uint64_t const end = values_at_ + table.rows * bytes_of(static_cast<ColumnType>(column.type));
        std::uint64_t const padded_end = align_up(end, values_alignment);
        if (padded_end > bytes_.size())
            return Error::of("offset {}: expected {} bytes, for {} rows of {}.{}, got the end of the file",
                             bytes_.size(), padded_end, table.rows, shown(table.name), shown(column.name));
        MXK_TRY(expect_zeros(end, padded_end));
        Bytes const values = bytes_.subspan(values_at_, end - values_at_);
        std::uint32_t const sum = values_check_sum(values);
        if (sum != column.check_sum)
            return Error::of("offset {}: expected the check sum 0x{:08x} of the values of {}.{}, got 0x{:08x}",
                             offset + offsetof(ColumnEntry, check_sum), sum, shown(table.name), shown(column.name),
                             column.check_sum);
        if (column.dictionary_entries != 0) MXK_TRY(check_codes(column, values));
        if (static_cast<ColumnMeaning>(column.meaning) == ColumnMeaning::Character)
            MXK_TRY(check_characters(column, values));
        values_at_ = padded_end;
        return {};
    }

    [[nodiscard]] Result<void> check_codes(ColumnEntry const& column, Bytes values) const {
        auto const max = static_cast<std::byte>(column.dictionary_entries - 1);
        auto const wrong = std::find_if(values.begin(), values.end(), [max](std::byte code) { return code > max; });
        if (wrong == values.end()) return {};
        return Error::of("offset {}: expected a code of {} below {}, got {}",
                         values_at_ + static_cast<std::uint64_t>(wrong - values.begin()), shown(column.name),
                         column.dictionary_entries, std::to_integer<std::uint8_t>(*wrong));
    }

    [[nodiscard]] Result<void> check_characters(ColumnEntry const& column, Bytes values) const {
        auto const wrong = std::find_if_not(values.begin(), values.end(), [](std::byte character) {
            return is_of_a_text(static_cast<char>(character));
        });
        if (wrong == values.end()) return {};
        return Error::of("offset {}: expected printable ASCII of {}, got 0x{:02x}",
                         values_at_ + static_cast<std::uint64_t>(wrong - values.begin()), shown(column.name),
                         std::to_integer<std::uint8_t>(*wrong));
    }

    Bytes bytes_;
    Header header_;
    std::uint64_t columns_at_;
    std::uint64_t dictionary_at_; // of the next column that has one
    std::uint64_t values_at_ = 0; // of the next column
    std::uint32_t columns_ = 0;   // of the tables that were checked
};

} // namespace

Result<void> check_column_file(std::span<std::byte const> bytes) {
    if (!is_aligned(reinterpret_cast<std::uintptr_t>(bytes.data()), values_alignment))
        return Error::of("offset 0: expected the file at an address that is a multiple of {}, got {}", values_alignment,
                         bytes.data());
    MXK_TRY(check_header(bytes));
    return DirectoryCheck(bytes).run();
}

} // namespace mxk::query
