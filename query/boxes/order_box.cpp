#include "query/boxes/order_box.hpp"

#include <algorithm>
#include <utility>

#include "base/format.hpp"
#include "query/expression/order.hpp"

namespace mxk::query {
namespace {

using dataflow::Step;

constexpr std::size_t rows_per_envelope = 2048;

// Below 0, 0 or above it, as the first one is before, equal to or behind the second one.
template <typename T> int compare_as(RowPlace const& a, RowPlace const& b, std::size_t column) {
    T const x = a.envelope->values<T>(column)[a.row];
    T const y = b.envelope->values<T>(column)[b.row];
    if (order::less(x, y)) return -1;
    return order::less(y, x) ? 1 : 0;
}
int compare(RowPlace const& a, RowPlace const& b, Field const& field) {
    switch (field.storage) {
    case Storage::F32: return compare_as<float>(a, b, field.values);
    case Storage::F64: return compare_as<double>(a, b, field.values);
    case Storage::Text: return compare_as<std::string_view>(a, b, field.values);
    default:
        return with_whole(field.storage, [&]<typename T>(T /*type*/) { return compare_as<T>(a, b, field.values); });
    }
}

bool is_null(RowPlace const& place, Field const& field) {
    return field.is_nullable() && place.envelope->values<std::uint8_t>(field.validity)[place.row] == 0;
}

} // namespace

Result<void> OrderSpec::bind(std::span<OrderKey const> keys, Schema const& rows) {
    if (keys.size() > max_keys)
        return Error::of("expected up to {} columns to order by, got {}", max_keys, keys.size());
    for (OrderKey const& key : keys)
        keys_[key_count_++] = {.field = MXK_TRY(rows.find(key.column)), .is_descending = key.is_descending};
    schema = &rows;
    return {};
}

bool OrderSpec::is_before(RowPlace const& a, RowPlace const& b) const {
    for (std::size_t i = 0; i < key_count_; ++i) {
        Field const& field = *keys_[i].field;
        bool const a_is_null = is_null(a, field);
        bool const b_is_null = is_null(b, field);
        if (a_is_null != b_is_null) return b_is_null;
        if (a_is_null) continue;
        if (int const result = compare(a, b, field); result != 0) return (result < 0) != keys_[i].is_descending;
    }
    return false;
}

Result<Step> OrderBox::receive(dataflow::CoreScheduler& /*here*/, std::size_t /*input*/,
                               dataflow::EnvelopePointer envelope) {
    if (spec_.limit == 0) return Step::Done;
    MXK_TRY(keep(std::move(envelope)));
    constexpr std::uint64_t min_pruned = 16'384;
    if (rows_.size() > min_pruned && rows_.size() / 2 > spec_.limit) MXK_TRY(prune());
    return Step::More;
}

Result<void> OrderBox::keep(dataflow::EnvelopePointer envelope) {
    Error const no_memory("out of memory: no room for the rows to be ordered");
    bool fits = envelopes_.add(&*envelope);
    if (!fits) return no_memory;
    dataflow::Envelope const& rows = *envelope.release();
    rows.for_each_row([&](dataflow::Envelope::Row row) { fits = fits && rows_.add({.envelope = &rows, .row = row}); });
    if (!fits) return no_memory;
    return {};
}

void OrderBox::order() {
    auto const rows = rows_.span();
    auto const is_before = [this](RowPlace const& a, RowPlace const& b) { return spec_.is_before(a, b); };
    if (rows.size() > spec_.limit)
        std::partial_sort(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(spec_.limit), rows.end(), is_before);
    else
        std::sort(rows.begin(), rows.end(), is_before);
}

// Only as many as the limit are left, in envelopes of their own.
Result<void> OrderBox::prune() {
    order();
    auto kept =
        MXK_TRY(gather_rows(rows_.span().first(static_cast<std::size_t>(spec_.limit)), spec_.schema->fields(), 0));
    let_go();
    return keep(std::move(kept));
}

void OrderBox::let_go() {
    for (dataflow::Envelope* const envelope : envelopes_.span()) dataflow::EnvelopePointer{envelope};
    envelopes_.clear();
    rows_.clear();
}

Result<Step> OrderBox::finish(dataflow::CoreScheduler& /*here*/) {
    if (!is_ordered_) order();
    is_ordered_ = true;
    std::size_t const end = static_cast<std::size_t>(std::min<std::uint64_t>(rows_.size(), spec_.limit));
    std::size_t const count = std::min(rows_per_envelope, end - given_);
    if (count == 0) return Step::Done;
    emit(MXK_TRY(gather_rows(rows_.span().subspan(given_, count), spec_.schema->fields(), given_)));
    given_ += count;
    return given_ == end ? Step::Done : Step::More;
}

} // namespace mxk::query
