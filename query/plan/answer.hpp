// What a plan leaves for its caller: rows, with columns by name and type, and their cells as text. The plan lives as
// long; before its model runs once more the answer is cleared.
#pragma once

#include <cstddef>

#include "base/text.hpp"
#include "query/expression/schema.hpp"
#include "tasks/dataflow/graph/envelope.hpp"
#include "tasks/dataflow/graph/growing_array.hpp"

namespace mxk::query {

// One core at a time: the sink's, then the caller's.
class Answer {
  public:
    Answer() = default;
    Answer(Answer const&) = delete;
    Answer& operator=(Answer const&) = delete;
    ~Answer() { clear(); }

    [[nodiscard]] std::size_t rows() const { return rows_; }
    [[nodiscard]] Schema const& schema() const { return *schema_; }
    // Both below what there are. NULL is "NULL".
    void write_cell(TextSink& out, std::size_t row, std::size_t column) const;

    // Of a plan: what comes. False: no memory.
    void begin(Schema const& schema) { schema_ = &schema; }
    [[nodiscard]] bool add(dataflow::EnvelopePointer envelope);
    void clear();

  private:
    struct Part {
        dataflow::Envelope* envelope;
        std::size_t first_row;
    };
    Schema const* schema_ = nullptr;
    dataflow::GrowingArray<Part> parts_;
    std::size_t rows_ = 0;
};

} // namespace mxk::query
