// A general-purpose allocator with one lock for all cores: what per-core allocators are compared with. Objects have
// powers of two bytes, each size a list of those that are free, last in, first out; lists are filled from chunks of
// node memory, which are given back together when no object is left. Objects above half a MiB are a chunk each.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <new>

#include "base/spin_lock.hpp"
#include "base/units.hpp"
#include "bench/heap/heap_kind.hpp"
#include "kernel/memory/memory.hpp"
#include "tasks/worker.hpp"

namespace mxk::bench {
namespace {

constexpr std::size_t min_bytes = 16;
constexpr std::size_t max_listed_bytes = 512 * KiB; // in a list
constexpr std::size_t chunk_bytes = 1 * MiB;

struct FreeChunkObject {
    FreeChunkObject* next;
};

// Stands in front of what it is cut into.
struct alignas(cache_line_bytes) Chunk {
    memory::Block block;
    Chunk* next;
};

constexpr std::size_t list_of(std::size_t size) {
    return static_cast<std::size_t>(std::countr_zero(size) - std::countr_zero(min_bytes));
}
constexpr std::size_t size_of(std::size_t bytes) {
    return std::bit_ceil(std::max(bytes, min_bytes));
}

constinit SpinLock the_one_lock{lock_bands::application.rank(45)}; // all below
constinit std::array<FreeChunkObject*, list_of(max_listed_bytes) + 1> lists{};
constinit Chunk* chunks = nullptr;
constinit std::byte* fresh = nullptr; // the part of the newest chunk that was never given out
constinit std::size_t fresh_bytes = 0;
constinit std::uint64_t live = 0; // objects of lists

Chunk* take_chunk(std::size_t bytes) {
    auto const block = memory::allocate(bytes, bytes >= 2 * MiB ? 2 * MiB : 4 * KiB, Worker::current().node());
    if (!block) return nullptr;
    return new (static_cast<void*>(block.value().address)) Chunk{block.value(), nullptr};
}

void* allocate_large(std::size_t bytes) {
    Chunk* const chunk = take_chunk(bytes + sizeof(Chunk));
    return chunk != nullptr ? chunk + 1 : nullptr;
}

// The lock is held.
void* carve(std::size_t size) {
    if (fresh_bytes < size) {
        Chunk* const chunk = take_chunk(chunk_bytes);
        if (chunk == nullptr) return nullptr;
        chunk->next = chunks;
        chunks = chunk;
        fresh = reinterpret_cast<std::byte*>(chunk + 1); // what was left of the one before is lost until the end
        fresh_bytes = chunk_bytes - sizeof(Chunk);
    }
    void* const place = fresh;
    fresh += size;
    fresh_bytes -= size;
    return place;
}

struct LockedHeap {
    // Aligned to 16. Null: no memory. Any core; blocks for the lock, and for a node's.
    [[gnu::noinline]] static void* allocate(std::size_t bytes);
    [[gnu::noinline]] static void deallocate(void* place, std::size_t bytes);
    // All chunks, if no object is live.
    static void give_back();
};

void* LockedHeap::allocate(std::size_t bytes) {
    if (bytes > max_listed_bytes) return allocate_large(bytes);
    std::size_t const size = size_of(bytes);
    LockGuard const guard(the_one_lock);
    FreeChunkObject*& list = lists[list_of(size)];
    void* const place = list != nullptr ? list : carve(size);
    if (place == nullptr) return nullptr;
    if (list != nullptr) list = list->next;
    ++live;
    return place;
}

void LockedHeap::deallocate(void* place, std::size_t bytes) {
    if (bytes > max_listed_bytes) return memory::free((static_cast<Chunk*>(place) - 1)->block);
    LockGuard const guard(the_one_lock);
    FreeChunkObject*& list = lists[list_of(size_of(bytes))];
    list = new (place) FreeChunkObject{list};
    --live;
}

void LockedHeap::give_back() {
    LockGuard const guard(the_one_lock);
    if (live != 0) return;
    lists = {};
    fresh = nullptr;
    fresh_bytes = 0;
    while (chunks != nullptr) {
        Chunk* const chunk = chunks;
        chunks = chunk->next;
        memory::free(memory::Block(chunk->block));
    }
}

constexpr HeapKind locked_heap{.name = "locked",
                               .summary = "one lock, free lists of powers of two",
                               .close = &LockedHeap::give_back,
                               .workloads = heap_workloads<LockedHeap>};
MXK_REGISTER(mxk_heap_kinds, HeapKind, locked_heap);

} // namespace
} // namespace mxk::bench
