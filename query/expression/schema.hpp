// The columns of envelopes between two boxes, by name: what they mean and where they stand. A column that may be NULL
// has one more of bytes, 1 where there is a value.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/result.hpp"
#include "query/expression/type.hpp"
#include "tasks/dataflow/graph/envelope.hpp"

namespace mxk::query {

struct Field {
    FixedText<32> name;
    Type type{};
    Storage storage = Storage::I64;
    Range range{};           // of a whole kind
    std::uint8_t values = 0; // columns of the envelope
    std::uint8_t validity = no_validity;

    static constexpr std::uint8_t no_validity = UINT8_MAX; // it is never NULL
    [[nodiscard]] bool is_nullable() const { return validity != no_validity; }
};

class Schema {
  public:
    [[nodiscard]] std::span<Field const> fields() const { return {fields_.data(), count_}; }
    // An error that lists the columns if there is none of this name.
    [[nodiscard]] Result<Field const*> find(std::string_view name) const;
    // Gives it the next columns of the envelope. Errors: the name is there already, or has not 1 to 31 characters; an
    // envelope has no room for it.
    Result<void> add(Field field, bool is_nullable);

  private:
    static constexpr std::size_t max_columns = dataflow::Envelope::max_columns;
    std::array<Field, max_columns> fields_{};
    std::size_t count_ = 0;
    std::uint8_t columns_ = 0; // of the envelope
};

// An envelope with room for these columns. Errors: no memory.
Result<dataflow::EnvelopePointer> make_rows(std::span<Field const> fields, std::uint32_t rows, std::uint64_t sequence);

} // namespace mxk::query
