// Rows from several envelopes, in an order of their own: the columns of a new envelope.
#pragma once

#include <cstdint>
#include <span>

#include "base/result.hpp"
#include "query/expression/schema.hpp"
#include "tasks/dataflow/graph/box.hpp"

namespace mxk::query {

struct RowPlace {
    dataflow::Envelope const* envelope;
    dataflow::Envelope::Row row;
};

// Of envelopes of the schema. Errors: no memory.
Result<dataflow::EnvelopePointer> gather_rows(std::span<RowPlace const> rows, Schema const& schema,
                                              std::uint64_t sequence);
// One column of them, into memory for as many values.
void gather_values(std::span<RowPlace const> rows, std::size_t column, std::size_t value_bytes, void* to);

} // namespace mxk::query
