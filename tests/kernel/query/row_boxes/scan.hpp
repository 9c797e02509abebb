// The source of a query: rows of a table, as views of its columns. Nothing is copied.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "tasks/dataflow/graph/box.hpp"
#include "tasks/dataflow/graph/column_types.hpp"

namespace mxk::query_tests {

// Some columns of a table. A column's number is its place here, in all boxes behind the scan.
class ScannedColumns {
  public:
    explicit ScannedColumns(std::uint64_t rows)
        : rows_(rows) {}

    // As long as the table; up to as many as an envelope has room for. A model that scans others is refused.
    template <typename T> void add(std::span<T const> values) {
        wrong_length_ = values.size() == rows_ ? wrong_length_ : wrong_length_.value_or(values.size());
        if (count_++ >= columns_.size()) return;
        columns_[count_ - 1] = {values.data(), sizeof(T)};
        types_.of[count_ - 1] = dataflow::column_type_of<T>();
    }
    [[nodiscard]] Result<void> check() const {
        if (wrong_length_) return Error::of("expected columns of {} rows each, got one of {}", rows_, *wrong_length_);
        if (count_ <= columns_.size()) return {};
        return Error::of("expected up to {} columns, got {}", columns_.size(), count_);
    }
    [[nodiscard]] std::uint64_t rows() const { return rows_; }
    [[nodiscard]] dataflow::ColumnTypes const& types() const { return types_; }
    [[nodiscard]] std::size_t row_bytes() const {
        std::size_t sum = 0;
        for (Values const& column : columns_) sum += column.bytes;
        return sum;
    }

    // `to`: up to `from` + 2^32 - 1. Gives an envelope, or none if there is no memory.
    [[nodiscard]] dataflow::EnvelopePointer rows_from(std::uint64_t from, std::uint64_t to) const {
        auto envelope = dataflow::Envelope::create(static_cast<std::uint32_t>(to - from), from);
        if (!envelope) return envelope;
        for (std::size_t i = 0; i < std::min(count_, columns_.size()); ++i) {
            auto const* const values = static_cast<std::byte const*>(columns_[i].values) + from * columns_[i].bytes;
            envelope->columns[i] = dataflow::Column::view(values);
        }
        return envelope;
    }

  private:
    struct Values {
        void const* values = nullptr;
        std::size_t bytes = 0; // of one
    };
    std::uint64_t rows_;
    std::optional<std::size_t> wrong_length_; // of a column
    std::size_t count_ = 0;
    std::array<Values, dataflow::Envelope::max_columns> columns_{};
    dataflow::ColumnTypes types_ = dataflow::ColumnTypes::only<>();
};

// One of `parts` scans of a table, which read about as many rows each, one after the other.
class Scan : public dataflow::Box {
  public:
    static constexpr std::array<std::string_view, 0> inputs{};
    static constexpr bool has_output = true;
    static Result<dataflow::ColumnTypes> columns(std::span<dataflow::InputColumns const> /*none*/,
                                                 ScannedColumns const* scanned, std::size_t part, std::size_t parts,
                                                 std::uint32_t rows_per_envelope) {
        MXK_TRY(scanned->check());
        if (part >= parts) return Error::of("expected a part below the number of parts {}, got {}", parts, part);
        if (rows_per_envelope == 0) return Error("expected envelopes of 1 row or more, got 0");
        return scanned->types();
    }

    Scan(dataflow::Query& query, CoreId core, ScannedColumns const* columns, std::size_t part, std::size_t parts,
         std::uint32_t rows_per_envelope)
        : Box(query, core)
        , columns_(*columns)
        , rows_per_envelope_(rows_per_envelope)
        , next_row_(columns_.rows() * part / parts)
        , end_(columns_.rows() * (part + 1) / parts) {}

  protected:
    Result<dataflow::Step> produce(dataflow::CoreScheduler& /*here*/) override {
        if (next_row_ == end_) return dataflow::Step::Done;
        std::uint64_t const to = std::min(end_, next_row_ + rows_per_envelope_);
        auto envelope = columns_.rows_from(next_row_, to);
        if (!envelope) return dataflow::no_memory_for_envelopes();
        next_row_ = to;
        emit(std::move(envelope));
        return to == end_ ? dataflow::Step::Done : dataflow::Step::More;
    }

  private:
    ScannedColumns const& columns_;
    std::uint32_t rows_per_envelope_;
    std::uint64_t next_row_;
    std::uint64_t end_;
};

} // namespace mxk::query_tests
