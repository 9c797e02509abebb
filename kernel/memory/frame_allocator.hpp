// The free memory of one node: extents of whole 4 KiB frames, the lowest one that is large enough first. It keeps the
// high extents whole for the hundreds of MiB that tables ask for (Wilson et al., Dynamic Storage Allocation, 1995). No
// buddy system: it would round 384 MiB up to 512. What is free stands in a table of the node's own memory
// (extent_tree.hpp), 0.11 % of it; free memory itself is neither read nor written. To take and to give back a block
// takes logarithmic time, to whatever number of extents the memory is cut up. Promises no zeroed memory.
#pragma once

#include <cstddef>
#include <span>

#include "base/spin_lock.hpp"
#include "base/units.hpp"
#include "kernel/memory/extent_tree.hpp"
#include "kernel/memory/frame_numbers.hpp"
#include "kernel/sync/adaptive/dynamic_lock.hpp"

namespace mxk {

// Every function: any core, blocks only for the lock, never from an interrupt handler. Aligned, so that the
// allocators of two nodes share no cache line.
class alignas(cache_line_bytes) FrameAllocator {
  public:
    static constexpr std::size_t frame_bytes = FrameNumbers::frame_bytes;
    static constexpr std::size_t max_alignment = 1 * GiB;
    // Of one range: 8 TiB, less two frames.
    static constexpr std::size_t max_bytes = (ExtentTree::max_frames - 1) * frame_bytes;

    constexpr FrameAllocator() = default;
    FrameAllocator(FrameAllocator const&) = delete;
    FrameAllocator& operator=(FrameAllocator const&) = delete;

    // Takes the whole frames inside `memory`, which must be mapped and writable, for good. The table grows with it: a
    // new one takes the first frames of `memory`, or free ones where these are too few, and the frames of the old one
    // become free. Time in proportion to the extents. Panics if part of it is here already. A WARN if there is no room
    // for the table: the memory is not used then.
    void add(std::span<std::byte> memory);
    // What the table takes in front of so many bytes, if one range is all that is added.
    [[nodiscard]] static std::size_t table_bytes(std::size_t bytes);

    // `bytes`, rounded up to whole frames (no less than one), aligned to `alignment`: a power of two up to 1 GiB, less
    // than a frame counts as a frame. nullptr when no extent is large enough.
    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment);

    // What allocate() gave, with the same `bytes`. Part of a block may be given back too, if it is whole frames.
    // Panics when part of it is free already (a double free), is no memory that was added, or no frame's address.
    void free(void* address, std::size_t bytes);

    // Whether the address is in what was added. Any core, once all of it was; never blocks.
    [[nodiscard]] bool has(void const* address) const;

    // What there is for allocations: without the table.
    [[nodiscard]] std::size_t total_bytes() const;
    [[nodiscard]] std::size_t free_bytes() const;
    [[nodiscard]] std::size_t largest_free_extent() const;
    // The fewest free bytes since begin_peak(), which counts from now on.
    [[nodiscard]] std::size_t lowest_free_bytes() const;
    void begin_peak();

    // While nobody else runs: the caller's core comes without the lock.
    void be_alone() { lock_.disable(); }
    // As before: from now on all take it.
    void let_others_come() { lock_.enable(); }
    // Whether allocations take the lock. Any core.
    [[nodiscard]] bool is_locked_by_all() const { return lock_.is_enabled(); }

  private:
    struct Place {
        std::size_t extent; // the number of its first frame, or ExtentTree::none
        std::size_t gap;    // frames from there to the block
    };

    [[nodiscard]] std::byte* take(std::size_t frames, std::size_t alignment);
    [[nodiscard]] Place find(std::size_t frames, std::size_t alignment) const;
    [[nodiscard]] bool make_free(std::size_t number, std::size_t frames);
    void make_free(std::span<std::byte> frames);
    void move_to(std::span<std::byte> table, std::span<std::byte> added);
    [[nodiscard]] std::span<std::byte> place_table(std::span<std::byte> added);

    mutable DynamicLock<SpinLock, ShortVisit, NoWindow> lock_{lock_bands::memory.rank(16)}; // all below
    FrameNumbers numbers_;
    ExtentTree extents_;         // of what is free. They never touch: touching ones are one extent
    std::span<std::byte> table_; // where both stand
    std::size_t total_bytes_ = 0;
    std::size_t free_bytes_ = 0;
    std::size_t lowest_free_bytes_ = 0; // since begin_peak()
};

} // namespace mxk
