#include "query/plan/answer.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "query/plan/cell.hpp"

namespace mxk::query {

bool Answer::add(dataflow::EnvelopePointer envelope) {
    if (!parts_.add({.envelope = &*envelope, .first_row = rows_})) return false;
    rows_ += envelope->selected;
    static_cast<void>(envelope.release());
    return true;
}

void Answer::clear() {
    for (Part const& part : parts_.span()) dataflow::EnvelopePointer(part.envelope);
    parts_.clear();
    rows_ = 0;
}

void Answer::write_cell(TextSink& out, std::size_t row, std::size_t column) const {
    auto const parts = parts_.span();
    Part const& part = *std::prev(std::ranges::upper_bound(parts, row, {}, &Part::first_row));
    dataflow::Envelope const& rows = *part.envelope;
    std::size_t const place = row - part.first_row;
    std::size_t const at = rows.selection ? rows.selection.values<dataflow::Envelope::Row>()[place] : place;
    query::write_cell(out, rows, schema_->fields()[column], at);
}

} // namespace mxk::query
