#include "query/plan/source.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "base/format.hpp"
#include "base/panic.hpp"
#include "kernel/memory/heap/heap.hpp"
#include "query/expression/shown_names.hpp"

namespace mxk::query {
namespace {

constexpr std::size_t max_labels = 256; // of a column file's dictionary

template <typename T> Range range_of(SourceColumn const& column, std::uint64_t rows) {
    auto const* const values = static_cast<T const*>(column.values);
    Range range;
    bool is_empty = true;
    if (column.validity == nullptr && rows != 0) {
        T low = values[0];
        T high = values[0];
        for (std::uint64_t row = 1; row < rows; ++row) {
            low = std::min(low, values[row]);
            high = std::max(high, values[row]);
        }
        return {.low = low, .high = high};
    }
    for (std::uint64_t row = 0; row < rows; ++row) {
        if (!column.is_valid(row)) continue;
        range.low = is_empty ? Int128{values[row]} : std::min(range.low, Int128{values[row]});
        range.high = is_empty ? Int128{values[row]} : std::max(range.high, Int128{values[row]});
        is_empty = false;
    }
    return range;
}

Kind kind_of(Column const& column) {
    switch (column.meaning()) {
    case ColumnMeaning::Decimal: return Kind::Decimal;
    case ColumnMeaning::Date: return Kind::Date;
    case ColumnMeaning::Character: return Kind::Character;
    case ColumnMeaning::Dictionary: return Kind::Text;
    case ColumnMeaning::Number: break;
    }
    return column.type() == ColumnType::U8 ? Kind::U8 : column.type() == ColumnType::I32 ? Kind::I32 : Kind::I64;
}
Storage storage_of(ColumnType type) {
    return type == ColumnType::U8 ? Storage::U8 : type == ColumnType::I32 ? Storage::I32 : Storage::I64;
}

// Of a Text in Arrow's layout nothing is stored but bytes.
bool fits(SourceColumn const& column) {
    switch (column.type.kind) {
    case Kind::Text: return column.labels == nullptr || column.storage == Storage::U8;
    case Kind::Decimal: return column.storage <= Storage::I64 && column.storage != Storage::U64;
    default: return column.storage == query::storage_of(column.type.kind);
    }
}

} // namespace

Range SourceColumn::range(std::uint64_t rows) const {
    if (type.kind == Kind::Text || lane_of(type.kind) == Lane::F64) return {};
    return with_whole(storage, [&]<typename T>(T /*type*/) { return range_of<T>(*this, rows); });
}

void SourceColumn::read_texts(std::uint64_t first, std::uint32_t rows, void const* codes, std::string_view* to) const {
    if (labels != nullptr) {
        auto const* const code = static_cast<std::uint8_t const*>(codes);
        for (std::uint32_t row = 0; row < rows; ++row)
            to[row] = code[row] < label_count ? labels[code[row]] : std::string_view{};
        return;
    }
    auto const* const bytes = static_cast<char const*>(values);
    for (std::uint32_t row = 0; row < rows; ++row) {
        std::int32_t const* const at = offsets + first + row;
        to[row] = is_valid(first + row) ? std::string_view(bytes + at[0], static_cast<std::size_t>(at[1] - at[0]))
                                        : std::string_view{};
    }
}

void SourceColumn::read_validity(std::uint64_t first, std::uint32_t rows, std::uint8_t* to) const {
    for (std::uint32_t row = 0; row < rows; ++row) to[row] = is_valid(first + row) ? 1 : 0;
}

Source::~Source() {
    while (first_ != nullptr) {
        Entry* const entry = first_;
        first_ = entry->next;
        entry->~Entry();
        heap::deallocate(entry, sizeof(Entry), alignof(Entry));
    }
    while (memory_ != nullptr) {
        Memory* const memory = std::exchange(memory_, memory_->next);
        heap::deallocate(memory, memory->bytes, cache_line_bytes);
    }
}

// Aligned to a cache line, which stands in front of it.
Result<void*> Source::take_memory(std::size_t bytes) {
    std::size_t const all = cache_line_bytes + bytes;
    auto* const place = static_cast<std::byte*>(heap::allocate(all, cache_line_bytes));
    if (place == nullptr) return Error::of("out of memory: no room for {} bytes of a column", bytes);
    memory_ = new (place) Memory{.next = memory_, .bytes = all};
    return static_cast<void*>(place + cache_line_bytes);
}

Result<void> Source::spread_over(std::span<NodeId const> nodes) {
    expect(part_count_ == 0 && !nodes.empty(), "a source is spread once, over a node or more");
    std::size_t const count = std::min(nodes.size(), max_source_parts);
    for (std::size_t i = 0; i < count; ++i)
        parts_[i] = {.node = nodes[i], .first_row = rows_ * i / count, .end = rows_ * (i + 1) / count};
    for (Entry* entry = first_; entry != nullptr; entry = entry->next) {
        SourceColumn& column = entry->column;
        if (column.type.kind == Kind::Text && column.labels == nullptr) continue;
        std::size_t const width = bytes_of(column.storage);
        for (std::size_t i = 1; i < count; ++i) {
            auto const [node, first, end] = parts_[i];
            if (first == end) continue;
            auto const* const values = static_cast<std::byte const*>(column.values) + first * width;
            auto copy = MXK_TRY(NodeArray<std::byte>::create((end - first) * width, node));
            std::memcpy(copy.data(), values, copy.size());
            column.copies[i] = copy.data();
            entry->copies[i] = std::move(copy);
        }
    }
    part_count_ = count;
    return {};
}

Result<void> Source::add(SourceColumn const& column) {
    expect(fits(column), "a column's values have a storage of its type");
    if (column.name.view().empty() || column.name.full())
        return Error::of("{}: expected a column's name of 1 to 31 characters, got '{}'", name(), column.name.view());
    if (find(column.name.view()))
        return Error::of("{}: expected names that differ, got '{}' twice", name(), column.name.view());
    if (auto const checked = check_scale(column.type); !checked)
        return Error::of("{}: column '{}': {}", name(), column.name.view(), checked.error().message());
    bool const has_places = column.type.kind != Kind::Text || column.labels != nullptr || column.offsets != nullptr;
    if (rows() != 0 && (column.values == nullptr || !has_places))
        return Error::of("{}: column '{}': expected the place of its values, got none", name(), column.name.view());
    void* const place = heap::allocate(sizeof(Entry), alignof(Entry));
    if (place == nullptr) return Error::of("{}: out of memory: no room for a column", name());
    auto* const entry = new (place) Entry{.column = column};
    (last_ != nullptr ? last_->next : first_) = entry;
    last_ = entry;
    return {};
}

Result<void> Source::add(Table const& table) {
    for (std::size_t number = 0; number < table.columns(); ++number) {
        Column const from = table.column(number);
        SourceColumn column{.name = from.name(),
                            .type = {.kind = kind_of(from), .scale = static_cast<std::uint8_t>(from.scale())},
                            .storage = storage_of(from.type())};
        switch (from.type()) {
        case ColumnType::U8: column.values = MXK_TRY(from.values<std::uint8_t>()).data(); break;
        case ColumnType::I32: column.values = MXK_TRY(from.values<std::int32_t>()).data(); break;
        case ColumnType::I64: column.values = MXK_TRY(from.values<std::int64_t>()).data(); break;
        }
        if (column.type.kind == Kind::Text) {
            auto* const labels =
                static_cast<std::string_view*>(MXK_TRY(take_memory(max_labels * sizeof(std::string_view))));
            for (std::size_t code = 0; code < from.codes(); ++code)
                new (labels + code) std::string_view(from.text(code));
            column.labels = labels;
            column.label_count = from.codes();
        }
        MXK_TRY(add(column));
    }
    return {};
}

Result<void> SourceColumn::check(std::uint64_t rows) const {
    if (type.kind == Kind::Bool) {
        auto const* const truths = static_cast<std::uint8_t const*>(values);
        for (std::uint64_t row = 0; row < rows; ++row)
            if (truths[row] > 1 && is_valid(row))
                return Error::of("column '{}': row {}: expected 0 or 1 of a bool, got {}", name.view(), row,
                                 truths[row]);
    }
    if (type.kind != Kind::Text || labels != nullptr) return {};
    auto const checked = check_offsets(offsets, rows);
    return checked ? checked : Error::of("column '{}': {}", name.view(), checked.error().message());
}

Result<Range> Source::range(SourceColumn const& column) const {
    for (Entry const* entry = first_; entry != nullptr; entry = entry->next) {
        if (&entry->column != &column) continue;
        if (!entry->range) {
            MXK_TRY(column.check(rows_));
            entry->range = column.range(rows_);
        }
        return *entry->range;
    }
    panic("a source is asked for the range of its own columns");
}

Result<SourceColumn const*> Source::find(std::string_view name) const {
    NameList names;
    for (Entry const* entry = first_; entry != nullptr; entry = entry->next) {
        if (entry->column.name.view() == name) return &entry->column;
        names.add(entry->column.name.view());
    }
    return Error::of("expected a column of {}: {}; got '{}'", name_.view(), names.view(), shown(name).view());
}

} // namespace mxk::query
