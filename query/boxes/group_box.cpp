#include "query/boxes/group_box.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "kernel/memory/memory.hpp"

namespace mxk::query {

using dataflow::Step;

// ---- one part

Result<Step> GroupBox::receive(dataflow::CoreScheduler& /*here*/, std::size_t /*input*/,
                               dataflow::EnvelopePointer envelope) {
    MXK_TRY(registers_.prepare(layout_.program()));
    if (!table_.is_created()) MXK_TRY(table_.create(0));
    for (std::uint32_t first = 0; first < envelope->selected; first += Program::chunk) {
        std::uint32_t const rows = std::min(Program::chunk, envelope->selected - first);
        MXK_TRY(layout_.program().run(registers_, *envelope, first, rows));
        layout_.pack(registers_, rows, words_);
        MXK_TRY(add(rows));
    }
    return Step::More;
}

Result<void> GroupBox::add(std::uint32_t rows) {
    if (layout_.keys() != 0) {
        MXK_TRY(table_.find_or_add(words_, rows, groups_.data()));
        return layout_.update(registers_, rows, groups_.data());
    }
    MXK_TRY(table_.find_or_add(words_, 1, groups_.data()));
    GroupLayout::rows_of(groups_[0]) += rows - 1;
    return layout_.update_one(registers_, rows, groups_[0]);
}

Result<Step> GroupBox::finish(dataflow::CoreScheduler& /*here*/) {
    if (is_merged_) {
        auto envelope = dataflow::Envelope::create(1, 0);
        if (!envelope) return dataflow::no_memory_for_envelopes();
        stand_for(table_.size());
        envelope->columns[0] = dataflow::Column::view(&table_); // lives as long as the box, which is the query's
        emit(std::move(envelope));
        return Step::Done;
    }
    if (layout_.keys() == 0 && table_.size() == 0) { // of no rows there is one result
        emit(MXK_TRY(layout_.read_none()));
        return Step::Done;
    }
    std::size_t const count = table_.read(0, UINT64_MAX, cursor_, groups_);
    if (count != 0) emit(MXK_TRY(layout_.read({groups_.data(), count}, std::exchange(given_, given_ + count))));
    return count == groups_.size() ? Step::More : Step::Done;
}

// A large table stays where it is.
Step GroupBox::follow(NodeId node) {
    constexpr std::size_t max_copied = 2 * MiB;
    if (table_.is_created() && table_.bytes() <= max_copied && memory::node_of(table_.place()) != node && table_.copy())
        return Step::More;
    return Step::Done;
}

// ---- all parts

Result<Step> MergeGroupsBox::receive(dataflow::CoreScheduler& /*here*/, std::size_t /*input*/,
                                     dataflow::EnvelopePointer envelope) {
    if (!tables_.add(envelope->values<RecordTable>(0))) return Error("out of memory: no room for a list of tables");
    return Step::More;
}

// Ranges of which the groups fit the first-level caches, and so many that each share has one.
Result<void> MergeGroupsBox::begin() {
    constexpr std::size_t groups_of_range = 1024;
    std::size_t groups = 0;
    for (RecordTable const* table : tables_.span()) groups += table->size();
    bool const is_direct = layout_.direct_bits() != 0;
    std::size_t const ranges = std::bit_ceil(std::max(shares_, is_direct ? 1 : groups / groups_of_range));
    range_bits_ = static_cast<unsigned>(std::bit_width(ranges) - 1);
    range_ = ranges * share_ / shares_;
    end_ = ranges * (share_ + 1) / shares_;
    if (!is_direct) merged_.set_prefix(range_bits_);
    return merged_.create(groups_of_range);
}

Result<void> MergeGroupsBox::merge_range(std::uint64_t range) {
    if (merged_.size() != 0) merged_.clear();
    std::uint64_t const low = range_bits_ == 0 ? 0 : range << (64 - range_bits_);
    std::uint64_t const high = range_bits_ == 0 ? UINT64_MAX : low + (~std::uint64_t{0} >> range_bits_);
    for (RecordTable const* table : tables_.span()) {
        std::size_t cursor = 0;
        std::size_t count = 0;
        do {
            count = table->read(low, high, cursor, records_);
            for (std::byte const* record : std::span(records_).first(count)) {
                std::byte* const into = MXK_TRY(merged_.find_or_add(record));
                if (!layout_.merge(into, record)) return Error("overflow: a sum has more than 127 bits");
            }
        } while (count == records_.size());
    }
    return {};
}

Result<Step> MergeGroupsBox::finish(dataflow::CoreScheduler& /*here*/) {
    if (!has_begun_) MXK_TRY(begin());
    has_begun_ = true;
    for (;;) {
        if (!has_range_) {
            if (range_ == end_) break;
            MXK_TRY(merge_range(range_++));
            has_range_ = true;
            cursor_ = 0;
        }
        std::size_t const count = merged_.read(0, UINT64_MAX, cursor_, records_);
        has_range_ = count == records_.size();
        if (count == 0) continue;
        emit(MXK_TRY(layout_.read({records_.data(), count}, std::exchange(given_, given_ + count))));
        return Step::More;
    }
    bool const is_empty =
        std::ranges::all_of(tables_.span(), [](RecordTable const* table) { return table->size() == 0; });
    if (layout_.keys() == 0 && is_empty && share_ == 0) emit(MXK_TRY(layout_.read_none()));
    return Step::Done;
}

} // namespace mxk::query
