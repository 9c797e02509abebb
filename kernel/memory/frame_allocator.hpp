// The free memory of one node: extents of whole 4 KiB frames in address order, each headed by a record inside itself,
// so that only headers are ever touched. First fit from the low end: it keeps the high extents whole for the hundreds
// of MiB that tables ask for (Wilson et al., Dynamic Storage Allocation, 1995), and the walk that frees is the walk
// that joins neighbours. No buddy system: it would round 384 MiB up to 512. The price is a walk over the extents, tens
// of them, under a lock; what is small and frequent belongs into a CorePool. Promises no zeroed memory.
#pragma once

#include <cstddef>
#include <span>

#include "base/spin_lock.hpp"
#include "base/units.hpp"
#include "kernel/sync/adaptive/dynamic_lock.hpp"

namespace mxk {

// Every function: any core, blocks only for the lock, never from an interrupt handler. Aligned, so that the
// allocators of two nodes share no cache line.
class alignas(cache_line_bytes) FrameAllocator {
  public:
    static constexpr std::size_t frame_bytes = 4 * KiB;
    static constexpr std::size_t max_alignment = 1 * GiB;

    constexpr FrameAllocator() = default;
    FrameAllocator(FrameAllocator const&) = delete;
    FrameAllocator& operator=(FrameAllocator const&) = delete;

    // Takes the whole frames inside `memory`, which must be mapped and writable, for good. Panics if part of it is
    // free here already.
    void add(std::span<std::byte> memory);

    // `bytes`, rounded up to whole frames (no less than one), aligned to `alignment`: a power of two up to 1 GiB, less
    // than a frame counts as a frame. nullptr when no extent is large enough.
    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment);

    // What allocate() gave, with the same `bytes`. Part of a block may be given back too, if it is whole frames.
    // Panics when part of it is free already (a double free) or when it is no frame's address.
    void free(void* address, std::size_t bytes);

    [[nodiscard]] std::size_t total_bytes() const;
    [[nodiscard]] std::size_t free_bytes() const;
    [[nodiscard]] std::size_t largest_free_extent() const;

    // While nobody else runs: the caller's core comes without the lock.
    void be_alone() { lock_.disable(); }
    // As before: from now on all take it.
    void let_others_come() { lock_.enable(); }
    // Whether allocations take the lock. Any core.
    [[nodiscard]] bool is_locked_by_all() const { return lock_.is_enabled(); }

  private:
    // Stands at the start of the extent it describes. Extents ascend and never touch: touching ones are one extent.
    struct Extent {
        std::size_t bytes;
        Extent* next;
    };

    [[nodiscard]] void* carve(Extent** link, std::size_t gap, std::size_t bytes);
    [[nodiscard]] bool link_in(std::byte* start, std::size_t bytes);

    mutable DynamicLock<SpinLock, BriefVisit, NoWindow> lock_{lock_bands::memory.rank(16)}; // all below
    Extent* lowest_ = nullptr;
    std::size_t total_bytes_ = 0;
    std::size_t free_bytes_ = 0;
};

} // namespace mxk
