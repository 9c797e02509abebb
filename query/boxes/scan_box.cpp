#include "query/boxes/scan_box.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "tasks/dataflow/scheduler.hpp"
#include "tasks/worker.hpp"

namespace mxk::query {

// Of this node, if there are some left; otherwise of the first part behind this node's that has some. For the cores of
// one node all rows are where they were, one part.
ScanBox::Rows ScanBox::take_rows(dataflow::CoreScheduler& here) const {
    auto const parts = spec_.source->parts();
    std::size_t const count = here.scheduler().nodes().size() > 1 ? std::max<std::size_t>(parts.size(), 1) : 1;
    auto const at_node = std::ranges::find(parts, Worker::current().node(), &Source::Part::node);
    for (std::size_t i = 0; i < count; ++i) {
        std::size_t const part = (static_cast<std::size_t>(at_node - parts.begin()) + i) % count;
        std::uint64_t const first = count > 1 ? parts[part].first_row : 0;
        std::uint64_t const rows = count > 1 ? parts[part].end - first : spec_.source->rows();
        std::atomic<std::uint64_t>& taken = taken_->parts[part].rows;
        if (taken.load(std::memory_order_relaxed) >= rows) continue;
        std::uint64_t const at = taken.fetch_add(spec_.rows_per_envelope, std::memory_order_relaxed);
        if (at >= rows) continue;
        return {.part = part,
                .first = first + at,
                .count = static_cast<std::uint32_t>(std::min<std::uint64_t>(rows - at, spec_.rows_per_envelope))};
    }
    return {};
}

// Empty: there is no memory.
dataflow::Column ScanBox::values_of(SourceColumn const& column, Rows const& rows) const {
    void const* const copy = column.copies[rows.part];
    std::uint64_t const first = copy != nullptr ? rows.first - spec_.source->parts()[rows.part].first_row : rows.first;
    auto const* const values =
        static_cast<std::byte const*>(copy != nullptr ? copy : column.values) + first * bytes_of(column.storage);
    if (column.type.kind != Kind::Text) return dataflow::Column::view(values);
    auto texts = dataflow::Column::create_for<std::string_view>(rows.count);
    if (texts) column.read_texts(rows.first, rows.count, values, texts.writable<std::string_view>());
    return texts;
}

Result<dataflow::Step> ScanBox::produce(dataflow::CoreScheduler& here) {
    if (taken_ == nullptr) return dataflow::no_memory_for_envelopes();
    Rows const rows = take_rows(here);
    if (rows.count == 0) return dataflow::Step::Done;
    auto envelope = dataflow::Envelope::create(rows.count, rows.first);
    if (!envelope) return dataflow::no_memory_for_envelopes();
    auto const fields = spec_.schema.fields();
    for (std::size_t i = 0; i < fields.size(); ++i) {
        dataflow::Column values = values_of(*spec_.columns[i], rows);
        if (!values) return dataflow::no_memory_for_envelopes();
        envelope->columns[fields[i].values] = std::move(values);
        if (!fields[i].is_nullable()) continue;
        auto validity = dataflow::Column::create_for<std::uint8_t>(rows.count);
        if (!validity) return dataflow::no_memory_for_envelopes();
        spec_.columns[i]->read_validity(rows.first, rows.count, validity.writable<std::uint8_t>());
        envelope->columns[fields[i].validity] = std::move(validity);
    }
    auto const parts = spec_.source->parts();
    if (!parts.empty() && parts[rows.part].node != Worker::current().node()) remote_rows_ += rows.count;
    emit(std::move(envelope));
    return dataflow::Step::More;
}

} // namespace mxk::query
