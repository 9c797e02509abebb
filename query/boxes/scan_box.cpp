#include "query/boxes/scan_box.hpp"

#include <algorithm>
#include <utility>

namespace mxk::query {
namespace {

// Empty: there is no memory.
dataflow::Column values_of(SourceColumn const& column, std::uint64_t first, std::uint32_t rows) {
    if (column.type.kind == Kind::Text) {
        auto texts = dataflow::Column::create_for<std::string_view>(rows);
        if (texts) column.read_texts(first, rows, texts.writable<std::string_view>());
        return texts;
    }
    return dataflow::Column::view(static_cast<std::byte const*>(column.values) + first * bytes_of(column.storage));
}

} // namespace

ScanBox::ScanBox(dataflow::Query& query, CoreId core, ScanSpec const* spec, std::size_t part)
    : Box(query, core)
    , spec_(*spec)
    , next_row_(spec->source->rows() * part / spec->parts)
    , end_(spec->source->rows() * (part + 1) / spec->parts) {}

Result<dataflow::Step> ScanBox::produce(dataflow::CoreScheduler& /*here*/) {
    if (next_row_ == end_) return dataflow::Step::Done;
    auto const rows = static_cast<std::uint32_t>(std::min<std::uint64_t>(end_ - next_row_, spec_.rows_per_envelope));
    auto envelope = dataflow::Envelope::create(rows, next_row_);
    if (!envelope) return dataflow::no_memory_for_envelopes();
    auto const fields = spec_.schema.fields();
    for (std::size_t i = 0; i < fields.size(); ++i) {
        dataflow::Column values = values_of(*spec_.columns[i], next_row_, rows);
        if (!values) return dataflow::no_memory_for_envelopes();
        envelope->columns[fields[i].values] = std::move(values);
        if (!fields[i].is_nullable()) continue;
        auto validity = dataflow::Column::create_for<std::uint8_t>(rows);
        if (!validity) return dataflow::no_memory_for_envelopes();
        spec_.columns[i]->read_validity(next_row_, rows, validity.writable<std::uint8_t>());
        envelope->columns[fields[i].validity] = std::move(validity);
    }
    next_row_ += rows;
    emit(std::move(envelope));
    return next_row_ == end_ ? dataflow::Step::Done : dataflow::Step::More;
}

} // namespace mxk::query
