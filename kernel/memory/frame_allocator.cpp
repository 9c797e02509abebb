#include "kernel/memory/frame_allocator.hpp"

#include <algorithm>
#include <cstdint>
#include <new>

#include "base/panic.hpp"

namespace mxk {
namespace {

// Addresses are compared as numbers: the memory given is many objects, and pointers into different ones have no order.
std::uintptr_t address_of(void const* place) {
    return reinterpret_cast<std::uintptr_t>(place);
}

// Not std::has_single_bit: without a popcnt instruction that is a call into the compiler's library.
bool is_power_of_two(std::size_t value) {
    return value != 0 && (value & (value - 1)) == 0;
}

std::size_t whole_frames(std::size_t bytes) {
    return align_up(std::max<std::size_t>(bytes, 1), FrameAllocator::frame_bytes);
}

} // namespace

void FrameAllocator::add(std::span<std::byte> memory) {
    std::size_t const skipped = align_up(address_of(memory.data()), frame_bytes) - address_of(memory.data());
    if (memory.size() < skipped + frame_bytes) return;
    std::byte* const start = memory.data() + skipped;
    std::size_t const bytes = align_down(memory.size() - skipped, frame_bytes);

    LockGuard const guard(lock_);
    if (!link_in(start, bytes)) panic("memory at {}, {} bytes, was added twice", start, bytes);
    total_bytes_ += bytes;
}

void* FrameAllocator::allocate(std::size_t bytes, std::size_t alignment) {
    expect(is_power_of_two(alignment) && alignment <= max_alignment,
           "the alignment of frames is a power of two up to 1 GiB");
    alignment = std::max(alignment, frame_bytes);

    LockGuard const guard(lock_);
    if (bytes > free_bytes_) return nullptr; // first, because rounding up a huge number would overflow
    bytes = whole_frames(bytes);
    for (Extent** link = &lowest_; *link != nullptr; link = &(*link)->next) {
        std::size_t const gap = align_up(address_of(*link), alignment) - address_of(*link);
        std::size_t const available = (*link)->bytes;
        if (gap <= available && bytes <= available - gap) return carve(link, gap, bytes);
    }
    return nullptr;
}

void FrameAllocator::free(void* address, std::size_t bytes) {
    expect(is_aligned(address_of(address), frame_bytes) && address != nullptr, "what is freed starts at a frame");
    bytes = whole_frames(bytes);

    LockGuard const guard(lock_);
    if (bytes > total_bytes_ - free_bytes_) {
        panic("{} bytes freed at {}, only {} are in use", bytes, address, total_bytes_ - free_bytes_);
    }
    if (!link_in(static_cast<std::byte*>(address), bytes)) {
        panic("double free: part of the {} bytes at {} is free already", bytes, address);
    }
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
    std::size_t largest = 0;
    for (Extent const* extent = lowest_; extent != nullptr; extent = extent->next) {
        largest = std::max(largest, extent->bytes);
    }
    return largest;
}

// Cuts `bytes` out of *link, `gap` bytes into it; what is left before and after stays free:
//
//     | gap | bytes given out | rest |
//     ^ the header stays       ^ a new header
void* FrameAllocator::carve(Extent** link, std::size_t gap, std::size_t bytes) {
    Extent* const extent = *link;
    std::byte* const start = reinterpret_cast<std::byte*>(extent) + gap;
    std::size_t const rest = extent->bytes - gap - bytes;
    Extent* const after = rest > 0 ? new (start + bytes) Extent{rest, extent->next} : extent->next;
    if (gap > 0) {
        *extent = {gap, after};
    } else {
        *link = after;
    }
    free_bytes_ -= bytes;
    return start;
}

// Makes [start, start + bytes) free and joins it with the extents it touches. False if part of it is free already.
bool FrameAllocator::link_in(std::byte* start, std::size_t bytes) {
    Extent* before = nullptr;
    Extent* after = lowest_;
    for (; after != nullptr && address_of(after) < address_of(start); after = after->next) before = after;

    std::uintptr_t const end_before = before != nullptr ? address_of(before) + before->bytes : 0;
    std::uintptr_t const start_after = after != nullptr ? address_of(after) : UINTPTR_MAX;
    if (end_before > address_of(start) || address_of(start) + bytes > start_after) return false;

    free_bytes_ += bytes;
    if (address_of(start) + bytes == start_after) {
        bytes += after->bytes;
        after = after->next;
    }
    if (before != nullptr && end_before == address_of(start)) {
        *before = {before->bytes + bytes, after};
    } else {
        (before != nullptr ? before->next : lowest_) = new (start) Extent{bytes, after};
    }
    return true;
}

} // namespace mxk
