// A block: 64 KiB, aligned to that, of small objects of one size, which belong to one core. What is known of it stands
// apart, at the beginning of the group of eight blocks in which it lies, and not at the same place in each: the first
// lines of all blocks would compete for the same few places of the caches.
//
//     group of 512 KiB:   [ 4 KiB with 8 descriptions | block 0, 60 KiB ] [ block 1 ] ... [ block 7 ]
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/linked_list.hpp"
#include "base/units.hpp"
#include "kernel/memory/heap/free_list.hpp"
#include "kernel/memory/heap/slot_allocator.hpp"

namespace mxk::heap {

class CoreHeap;
class SmallBin;

inline constexpr std::size_t block_bytes = 64 * KiB;

// Which block an address is in.
enum class BlockNumber : std::uintptr_t {};
[[gnu::always_inline]] inline BlockNumber block_number_of(void const* place) {
    return static_cast<BlockNumber>(reinterpret_cast<std::uintptr_t>(place) / block_bytes);
}

struct alignas(cache_line_bytes) SmallBlock {
    enum class State : std::uint8_t {
        Full,        // all of its objects are in use
        NearlyFull,  // no more than half of them are free
        NearlyEmpty, // more than half
        InStack,     // it has a chain in its bin's stack
    };

    // Any core reads it, while an object of the block is in use.
    CoreHeap* owner = nullptr;
    SmallBin* bin = nullptr;
    Superblock* superblock = nullptr;
    std::uint32_t slot = 0;
    std::uint32_t object_bytes = 0;
    std::uint32_t objects = 0;

    // Its owner only. What is free and in none of the stack's chains: lists of objects that came back, and what was
    // never given out, which is not made into a list before it is wanted.
    alignas(cache_line_bytes) FreeObject* rest = nullptr;
    std::byte* never_used = nullptr;
    std::uint32_t rest_objects = 0; // of both
    std::uint32_t chains = 0;       // in the stack that are of this block
    FreeObject* batch = nullptr;    // while objects are given back: those of this block
    std::uint32_t batch_objects = 0;
    std::uint32_t in_stack = 0; // objects in lists of its chains
    State state = State::Full;
    State listed = State::Full; // the list of its bin in which it stands; Full, InStack: none
    ListLinks<SmallBlock> links{};

    static constexpr std::size_t group_bytes = superblock_unit;
    // At the beginning of each group. A block's description has one of 32 places there, by the block's number.
    static constexpr std::size_t descriptions_bytes = 4 * KiB;
    static constexpr std::size_t places = descriptions_bytes / (2 * cache_line_bytes);

    // Of an object's block. Any core.
    [[gnu::always_inline]] static SmallBlock& of(void const* object) {
        auto const address = reinterpret_cast<std::uintptr_t>(object);
        auto* const first = reinterpret_cast<SmallBlock*>(align_down(address, group_bytes));
        return first[address / block_bytes % places];
    }
    [[nodiscard]] Slot its_slot() const { return {superblock, slot}; }
};
static_assert(sizeof(SmallBlock) * SmallBlock::places == SmallBlock::descriptions_bytes);
using SmallBlockList = LinkedList<SmallBlock, &SmallBlock::links>;

} // namespace mxk::heap
