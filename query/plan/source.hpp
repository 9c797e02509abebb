// Where rows come from: columns that lie in memory, as a column file has them or as Arrow does: values one behind the
// other, one bit each that says whether there is a value, of texts their offsets. Nothing is copied; all of it lives as
// long as the plans over it.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/result.hpp"
#include "base/units.hpp"
#include "kernel/memory/node_array.hpp"
#include "query/column_file.hpp"
#include "query/expression/schema.hpp"
#include "query/expression/type.hpp"

struct ArrowArray;
struct ArrowSchema;

namespace mxk::query {

// Of texts, of 32 or 64 bits, one more than rows. Errors: a text that begins below 0, or ends in front of its begin.
template <typename Offset> Result<void> check_offsets(Offset const* offsets, std::uint64_t rows) {
    if (rows != 0 && offsets[0] < 0)
        return Error::of("row 0: expected the begin of a text at 0 or behind, got {}", offsets[0]);
    for (std::uint64_t row = 0; row < rows; ++row)
        if (offsets[row + 1] < offsets[row])
            return Error::of("row {}: expected the end of a text at {} or behind, got {}", row, offsets[row],
                             offsets[row + 1]);
    return {};
}

// Into how many parts on different nodes a table is divided, at maximum.
constexpr std::size_t max_source_parts = 16;

// Of one table. `values`: of the storage; of a Text in Arrow's layout the bytes, of one in a dictionary the codes.
struct SourceColumn {
    FixedText<32> name;
    Type type;
    Storage storage = Storage::I64;
    void const* values = nullptr;
    std::uint8_t const* validity = nullptr;   // bits, the lowest first; null: there is no NULL
    std::uint8_t first_bit = 0;               // of these, 0 to 7: the first row's
    std::int32_t const* offsets = nullptr;    // of a Text: one more than rows
    std::string_view const* labels = nullptr; // of a Text in a dictionary
    std::size_t label_count = 0;
    std::array<void const*, max_source_parts> copies{}; // of `values`, by the source's part; null: there is none

    [[nodiscard]] bool is_valid(std::uint64_t row) const {
        std::uint64_t const bit = first_bit + row;
        return validity == nullptr || (validity[bit / 8] >> bit % 8 & 1U) != 0;
    }
    // Reads all values of a whole kind; of others nothing.
    [[nodiscard]] Range range(std::uint64_t rows) const;
    // Errors: a Bool that is neither 0 nor 1, a text that ends in front of its begin.
    [[nodiscard]] Result<void> check(std::uint64_t rows) const;
    // Of rows from `first` on, to `to`. `codes`: of a dictionary, where the first row's is.
    void read_texts(std::uint64_t first, std::uint32_t rows, void const* codes, std::string_view* to) const;
    void read_validity(std::uint64_t first, std::uint32_t rows, std::uint8_t* to) const;
};

class Source {
  public:
    Source(std::string_view name, std::uint64_t rows)
        : name_(name)
        , rows_(rows) {}
    Source(Source const&) = delete;
    Source& operator=(Source const&) = delete;
    ~Source();

    // All columns of a table of a column file. Errors: no memory.
    Result<void> add(Table const& table);
    // Errors: the name is there already or longer than 31 characters, a scale above the largest one or of no decimal,
    // rows without values, no memory. A storage that the type does not have panics.
    Result<void> add(SourceColumn const& column);

    // All columns of a record batch that has the source's rows (arrow.hpp). It stays the caller's, who releases it when
    // the source is gone. Errors, by the column's name: another type, damaged offsets or codes, no memory.
    Result<void> add(ArrowSchema const& schema, ArrowArray const& batch);

    // So many parts of the rows, of about the same size, one behind the other, lie on these nodes from now on; more
    // nodes than max_source_parts are left out. Part 0 stays where it is, which is on nodes[0]; the values of the
    // others are copied, and scans on cores of several nodes read copies of their node first. Validity and the texts of
    // Arrow's layout stay. Once, behind the columns and before plans; blocks for a node's lock. Errors: no memory.
    Result<void> spread_over(std::span<NodeId const> nodes);
    struct Part {
        NodeId node;
        std::uint64_t first_row;
        std::uint64_t end;
    };
    // None: nobody has said where they lie.
    [[nodiscard]] std::span<Part const> parts() const { return std::span(parts_).first(part_count_); }
    // A scan has read so many rows of a part on another node than the part's.
    void note_remote_rows(std::uint64_t rows) const { remote_rows_.fetch_add(rows, std::memory_order_relaxed); }
    // Of all scans that have ended. Any core; relaxed, both: only shown
    [[nodiscard]] std::uint64_t remote_rows() const { return remote_rows_.load(std::memory_order_relaxed); }

    [[nodiscard]] std::string_view name() const { return name_.view(); }
    [[nodiscard]] std::uint64_t rows() const { return rows_; }
    // An error that lists the columns if there is none of this name.
    [[nodiscard]] Result<SourceColumn const*> find(std::string_view name) const;
    // Of a column of this source, whose values are read and checked the first time. Errors: as SourceColumn::check().
    [[nodiscard]] Result<Range> range(SourceColumn const& column) const;

  private:
    friend class ArrowColumn;
    struct Entry {
        SourceColumn column;
        Entry* next = nullptr;
        mutable std::optional<Range> range{};
        std::array<NodeArray<std::byte>, max_source_parts> copies{}; // what those of the column point to
    };
    // What columns need beside the user's memory, as long as the source lives.
    struct Memory {
        Memory* next;
        std::size_t bytes;
    };
    Result<void*> take_memory(std::size_t bytes);

    FixedText<32> name_;
    std::uint64_t rows_;
    Memory* memory_ = nullptr;
    std::array<Part, max_source_parts> parts_{};
    std::size_t part_count_ = 0;
    mutable std::atomic<std::uint64_t> remote_rows_{0};
    Entry* first_ = nullptr;
    Entry* last_ = nullptr;
};

} // namespace mxk::query
