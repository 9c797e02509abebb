#include "tasks/dataflow/graph/sort_box.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "tasks/dataflow/graph/envelope_size.hpp"
#include "tasks/dataflow/graph/merge_path.hpp"

namespace mxk::dataflow {
namespace {

using Key = std::uint64_t;

} // namespace

void copy_keys(Envelope const& envelope, std::size_t first, std::size_t count, std::uint64_t* out) {
    Key const* const keys = envelope.values<Key>(0);
    if (!envelope.selection) {
        std::copy_n(keys + first, count, out);
        return;
    }
    Envelope::Row const* const chosen = envelope.selection.values<Envelope::Row>() + first;
    for (std::size_t i = 0; i < count; ++i) out[i] = keys[chosen[i]];
}

SortedKeys merge(SortedKeys const& a, SortedKeys const& b) {
    SortedKeys result{.keys = Column::create_for<Key>(a.rows + b.rows), .rows = a.rows + b.rows};
    if (!result.keys) return {};
    merge_piece({.keys = a.keys.values<Key>(), .rows = a.rows}, {.keys = b.keys.values<Key>(), .rows = b.rows}, 0,
                result.rows, result.keys.writable<Key>());
    return result;
}

SortingBox::SortingBox(Query& query, CoreId home_core, std::uint32_t rows)
    : Box(query, home_core)
    , rows_(rows_or_recommended(rows, sizeof(Key))) {}

Result<Step> SortingBox::finish(CoreScheduler& here) {
    if (!is_sorted_) {
        if (MXK_TRY(sort_all(here, result_)) == Step::AfterTasks) return Step::AfterTasks;
        is_sorted_ = true;
    }
    if (given_ == result_.rows) return Step::Done;
    auto const rows = static_cast<std::uint32_t>(std::min<std::size_t>(rows_, result_.rows - given_));
    EnvelopePointer envelope = Envelope::create(rows, sequence_++);
    if (!envelope) return no_memory_for_envelopes();
    envelope->columns[0] = result_.keys.from<Key>(given_);
    given_ += rows;
    emit(std::move(envelope));
    return given_ == result_.rows ? Step::Done : Step::More;
}

Result<void> SortBox::add(SortedKeys run, std::size_t power) {
    for (; runs_[power].rows != 0; ++power) {
        run = merge(runs_[power], run);
        if (!run.keys) return no_memory_for_envelopes();
        runs_[power] = {};
    }
    runs_[power] = std::move(run);
    return {};
}

Result<Step> SortBox::receive(CoreScheduler& /*here*/, std::size_t /*input*/, EnvelopePointer envelope) {
    std::size_t const rows = envelope->selected;
    if (rows == 0) return Step::More;
    Column sorted = Column::create_for<Key>(rows);
    if (!sorted) return no_memory_for_envelopes();
    Key* const keys = sorted.writable<Key>();
    copy_keys(*envelope, 0, rows, keys);
    std::sort(keys, keys + rows);
    std::size_t at = 0;
    for (std::size_t left = rows; left != 0; left &= left - 1) { // a piece for each binary digit
        auto const power = static_cast<std::size_t>(std::countr_zero(left));
        MXK_TRY(add({.keys = sorted.from<Key>(at), .rows = std::size_t{1} << power}, power));
        at += std::size_t{1} << power;
    }
    return Step::More;
}

// A run in a turn. The result, once all is sorted, is read only once more and stays where it is.
Step SortBox::follow(NodeId node) {
    for (SortedKeys& run : runs_) {
        if (run.rows == 0 || run.keys.lies_on(node)) continue;
        return run.keys.copy_to(node, run.rows * sizeof(Key)) ? Step::More : Step::Done;
    }
    return Step::Done;
}

Result<Step> SortBox::sort_all(CoreScheduler& /*here*/, SortedKeys& result) {
    for (SortedKeys& run : runs_) { // the shortest first
        if (run.rows == 0) continue;
        result = result.rows == 0 ? std::move(run) : merge(result, run);
        if (!result.keys) return no_memory_for_envelopes();
        run = {};
    }
    return Step::Done;
}

CollectingSortBox::~CollectingSortBox() {
    while (first_ != nullptr) {
        EnvelopePointer const left(first_);
        first_ = left->next;
    }
}

Result<Step> CollectingSortBox::receive(CoreScheduler& /*here*/, std::size_t /*input*/, EnvelopePointer envelope) {
    rows_ += envelope->selected;
    envelope->next = first_;
    first_ = envelope.release();
    return Step::More;
}

Result<Step> CollectingSortBox::sort_all(CoreScheduler& /*here*/, SortedKeys& result) {
    result = {.keys = Column::create_for<Key>(rows_), .rows = rows_};
    if (!result.keys) return no_memory_for_envelopes();
    Key* const keys = result.keys.writable<Key>();
    Key* out = keys;
    while (first_ != nullptr) {
        EnvelopePointer const taken(first_);
        first_ = taken->next;
        copy_keys(*taken, 0, taken->selected, out);
        out += taken->selected;
    }
    std::sort(keys, out);
    return Step::Done;
}

} // namespace mxk::dataflow
