// What travels between boxes: some rows, as columns of equal length (Falt 2010, section 3.1), of which a selection may
// be meant only: a column of row numbers, in ascending order, which a filter makes instead of copying. The last one on
// every edge is the poison, which has no rows: nothing more will come.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#include "base/panic.hpp"
#include "tasks/dataflow/graph/column.hpp"

namespace mxk::dataflow {

class EnvelopePointer;

// Of an envelope: as many as have been asked for so far, from the first one on; the others are nowhere, and cost
// nothing.
class EnvelopeColumns {
  public:
    static constexpr std::size_t capacity = 12;

    EnvelopeColumns() = default;
    EnvelopeColumns(EnvelopeColumns const&) = delete;
    EnvelopeColumns& operator=(EnvelopeColumns const&) = delete;
    ~EnvelopeColumns() {
        for (std::size_t i = 0; i < count_; ++i) places_[i].column.~Column();
    }

    // `at`: below the capacity.
    [[nodiscard]] Column& operator[](std::size_t at) {
        for (; count_ <= at; ++count_) new (&places_[count_].column) Column;
        return places_[at].column;
    }
    [[nodiscard]] Column const& operator[](std::size_t at) const {
        expect(at < count_, "a box reads a column that the envelope has");
        return places_[at].column;
    }
    // The same columns; this one has none so far.
    void share(EnvelopeColumns const& others) {
        for (std::size_t i = 0; i < others.count_; ++i) (*this)[i] = others[i];
    }

  private:
    union Place {
        Place() {}  // NOLINT(modernize-use-equals-default): a column begins when it is asked for
        ~Place() {} // NOLINT(modernize-use-equals-default)
        Column column;
    };
    std::uint32_t count_ = 0;
    std::array<Place, capacity> places_;
};

struct Envelope {
    static constexpr std::size_t max_columns = EnvelopeColumns::capacity;
    using Row = std::uint32_t;

    std::uint32_t rows = 0;     // of each column
    std::uint32_t selected = 0; // of these; all, where there is no selection
    std::uint64_t sequence = 0; // its place in the order of the source, for boxes that restore it
    Column selection;           // of Row; none: all rows
    Envelope* next = nullptr;   // the sender's, while it waits to be sent
    std::uint32_t output = 0;   // then: by which of its outputs
    EnvelopeColumns columns;

    // The calling core's heap; null if there is no memory.
    static EnvelopePointer create(std::uint32_t rows, std::uint64_t sequence = 0);
    // The same columns once more, for another receiver.
    [[nodiscard]] EnvelopePointer copy() const;

    template <typename T> [[nodiscard]] T const* values(std::size_t column) const {
        return columns[column].values<T>();
    }
    // f(row) for every row that is meant.
    template <typename Function> [[gnu::always_inline]] void for_each_row(Function function) const {
        if (!selection) {
            for (Row row = 0; row < rows; ++row) function(row);
        } else {
            Row const* const chosen = selection.values<Row>();
            for (Row i = 0; i < selected; ++i) function(chosen[i]);
        }
    }
};

// Owns an envelope.
class EnvelopePointer {
  public:
    EnvelopePointer() = default;
    explicit EnvelopePointer(Envelope* envelope)
        : envelope_(envelope) {}
    EnvelopePointer(EnvelopePointer&& other) noexcept
        : envelope_(std::exchange(other.envelope_, nullptr)) {}
    EnvelopePointer& operator=(EnvelopePointer&& other) noexcept {
        std::swap(envelope_, other.envelope_);
        return *this;
    }
    // Nearly all are moved from.
    [[gnu::always_inline]] ~EnvelopePointer() {
        if (envelope_ != nullptr) destroy(*envelope_);
    }

    explicit operator bool() const { return envelope_ != nullptr; }
    Envelope& operator*() const { return *envelope_; }
    Envelope* operator->() const { return envelope_; }
    [[nodiscard]] Envelope* release() { return std::exchange(envelope_, nullptr); }

  private:
    [[gnu::noinline]] static void destroy(Envelope& envelope) {
        envelope.~Envelope();
        graph_memory::deallocate(&envelope, sizeof(Envelope), cache_line_bytes);
    }
    Envelope* envelope_ = nullptr;
};

inline EnvelopePointer Envelope::create(std::uint32_t rows, std::uint64_t sequence) {
    void* const place = graph_memory::allocate(sizeof(Envelope), cache_line_bytes);
    if (place == nullptr) return {};
    auto* const envelope = new (place) Envelope;
    envelope->rows = envelope->selected = rows;
    envelope->sequence = sequence;
    return EnvelopePointer(envelope);
}
inline EnvelopePointer Envelope::copy() const {
    EnvelopePointer result = create(rows, sequence);
    if (!result) return result;
    result->selected = selected;
    result->selection = selection;
    result->columns.share(columns);
    return result;
}

} // namespace mxk::dataflow
