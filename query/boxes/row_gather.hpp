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

// These columns of them. Errors: no memory.
Result<dataflow::EnvelopePointer> gather_rows(std::span<RowPlace const> rows, std::span<Field const> fields,
                                              std::uint64_t sequence);

} // namespace mxk::query
