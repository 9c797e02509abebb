#include "kernel/memory/frame_allocator.hpp"

#include <algorithm>
#include <cstdint>

#include "base/log.hpp"
#include "base/panic.hpp"

namespace mxk {
namespace {

constexpr std::size_t frame_bytes = FrameAllocator::frame_bytes;
static_assert(frame_bytes == 4 * KiB);

// Addresses are compared as numbers: the memory given is many objects, and pointers into different ones have no order.
std::uintptr_t address_of(void const* place) {
    return reinterpret_cast<std::uintptr_t>(place);
}

// Not std::has_single_bit: without a popcnt instruction that is a call into the compiler's library.
bool is_power_of_two(std::size_t value) {
    return value != 0 && (value & (value - 1)) == 0;
}

// Rounded up, no less than one; not by an addition to `bytes`, which may be a huge number.
std::size_t frames_of(std::size_t bytes) {
    return std::max<std::size_t>(bytes / frame_bytes + (bytes % frame_bytes != 0 ? 1 : 0), 1);
}

std::span<std::byte> whole_frames(std::span<std::byte> memory) {
    std::size_t const skipped = align_up(address_of(memory.data()), frame_bytes) - address_of(memory.data());
    if (memory.size() < skipped + frame_bytes) return {};
    return memory.subspan(skipped, align_down(memory.size() - skipped, frame_bytes));
}

// For ranges whose frames have numbers up to `numbers`.
std::size_t whole_table_bytes(std::size_t ranges, std::size_t numbers) {
    return align_up(FrameNumbers::bytes_for(ranges) + ExtentTree::bytes_for(numbers), frame_bytes);
}

} // namespace

std::size_t FrameAllocator::table_bytes(std::size_t bytes) {
    std::size_t table = 0;
    for (std::size_t wanted = frame_bytes; wanted != table;) { // it has numbers for its own frames, too
        table = wanted;
        wanted = whole_table_bytes(1, (bytes + table) / frame_bytes);
    }
    return table;
}

void FrameAllocator::add(std::span<std::byte> memory) {
    std::span<std::byte> const added = whole_frames(memory);
    if (added.empty()) return;

    LockGuard const guard(lock_);
    if (numbers_.overlap(address_of(added.data()), added.size() / frame_bytes))
        panic("memory at {}, {} bytes, was added twice", added.data(), added.size());
    std::size_t const used = total_bytes_ - free_bytes_;
    std::span<std::byte> const table = place_table(added);
    if (table.empty()) {
        log::warn("memory at {}, {} bytes, is not used: there is no room for a table of its frames", added.data(),
                  added.size());
        return;
    }
    move_to(table, added);
    total_bytes_ = used + free_bytes_;
}

// Room for the table of all ranges and of one more, in that one or in what is free; none: no bytes.
std::span<std::byte> FrameAllocator::place_table(std::span<std::byte> added) {
    std::size_t const numbers = numbers_.end() + 1 + added.size() / frame_bytes;
    if (numbers > ExtentTree::max_frames) return {};
    std::size_t const bytes = whole_table_bytes(numbers_.range_count() + 1, table_.empty() ? numbers - 1 : numbers);
    if (bytes <= added.size()) return added.first(bytes);
    std::byte* const place = bytes <= free_bytes_ ? take(bytes / frame_bytes, frame_bytes) : nullptr;
    return {place, place != nullptr ? bytes : 0};
}

// All that is free comes to stand in the new table, and with it the old one's frames, and those added.
void FrameAllocator::move_to(std::span<std::byte> table, std::span<std::byte> added) {
    FrameNumbers const old_numbers = numbers_;
    ExtentTree const old_extents = extents_;
    std::span<std::byte> const old_table = table_;

    numbers_ = FrameNumbers(table.data(), old_numbers, address_of(added.data()), added.size() / frame_bytes);
    extents_ = ExtentTree(table.data() + FrameNumbers::bytes_for(old_numbers.range_count() + 1), numbers_.end());
    table_ = table;
    free_bytes_ = 0;
    for (std::size_t first = old_extents.find(1, 0); first != ExtentTree::none;
         first = old_extents.find(1, first + 1)) {
        auto* const start = reinterpret_cast<std::byte*>(old_numbers.address_of(first));
        make_free({start, old_extents.length(first) * frame_bytes});
    }
    make_free(old_table);
    make_free(table.data() == added.data() ? added.subspan(table.size()) : added);
}

void* FrameAllocator::allocate(std::size_t bytes, std::size_t alignment) {
    expect(is_power_of_two(alignment) && alignment <= max_alignment,
           "the alignment of frames is a power of two up to 1 GiB");
    LockGuard const guard(lock_);
    return take(frames_of(bytes), std::max(alignment, frame_bytes));
}

void FrameAllocator::free(void* address, std::size_t bytes) {
    expect(is_aligned(address_of(address), frame_bytes) && address != nullptr, "what is freed starts at a frame");
    std::size_t const frames = frames_of(bytes);

    LockGuard const guard(lock_);
    std::size_t const used = total_bytes_ - free_bytes_;
    if (frames > used / frame_bytes) {
        panic("{} bytes freed at {}, only {} are in use", std::max(bytes, frames * frame_bytes), address, used);
    }
    std::size_t const number = numbers_.number_of(address_of(address), frames);
    bool const is_of_table = address_of(address) < address_of(table_.data()) + table_.size() &&
                             address_of(table_.data()) < address_of(address) + frames * frame_bytes;
    if (number == FrameNumbers::none || is_of_table) {
        panic("{} bytes freed at {}, which never were this node's to give", frames * frame_bytes, address);
    }
    if (!make_free(number, frames)) {
        panic("double free: part of the {} bytes at {} is free already", frames * frame_bytes, address);
    }
}

bool FrameAllocator::has(void const* address) const {
    return numbers_.number_of(address_of(address), 1) != FrameNumbers::none;
}

std::size_t FrameAllocator::total_bytes() const {
    LockGuard const guard(lock_);
    return total_bytes_;
}

std::size_t FrameAllocator::free_bytes() const {
    LockGuard const guard(lock_);
    return free_bytes_;
}

std::size_t FrameAllocator::largest_free_extent() const {
    LockGuard const guard(lock_);
    return extents_.max_length() * frame_bytes;
}

std::size_t FrameAllocator::lowest_free_bytes() const {
    LockGuard const guard(lock_);
    return lowest_free_bytes_;
}

void FrameAllocator::begin_peak() {
    LockGuard const guard(lock_);
    lowest_free_bytes_ = free_bytes_;
}

// Where so many frames can be cut out of an extent. An extent that is large enough may be too small once it is aligned:
// of the lowest ones some are tried, then the lowest that has room however it lies, and all of them only when there is
// none such.
FrameAllocator::Place FrameAllocator::find(std::size_t frames, std::size_t alignment) const {
    constexpr unsigned max_tries = 16;
    unsigned tries = 0;
    for (std::size_t extent = extents_.find(frames, 0); extent != ExtentTree::none;
         extent = extents_.find(frames, extent + 1)) {
        if (++tries == max_tries) {
            std::size_t const roomy = extents_.find(frames + alignment / frame_bytes - 1, extent);
            if (roomy != ExtentTree::none) extent = roomy;
        }
        std::uintptr_t const start = numbers_.address_of(extent);
        std::size_t const gap = (align_up(start, alignment) - start) / frame_bytes;
        std::size_t const available = extents_.length(extent);
        if (gap <= available && frames <= available - gap) return {extent, gap};
    }
    return {ExtentTree::none, 0};
}

// What is left of the extent before and behind the block stays free:
//
//     | gap | frames given out | rest |
std::byte* FrameAllocator::take(std::size_t frames, std::size_t alignment) {
    auto const [extent, gap] = find(frames, alignment);
    if (extent == ExtentTree::none) return nullptr;
    std::size_t const rest = extents_.length(extent) - gap - frames;
    if (rest > 0) extents_.set(extent + gap + frames, rest);
    extents_.set(extent, gap);
    free_bytes_ -= frames * frame_bytes;
    lowest_free_bytes_ = std::min(lowest_free_bytes_, free_bytes_);
    return reinterpret_cast<std::byte*>(numbers_.address_of(extent + gap));
}

// Joins the frames with the extents they touch. False, and nothing is changed, if part of them is free already.
bool FrameAllocator::make_free(std::size_t number, std::size_t frames) {
    std::size_t const before = extents_.find_before(number);
    std::size_t const behind = extents_.find(1, number);
    std::size_t const end_before = before != ExtentTree::none ? before + extents_.length(before) : 0;
    if (before != ExtentTree::none && end_before > number) return false;
    if (behind != ExtentTree::none && behind < number + frames) return false;

    free_bytes_ += frames * frame_bytes;
    std::size_t first = number;
    std::size_t end = number + frames;
    if (before != ExtentTree::none && end_before == number) first = before;
    bool const joins_behind = behind == end;
    if (joins_behind) end += extents_.length(behind);
    extents_.set(first, end - first);
    if (joins_behind) extents_.set(behind, 0);
    return true;
}

void FrameAllocator::make_free(std::span<std::byte> frames) {
    if (frames.empty()) return;
    std::size_t const count = frames.size() / frame_bytes;
    bool const is_new = make_free(numbers_.number_of(address_of(frames.data()), count), count);
    expect(is_new, "no frame becomes free twice");
}

} // namespace mxk
