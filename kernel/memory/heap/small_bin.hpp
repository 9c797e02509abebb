// The small objects of one size of one core (Z. Falt, 2010, 8.1.1), below the magazine of those that were freed last.
// What was freed lately is given out first, since it is likely to be cached, and yet blocks become empty and go back.
// Both by a stack of chains:
//
//   - objects of a block that are freed one after the other are a chain, which is one entry of the stack, however many
//     they are. Given out are those of the newest chain. What a magazine gives back comes in batches, in which objects
//     of a block are one chain in whatever order they stand;
//   - the number of chains is limited, and so is that of blocks that are held up by what the stack has. The oldest one
//     is taken off its bottom, and its objects are what is free of their block;
//   - when the stack is empty, all that is free of a block that is nearly full becomes a chain, or of one that is
//     nearly empty, if there is no other: these are left alone so that they can become empty.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernel/memory/heap/free_list.hpp"
#include "kernel/memory/heap/small_block.hpp"

namespace mxk::heap {

// A moment's figures of a bin.
struct BinUse {
    std::size_t live = 0;            // objects: given out (to the magazine, too), or freed by others and not taken back
    std::size_t blocks = 0;          // that it has
    std::size_t objects = 0;         // that these have room for
    std::uint64_t chains = 0;        // that were made of what was freed
    std::uint64_t chain_objects = 0; // in these
};

// All functions: its core only.
class SmallBin {
  public:
    SmallBin(CoreHeap& heap, std::size_t object_bytes);
    SmallBin(SmallBin const&) = delete;
    SmallBin& operator=(SmallBin const&) = delete;

    // Up to `room.size()` objects, the one that is to be given out first last: how many. None: no memory. Blocks only
    // where a superblock is needed.
    [[nodiscard]] std::size_t take(std::span<void*> room);
    // Up to Magazine::max_batch objects of this bin's blocks, the one that was freed last last. May give blocks back.
    void give_back(std::span<void* const> objects);
    // A list, to its last object, that others have freed: unless it is taken for hot, it does not go onto the stack
    // (8.1.1).
    void take_back(FreeObject* first, FreeObject* last, std::uint32_t length, SmallBlock& block, bool is_hot = false);
    // All that is free leaves the stack, and empty blocks go back.
    void empty_stack();

    [[nodiscard]] BinUse use() const;
    // Whether everything in it fits together; for tests.
    [[nodiscard]] bool is_consistent() const;

  private:
    // An entry of the stack. The chain that was all that is free of its block when it was begun goes on with what else
    // becomes free there.
    class Chain {
      public:
        Chain() = default;
        // `list`: with its length in its first object, or null.
        Chain(FreeObject* list, SmallBlock& block, bool has_rest)
            : list_(list)
            , block_and_rest_(reinterpret_cast<std::uintptr_t>(&block) | (has_rest ? 1 : 0)) {}
        [[nodiscard]] FreeObject* list() const { return list_; }
        [[nodiscard]] SmallBlock& block() const {
            return *reinterpret_cast<SmallBlock*>(block_and_rest_ & ~std::uintptr_t{1});
        }
        [[nodiscard]] bool has_rest() const { return (block_and_rest_ & 1) != 0; }

      private:
        FreeObject* list_ = nullptr;
        std::uintptr_t block_and_rest_ = 0;
    };
    // The newest chain stands apart, with its length.
    struct TopChain {
        FreeObject* list = nullptr;
        SmallBlock* block = nullptr; // null: there is no chain at all
        std::uint32_t length = 0;
        bool has_rest = false;
    };

    [[nodiscard]] bool find_objects(bool may_take_block);
    [[nodiscard]] std::size_t carve(std::span<void*> room);
    void begin_with_rest(SmallBlock& block);
    void push(SmallBlock& block, FreeObject* list, std::uint32_t length);
    void put_top_aside();
    void end_top();
    void drop_beyond_limit();
    void drop_oldest();
    void leave_list(Chain const& chain);
    void purge(SmallBlock& block);
    static void add_to_rest(SmallBlock& block, FreeObject* list);
    static void add_to_rest(SmallBlock& block, FreeObject* first, FreeObject* last, std::uint32_t length);
    void leave_stack(SmallBlock& block);
    void classify(SmallBlock& block);
    void list_as(SmallBlock& block, SmallBlock::State state);
    void unlist(SmallBlock& block);
    [[nodiscard]] SmallBlockList& list_of(SmallBlock::State state);
    [[nodiscard]] SmallBlock* find_block();
    [[nodiscard]] SmallBlock* first_of(SmallBlockList& list, SmallBlock::State state);
    [[nodiscard]] SmallBlock* make_block();
    [[nodiscard]] std::size_t chain_limit() const;
    [[nodiscard]] Chain& entry(std::uint32_t at) const { return ring_[at & ring_mask_]; }

    CoreHeap& heap_;
    TopChain top_;
    Chain* ring_ = nullptr; // those below
    std::uint32_t ring_mask_;
    std::uint32_t max_chains_;
    std::uint32_t oldest_ = 0; // of the ring, counted on for ever; newest_ less that: chains in it
    std::uint32_t newest_ = 0;
    std::uint32_t object_bytes_;
    std::size_t free_ = 0; // objects of its blocks
    std::size_t objects_ = 0;
    std::size_t blocks_ = 0;
    std::uint64_t chains_ = 0;
    std::uint64_t chain_objects_ = 0;
    SmallBlockList nearly_full_;
    SmallBlockList nearly_empty_;
};

} // namespace mxk::heap
