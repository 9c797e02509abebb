#include "kernel/memory/frame_numbers.hpp"

#include <algorithm>
#include <new>

#include "base/units.hpp"

namespace mxk {

std::size_t FrameNumbers::bytes_for(std::size_t ranges) {
    return align_up(ranges * sizeof(Range), cache_line_bytes);
}

FrameNumbers::FrameNumbers(std::byte* memory, FrameNumbers const& others, std::uintptr_t start, std::size_t frames)
    : ranges_(reinterpret_cast<Range*>(memory), 0) {
    bool is_added = false;
    for (Range const& other : others.ranges_) {
        if (!is_added && start < other.start) {
            append(start, frames);
            is_added = true;
        }
        append(other.start, other.frames);
    }
    if (!is_added) append(start, frames);
}

// Behind all others: as one of them if it touches the last.
void FrameNumbers::append(std::uintptr_t start, std::size_t frames) {
    if (!ranges_.empty() && ranges_.back().end() == start) {
        ranges_.back().frames += frames;
        return;
    }
    std::size_t const first = ranges_.empty() ? 0 : end() + 1;
    ranges_ = {ranges_.data(), ranges_.size() + 1};
    new (&ranges_.back()) Range{start, frames, first};
}

std::size_t FrameNumbers::end() const {
    return ranges_.empty() ? 0 : ranges_.back().first + ranges_.back().frames;
}

std::size_t FrameNumbers::number_of(std::uintptr_t address, std::size_t frames) const {
    auto const behind = std::upper_bound(ranges_.begin(), ranges_.end(), address,
                                         [](std::uintptr_t place, Range const& range) { return place < range.start; });
    if (behind == ranges_.begin()) return none;
    Range const& range = *(behind - 1);
    std::size_t const at = (address - range.start) / frame_bytes;
    return at < range.frames && frames <= range.frames - at ? range.first + at : none;
}

std::uintptr_t FrameNumbers::address_of(std::size_t number) const {
    auto const behind = std::upper_bound(ranges_.begin(), ranges_.end(), number,
                                         [](std::size_t place, Range const& range) { return place < range.first; });
    Range const& range = *(behind - 1);
    return range.start + (number - range.first) * frame_bytes;
}

bool FrameNumbers::overlap(std::uintptr_t address, std::size_t frames) const {
    return std::ranges::any_of(ranges_, [=](Range const& range) {
        return address < range.end() && range.start < address + frames * frame_bytes;
    });
}

} // namespace mxk
