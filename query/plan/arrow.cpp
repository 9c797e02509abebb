// Source::add() of a record batch: Arrow's types and buffers as columns of a source.
#include "query/plan/arrow.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <new>
#include <optional>
#include <string_view>

#include "base/format.hpp"
#include "query/plan/source.hpp"

namespace mxk::query {
namespace {

constexpr std::size_t max_labels = 256; // codes of one byte

// What a column is made of. `index`: of a dictionary's codes.
struct ArrowType {
    Type type;
    Storage storage;
};

std::optional<ArrowType> plain_type(std::string_view format) {
    struct Known {
        std::string_view format;
        Kind kind;
        Storage storage;
    };
    constexpr std::array known{Known{"b", Kind::Bool, Storage::U8},   Known{"c", Kind::I8, Storage::I8},
                               Known{"C", Kind::U8, Storage::U8},     Known{"s", Kind::I16, Storage::I16},
                               Known{"S", Kind::U16, Storage::U16},   Known{"i", Kind::I32, Storage::I32},
                               Known{"I", Kind::U32, Storage::U32},   Known{"l", Kind::I64, Storage::I64},
                               Known{"L", Kind::U64, Storage::U64},   Known{"f", Kind::F32, Storage::F32},
                               Known{"g", Kind::F64, Storage::F64},   Known{"tdD", Kind::Date, Storage::I32},
                               Known{"u", Kind::Text, Storage::Text}, Known{"U", Kind::Text, Storage::Text}};
    for (Known const& one : known)
        if (one.format == format) return ArrowType{.type = {.kind = one.kind}, .storage = one.storage};
    return {};
}

// "d:19,2" has 128 bits, "d:9,2,32" has 32.
std::optional<ArrowType> decimal_type(std::string_view format) {
    if (!format.starts_with("d:")) return {};
    std::array<unsigned, 3> numbers{0, 0, 128};
    std::size_t at = 0;
    for (char const letter : format.substr(2)) {
        if (letter == ',') {
            if (++at == numbers.size()) return {};
            numbers[at] = 0;
        } else if (letter >= '0' && letter <= '9' && numbers[at] < 1000) {
            numbers[at] = numbers[at] * 10 + static_cast<unsigned>(letter - '0');
        } else {
            return {};
        }
    }
    if (at == 0 || numbers[1] > max_decimal_scale) return {};
    auto const scale = static_cast<std::uint8_t>(numbers[1]);
    switch (numbers[2]) {
    case 32: return ArrowType{.type = {.kind = Kind::Decimal, .scale = scale}, .storage = Storage::I32};
    case 64: return ArrowType{.type = {.kind = Kind::Decimal, .scale = scale}, .storage = Storage::I64};
    case 128: return ArrowType{.type = {.kind = Kind::Decimal128, .scale = scale}, .storage = Storage::I128};
    default: return {};
    }
}

std::string_view text_of(char const* text) {
    return text == nullptr ? std::string_view{} : std::string_view(text);
}

} // namespace

// One child of a record batch.
class ArrowColumn {
  public:
    // `first`: the batch's first row.
    ArrowColumn(Source& source, ArrowSchema const& schema, ArrowArray const& array, std::uint64_t first,
                std::uint64_t rows)
        : source_(source)
        , schema_(schema)
        , array_(array)
        , first_(first + static_cast<std::uint64_t>(array.offset))
        , rows_(rows) {
        column_.name = text_of(schema.name);
    }

    Result<SourceColumn> read(std::uint64_t end) {
        if (array_.offset < 0 || array_.length < 0 || static_cast<std::uint64_t>(array_.length) < end)
            return Error::of("expected {} rows, got {}", end, array_.length);
        auto type = plain_type(text_of(schema_.format));
        if (!type) type = decimal_type(text_of(schema_.format));
        if (!type)
            return Error::of("expected Arrow's bool, int8 to int64, uint8 to uint64, float, double, decimal of up to "
                             "128 bits and scale 0 to {}, date32, utf8, or a dictionary of utf8; got format '{}'",
                             max_decimal_scale, text_of(schema_.format));
        MXK_TRY(read_validity()); // of these types, all of which have such a buffer
        if (schema_.dictionary != nullptr || array_.dictionary != nullptr) {
            MXK_TRY(read_dictionary());
            return column_;
        }
        column_.type = type->type;
        column_.storage = type->storage;
        MXK_TRY(type->type.kind == Kind::Text   ? read_texts()
                : type->type.kind == Kind::Bool ? read_bits()
                                                : read_values());
        return column_;
    }

  private:
    [[nodiscard]] Result<void const*> buffer(std::int64_t number) const {
        if (number >= array_.n_buffers) return Error::of("expected a buffer {}, got {}", number, array_.n_buffers);
        void const* const place = array_.buffers[number];
        if (place == nullptr && rows_ != 0 && number == 1) return Error("expected values, got none");
        return place;
    }
    Result<void> read_validity() {
        if (array_.null_count == 0) return {};
        auto const* const bits = static_cast<std::uint8_t const*>(MXK_TRY(buffer(0)));
        if (bits == nullptr) return {};
        column_.validity = bits + first_ / 8;
        column_.first_bit = static_cast<std::uint8_t>(first_ % 8);
        return {};
    }
    // Of buffer 1, from the first row on, in a copy where they do not lie as the machine wants them. Null: of no rows.
    Result<void const*> aligned(std::size_t size, std::uint64_t count) {
        auto const* const all = static_cast<std::byte const*>(MXK_TRY(buffer(1)));
        if (rows_ == 0) return static_cast<void const*>(nullptr);
        void const* const values = all + first_ * size;
        if (reinterpret_cast<std::uintptr_t>(values) % size == 0) return values;
        void* const copy = MXK_TRY(source_.take_memory(count * size));
        std::memcpy(copy, values, count * size);
        return static_cast<void const*>(copy);
    }
    Result<void> read_values() {
        column_.values = MXK_TRY(aligned(bytes_of(column_.storage), rows_));
        return {};
    }
    Result<void> read_bits() {
        auto const* const bits = static_cast<std::uint8_t const*>(MXK_TRY(buffer(1)));
        auto* const bytes = static_cast<std::uint8_t*>(MXK_TRY(source_.take_memory(rows_)));
        for (std::uint64_t row = 0; row < rows_; ++row)
            bytes[row] = bits[(first_ + row) / 8] >> (first_ + row) % 8 & 1U;
        column_.values = bytes;
        return {};
    }
    Result<void> read_texts() {
        auto const* const bytes = static_cast<char const*>(MXK_TRY(buffer(2)));
        column_.values = bytes != nullptr ? bytes : ""; // of empty texts
        if (text_of(schema_.format) == "u") {
            column_.offsets = static_cast<std::int32_t const*>(MXK_TRY(aligned(sizeof(std::int32_t), rows_ + 1)));
            return check_bytes(column_.offsets);
        }
        auto const* const offsets = static_cast<std::int64_t const*>(MXK_TRY(aligned(sizeof(std::int64_t), rows_ + 1)));
        MXK_TRY(check_bytes(offsets));
        if (rows_ == 0) return {};
        MXK_TRY(check_offsets(offsets, rows_));
        std::int64_t const begin = offsets[0];
        if (offsets[rows_] - begin > std::numeric_limits<std::int32_t>::max())
            return Error::of("expected texts of up to {} bytes together", std::numeric_limits<std::int32_t>::max());
        auto* const narrow =
            static_cast<std::int32_t*>(MXK_TRY(source_.take_memory((rows_ + 1) * sizeof(std::int32_t))));
        for (std::uint64_t row = 0; row <= rows_; ++row) narrow[row] = static_cast<std::int32_t>(offsets[row] - begin);
        column_.values = static_cast<char const*>(column_.values) + begin;
        column_.offsets = narrow;
        return {};
    }
    // Texts that are not empty have bytes.
    template <typename Offset> [[nodiscard]] Result<void> check_bytes(Offset const* offsets) const {
        if (rows_ == 0 || offsets[rows_] == offsets[0] || array_.buffers[2] != nullptr) return {};
        return Error("expected the bytes of texts, got none");
    }
    // Codes of one byte and the texts that they stand for.
    Result<void> read_dictionary() {
        if (schema_.dictionary == nullptr || array_.dictionary == nullptr)
            return Error("expected a dictionary in the schema and in the array, got one of them");
        ArrowArray const& dictionary = *array_.dictionary;
        auto const count = static_cast<std::uint64_t>(std::max<std::int64_t>(dictionary.length, 0));
        if (count > max_labels) return Error::of("expected a dictionary of up to {} texts, got {}", max_labels, count);
        ArrowColumn texts(source_, *schema_.dictionary, dictionary, 0, count);
        SourceColumn const of = MXK_TRY(texts.read(count));
        if (of.type.kind != Kind::Text || of.labels != nullptr) return Error("expected a dictionary of utf8");
        for (std::uint64_t code = 0; code < count; ++code)
            if (!of.is_valid(code)) return Error("expected a dictionary without NULL");
        MXK_TRY(of.check(count));
        auto* const labels =
            static_cast<std::string_view*>(MXK_TRY(source_.take_memory(max_labels * sizeof(std::string_view))));
        for (std::size_t code = 0; code < max_labels; ++code) new (labels + code) std::string_view;
        of.read_texts(0, static_cast<std::uint32_t>(count), of.values, labels);
        auto const index = plain_type(text_of(schema_.format));
        if (!index || !is_whole(index->type.kind) || index->type.kind == Kind::Date)
            return Error::of("expected integers as codes of a dictionary, got format '{}'", text_of(schema_.format));
        column_.storage = index->storage;
        MXK_TRY(read_values());
        auto* const codes = static_cast<std::uint8_t*>(MXK_TRY(source_.take_memory(rows_)));
        MXK_TRY(with_whole(index->storage, [&]<typename T>(T /*type*/) -> Result<void> {
            auto const* const values = static_cast<T const*>(column_.values);
            for (std::uint64_t row = 0; row < rows_; ++row) {
                bool const is_code = values[row] >= 0 && static_cast<std::uint64_t>(values[row]) < count;
                if (!is_code && column_.is_valid(row))
                    return Error::of("row {}: expected a code below {}, got {}", row, count,
                                     static_cast<std::int64_t>(values[row]));
                codes[row] = static_cast<std::uint8_t>(is_code ? values[row] : 0);
            }
            return {};
        }));
        column_.type = {.kind = Kind::Text};
        column_.storage = Storage::U8;
        column_.values = codes;
        column_.labels = labels;
        column_.label_count = count;
        return {};
    }

    Source& source_;
    ArrowSchema const& schema_;
    ArrowArray const& array_;
    std::uint64_t first_;
    std::uint64_t rows_;
    SourceColumn column_{};
};

Result<void> Source::add(ArrowSchema const& schema, ArrowArray const& batch) {
    if (schema.release == nullptr || batch.release == nullptr)
        return Error::of("{}: expected arrays that are not released yet", name());
    if (text_of(schema.format) != "+s" || schema.n_children != batch.n_children)
        return Error::of("{}: expected a record batch (format '+s'), got format '{}' with {} columns and {} arrays",
                         name(), text_of(schema.format), schema.n_children, batch.n_children);
    if (batch.length < 0 || static_cast<std::uint64_t>(batch.length) != rows() || batch.offset < 0)
        return Error::of("{}: expected {} rows, got {} from row {} on", name(), rows(), batch.length, batch.offset);
    if (batch.null_count != 0 && batch.n_buffers > 0 && batch.buffers[0] != nullptr)
        return Error::of("{}: expected rows of which none is NULL as a whole", name());
    auto const first = static_cast<std::uint64_t>(batch.offset);
    for (std::int64_t at = 0; at < batch.n_children; ++at) {
        ArrowSchema const& of = *schema.children[at];
        auto const column = ArrowColumn(*this, of, *batch.children[at], first, rows()).read(first + rows());
        if (!column) return Error::of("{}: column '{}': {}", name(), text_of(of.name), column.error().message());
        MXK_TRY(add(column.value()));
    }
    return {};
}

} // namespace mxk::query
