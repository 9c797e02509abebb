#include "query/boxes/merge_box.hpp"

#include <algorithm>
#include <utility>

namespace mxk::query {

using dataflow::Step;

// The first one that has to be read before another row can be given; any, if there is none.
std::size_t MergeBox::wanted_input() const {
    if (heads_.size() == 0) return 0;
    for (std::size_t input = 0; input < Box::inputs().size(); ++input)
        if (heads_[input].is_missing()) return input;
    return any;
}

Result<Step> MergeBox::receive(dataflow::CoreScheduler& /*here*/, std::size_t input,
                               dataflow::EnvelopePointer envelope) {
    if (left_ == 0) return Step::Done;
    if (envelope->selected == 0) return Step::More;
    MXK_TRY(make_heads());
    heads_[input].envelope = std::move(envelope);
    heads_[input].at = 0;
    MXK_TRY(merge());
    return left_ == 0 ? Step::Done : Step::More;
}

Result<void> MergeBox::note_end(dataflow::CoreScheduler& /*here*/, std::size_t input) {
    MXK_TRY(make_heads());
    heads_[input].is_over = true;
    return merge();
}

Result<Step> MergeBox::finish(dataflow::CoreScheduler& /*here*/) {
    MXK_TRY(give());
    return Step::Done;
}

Result<void> MergeBox::make_heads() {
    if (heads_.size() != 0) return {};
    heads_ = MXK_TRY(NodeVector<Head>::create(Box::inputs().size(), Worker::current().node()));
    while (heads_.size() < Box::inputs().size()) heads_.emplace();
    return {};
}

// Gives rows as long as it is known of each input which one is its next. The last one of the limit ends the box: what
// is still to be given then, is.
Result<void> MergeBox::merge() {
    while (wanted_input() == any && left_ != 0) {
        std::size_t const first = next_input(SIZE_MAX);
        if (first == SIZE_MAX) return {};
        Head& head = heads_[first];
        std::size_t const second = next_input(first);
        Row to = head.envelope->selected;
        if (second != SIZE_MAX) {
            Head const& other = heads_[second];
            to = end_before(head, other.place(other.at), first < second);
        }
        MXK_TRY(take(head, to));
        if (head.at != head.envelope->selected) continue;
        MXK_TRY(give()); // what points into it
        head.envelope = {};
    }
    return left_ == 0 ? give() : Result<void>();
}

// Of which the next row comes first, `without` one input. SIZE_MAX: none.
std::size_t MergeBox::next_input(std::size_t without) const {
    std::size_t best = SIZE_MAX;
    for (std::size_t input = 0; input < Box::inputs().size(); ++input) {
        Head const& head = heads_[input];
        if (input == without || !head.envelope) continue;
        if (best == SIZE_MAX || spec_.is_before(head.place(head.at), heads_[best].place(heads_[best].at))) best = input;
    }
    return best;
}

// How far its rows come before another one: at the next row, or behind. In steps that double, so that inputs that
// alternate cost no more than a comparison, and long stretches few.
MergeBox::Row MergeBox::end_before(Head const& head, RowPlace const& other, bool also_equal) const {
    auto const is_before = [&](Row row) {
        return also_equal ? !spec_.is_before(other, head.place(row)) : spec_.is_before(head.place(row), other);
    };
    Row const rows = head.envelope->selected;
    Row low = head.at; // is before it
    Row step = 1;
    while (low + step < rows && is_before(low + step)) {
        low += step;
        step += step;
    }
    Row high = std::min(low + step, rows); // is not, or the end
    ++low;
    while (low < high) {
        Row const middle = low + (high - low) / 2;
        if (is_before(middle))
            low = middle + 1;
        else
            high = middle;
    }
    return high;
}

Result<void> MergeBox::take(Head& head, Row to) {
    for (; head.at < to && left_ != 0; ++head.at, --left_) {
        rows_[filled_++] = head.place(head.at);
        if (filled_ == rows_.size()) MXK_TRY(give());
    }
    return {};
}

Result<void> MergeBox::give() {
    if (filled_ == 0) return {};
    emit(MXK_TRY(gather_rows({rows_.data(), filled_}, spec_.schema->fields(), given_)));
    given_ += std::exchange(filled_, 0);
    return {};
}

} // namespace mxk::query
