// The heap of one core: objects of any size, on the core's node, without a lock and without an atomic operation as long
// as what is freed was allocated here (Z. Falt's thesis on the allocator of Bobox, 2010, chapters 7 and 8). The caller
// that frees says how large the object was, so that none carries its size.
//
//   small   up to 16 KiB    for each size class the magazine of those freed last (magazine.hpp), and below it a bin: a
//                           stack of chains over blocks of 64 KiB (small_bin.hpp)
//   medium  up to 510 KiB   a slot of its size class (slot_allocator.hpp), behind a line that says whose it is
//   large                   frames of the node, taken and given back at once
//
// An object that another core frees goes back to its owner. The core that frees it collects such objects, by owner, in
// batches of up to 32, and sends each with one atomic exchange. The owner takes all of them at once: when it has no
// free object of a size left, when others have sent 1 MiB (who passes that, says so by the attention word, so that no
// fast path has to look), and before it sleeps.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/units.hpp"
#include "kernel/memory/heap/magazine.hpp"
#include "kernel/memory/heap/metadata_arena.hpp"
#include "kernel/memory/heap/size_classes.hpp"
#include "kernel/memory/heap/slot_allocator.hpp"
#include "kernel/memory/heap/small_bin.hpp"
#include "kernel/memory/heap/superblock_pool.hpp"

namespace mxk::heap {

// A moment's figures of a core's heap.
struct CoreUse {
    std::size_t live_bytes = 0; // of objects in use, each as large as its bin's, large ones not among them
    std::size_t superblocks = 0;
    std::uint64_t sent = 0;         // objects of others that were sent back to them
    std::uint64_t batches = 0;      // in so many atomic exchanges
    std::uint64_t drains = 0;       // times that what others sent was taken back
    std::size_t parked = 0;         // bytes that others have sent and that were not taken back
    std::size_t max_parked = 0;     // when they were
    std::size_t metadata_bytes = 0; // what the heap needs for itself
};

// What the thesis tried and did not keep (8.1, 8.1.1), for comparison: `bench heap` sets it.
struct HeapVariant {
    // Whether what one core has freed of another goes onto the stack of chains when it comes home, as what the owner
    // frees does.
    bool (*is_hot)(CoreId freed_by, CoreId owner) = [](CoreId, CoreId) { return false; };
    bool purges = false; // a block that becomes empty leaves the stack at once
};

// Every function is for its core only, unless it says otherwise, and not for interrupt handlers.
class alignas(cache_line_bytes) CoreHeap {
  public:
    // `core`: who is told that much was sent back.
    CoreHeap(CoreId core, NodeId node);
    // Of nobody who could be told: its user takes care of that (outside_heap.cpp).
    explicit CoreHeap(NodeId node);
    CoreHeap(CoreHeap const&) = delete;
    CoreHeap& operator=(CoreHeap const&) = delete;

    // `bytes`, aligned to 16, not zeroed; null if no node has the memory. Blocks (for the locks of its node) only where
    // a superblock, or a large object, is taken.
    [[nodiscard, gnu::always_inline]] void* allocate(std::size_t bytes) {
        if (bytes > max_small_bytes) [[unlikely]]
            return allocate_beyond(bytes);
        return allocate_small(small_bin_of(bytes));
    }
    // The same aligned to a power of two. What is aligned to more than a cache line takes whole frames of 4 KiB.
    [[nodiscard, gnu::always_inline]] void* allocate(std::size_t bytes, std::size_t alignment) {
        if (bytes > max_small_bytes || alignment > max_bin_alignment) [[unlikely]]
            return allocate_beyond(bytes, alignment);
        return allocate_small(small_bin_of(bytes, alignment));
    }

    // What any heap's allocate() gave, with the same bytes and alignment. Blocks as allocate().
    [[gnu::always_inline]] void deallocate(void* object, std::size_t bytes) {
        if (bytes > max_small_bytes) [[unlikely]]
            return deallocate_beyond(object, bytes);
        deallocate_small(object, small_bin_of(bytes));
    }
    [[gnu::always_inline]] void deallocate(void* object, std::size_t bytes, std::size_t alignment) {
        if (bytes > max_small_bytes || alignment > max_bin_alignment) [[unlikely]]
            return deallocate_beyond(object, bytes, alignment);
        deallocate_small(object, small_bin_of(bytes, alignment));
    }

    // Sends what was collected for others, and takes back what they have sent: before the core sleeps, or when it is
    // told.
    void settle();
    // Takes back what others have sent: whether there was something.
    bool take_back_returned();
    // What is free is given back to the node, as far as whole superblocks are.
    void trim();

    void set_variant(HeapVariant const& variant) { variant_ = variant; }
    [[nodiscard]] bool purges() const { return variant_.purges; }

    // An object of another heap, by somebody who is no core: at once. Any thread.
    static void send_back(void* object, std::size_t bytes, std::size_t alignment);

    // What one core has in a bin; how many small and medium bins there are: size_classes.hpp.
    [[nodiscard]] SmallBin const& small(std::size_t bin) const { return bins_[bin]; }
    // Objects in its magazine, which the bin counts as live.
    [[nodiscard]] std::size_t ready(std::size_t bin) const { return magazines_[bin].objects(limit_of(bin)).size(); }
    [[nodiscard]] SlotAllocator const& medium(std::size_t bin) const { return medium_[bin]; }
    [[nodiscard]] SlotAllocator const& blocks() const { return blocks_; }
    [[nodiscard]] CoreUse use() const;
    [[nodiscard]] NodeId node() const { return pool_.node(); }

    // What others may have sent back before the owner is told.
    static constexpr std::size_t max_parked_bytes = 1 * MiB;
    // What is collected for another core before it is sent.
    static constexpr std::uint32_t batch_objects = 32;
    static constexpr std::size_t batch_bytes = 32 * KiB;
    // Batches of others that a busy core keeps to send what it frees itself.
    static constexpr std::size_t max_spent = 8;

    // Its core's: what graphs of boxes have taken (tasks/dataflow/graph/graph_memory.hpp).
    std::int64_t taken_by_graphs = 0;

    // For its bins.
    [[nodiscard]] MetadataArena& arena() { return arena_; }
    [[nodiscard]] Slot take_block();
    void give_back_block(SmallBlock& block) { blocks_.give_back(block.its_slot()); }

  private:
    // In front of a medium object: whose it is. Any core reads it.
    struct alignas(cache_line_bytes) MediumHead {
        CoreHeap* owner;
        SlotAllocator* slots;
        Slot slot;
        static MediumHead& of(void* object) { return *(static_cast<MediumHead*>(object) - 1); }
    };

    // Small objects of one other heap on their way back. The objects themselves are not touched: they are where the
    // owner, or the core that frees them, has written last, and every look at them would wait for that.
    struct RemoteFreeBatch {
        RemoteFreeBatch* next; // that was sent before
        std::uint16_t count;   // objects
        bool is_hot;           // by the sender's HeapVariant
        std::uint32_t bytes;
        std::array<void*, batch_objects> objects;
    };
    // One that is being filled.
    struct Outgoing {
        CoreHeap* owner = nullptr;
        RemoteFreeBatch* batch = nullptr;
    };

    [[gnu::always_inline]] void* allocate_small(std::size_t bin) {
        Magazine& magazine = magazines_[bin];
        void* const newest = magazine.top[-1];
        if (newest == nullptr) [[unlikely]]
            return refill(bin);
        --magazine.top;
        return newest;
    }
    [[gnu::always_inline]] void deallocate_small(void* object, std::size_t bin) {
        SmallBlock& block = SmallBlock::of(object);
        if (block.owner != this) [[unlikely]]
            return collect(object, block);
        Magazine& magazine = magazines_[bin];
        if (magazine.top == magazine.end) [[unlikely]]
            return deallocate_to_full(object, bin);
        *magazine.top++ = object;
    }
    // Of the bin's magazine.
    [[nodiscard]] static std::size_t limit_of(std::size_t bin) {
        return Magazine::limit_for(small_sizes[bin], superblock_bytes());
    }
    [[nodiscard]] void* refill(std::size_t bin);
    void deallocate_to_full(void* object, std::size_t bin);
    void take_back_if_much();
    void give_back_oldest(std::size_t bin, std::size_t count);
    [[nodiscard]] void* allocate_beyond(std::size_t bytes);
    [[nodiscard]] void* allocate_beyond(std::size_t bytes, std::size_t alignment);
    [[nodiscard]] void* allocate_medium(std::size_t bytes);
    [[nodiscard]] void* allocate_large(std::size_t bytes, std::size_t alignment);
    void deallocate_beyond(void* object, std::size_t bytes);
    void deallocate_beyond(void* object, std::size_t bytes, std::size_t alignment);
    void deallocate_medium(void* object);
    static void deallocate_large(void* object, std::size_t bytes);

    void collect(void* object, SmallBlock const& block);
    void send(Outgoing& outgoing);
    // Any core.
    void receive(RemoteFreeBatch& batch);
    static void receive(std::atomic<FreeObject*>& list, void* object);
    void receive_small(void* object, std::size_t bytes);
    void receive_medium(void* object, std::size_t bytes);
    void add_parked(std::size_t bytes);
    static void take_back(RemoteFreeBatch const& batch);
    void take_back_batches();
    void give_back_spent(std::size_t kept);
    [[nodiscard]] RemoteFreeBatch* take_spent();
    void take_back_small();
    void take_back_medium();
    void give_back_cached();
    [[nodiscard]] std::size_t place_of_outgoing() const;

    std::array<Magazine, small_bin_count> magazines_{}; // the fast paths' part

    MetadataArena arena_;
    SuperblockPool& pool_;
    SlotAllocator blocks_;
    std::array<SmallBin, small_bin_count> bins_;
    std::array<SlotAllocator, medium_bin_count> medium_;
    std::array<Outgoing, 8> outgoing_{}; // by the owner's core
    RemoteFreeBatch* spent_ = nullptr;   // empty batches that others have sent
    std::size_t spent_count_ = 0;
    std::uint64_t sent_ = 0;
    std::uint64_t sent_batches_ = 0;
    std::uint64_t drains_ = 0;
    std::size_t max_parked_ = 0;
    HeapVariant variant_{};
    CoreId core_{};
    bool has_core_ = true;

    // Others write these.
    alignas(cache_line_bytes) std::atomic<RemoteFreeBatch*> batches_{nullptr};
    std::atomic<FreeObject*> returned_{nullptr}; // small objects, one by one
    std::atomic<FreeObject*> returned_medium_{nullptr};
    std::atomic<std::size_t> parked_{0};
};

} // namespace mxk::heap
