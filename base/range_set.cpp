#include "base/range_set.hpp"

#include <algorithm>

namespace mxk {

void RangeSet::insert_at(std::size_t position, MemoryRange range) {
    if (count_ == capacity) {
        ++dropped_;
        return;
    }
    std::copy_backward(ranges_.begin() + position, ranges_.begin() + count_, ranges_.begin() + count_ + 1);
    ranges_[position] = range;
    ++count_;
}

void RangeSet::erase_at(std::size_t position) {
    std::copy(ranges_.begin() + position + 1, ranges_.begin() + count_, ranges_.begin() + position);
    --count_;
}

void RangeSet::add(MemoryRange range) {
    range = clamped(range);
    if (range.bytes == 0) return;
    std::size_t position = 0;
    while (position < count_ && ranges_[position].end() < range.start) ++position;
    // Everything from here that touches the new range becomes part of it.
    while (position < count_ && ranges_[position].start <= range.end()) {
        PhysicalAddress const start = std::min(range.start, ranges_[position].start);
        PhysicalAddress const end = std::max(range.end(), ranges_[position].end());
        range = {start, end - start};
        erase_at(position);
    }
    insert_at(position, range);
}

void RangeSet::remove(MemoryRange range) {
    range = clamped(range);
    if (range.bytes == 0) return;
    for (std::size_t i = 0; i < count_;) {
        MemoryRange const whole = ranges_[i];
        if (intersection(whole, range).bytes == 0) {
            ++i;
            continue;
        }
        erase_at(i);
        // The upper part first: if it does not fit any more it is the one that is dropped.
        if (whole.start < range.start) insert_at(i++, {whole.start, range.start - whole.start});
        if (range.end() < whole.end()) insert_at(i++, {range.end(), whole.end() - range.end()});
    }
}

std::optional<PhysicalAddress> RangeSet::take(std::uint64_t bytes, std::uint64_t alignment, PhysicalAddress limit) {
    for (std::size_t i = count_; i-- > 0;) {
        MemoryRange const range = ranges_[i];
        PhysicalAddress const end = std::min(range.end(), limit);
        if (end <= range.start || end - range.start < bytes) continue;
        auto const start = static_cast<PhysicalAddress>(align_down(raw(end) - bytes, alignment));
        if (start < range.start) continue;
        remove({start, bytes});
        return start;
    }
    return std::nullopt;
}

std::uint64_t RangeSet::bytes() const {
    std::uint64_t sum = 0;
    for (MemoryRange const& range : ranges()) sum += range.bytes;
    return sum;
}

} // namespace mxk
