// The memory of a peer's table: MXK's own (on the cores' nodes, in 2 MiB pages where the machine has them), for tables
// that are written with exceptions; and, for those that take no allocator, the C library's in such pages, too.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <mutex>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/units.hpp"
#include "kernel/memory/memory.hpp"
#include "kernel/memory/node_array.hpp"
#include "kernel/memory/node_vector.hpp"
#include "tasks/workers.hpp"

namespace mxk::bench {

// What there is a result of; what there is not, is thrown.
template <typename T> T value_or_throw(Result<T> result) {
    if (!result) throw std::runtime_error(std::string(result.error().message()));
    return std::move(result).value();
}

// Room for `count` objects near a core, every byte 0. Throws where there is no memory.
template <typename T> NodeArray<T> zeroed_near(CoreId core, std::size_t count) {
    return value_or_throw(NodeArray<T>::create_zeroed(count, workers::of(core).node()));
}

// Memory that is handed out without locks from a supply for each core, as MXK's nodes are made before a run. It is the
// fastest that a table can get, and the same for all. Everything is given back when the arena ends.
class TableArena {
  public:
    // For these cores, with `bytes` ready for each: in pages that the system need not find in the middle of a
    // measurement. Throws std::bad_alloc.
    TableArena(std::span<CoreId const> cores, std::size_t bytes);
    TableArena(TableArena const&) = delete;
    TableArena& operator=(TableArena const&) = delete;
    ~TableArena();

    // For the calling core, aligned to 16 bytes, larger things to cache lines. Throws std::bad_alloc.
    void* allocate(std::size_t bytes);
    // On any of the cores, which may give the memory out again.
    void deallocate(void* place, std::size_t bytes) noexcept;

  private:
    static constexpr std::size_t step = 16;         // between the sizes of small things
    static constexpr std::size_t small_limit = 256; // bytes; nodes are smaller
    static constexpr std::size_t block_bytes = 2 * MiB;
    static constexpr std::size_t large_limit = block_bytes / 16; // from here on, a thing is a block of its own

    struct Free {
        Free* next;
    };
    // One core's; only it touches it.
    struct alignas(cache_line_bytes) Supply {
        std::byte* next = nullptr;
        std::size_t left = 0; // bytes
        std::array<Free*, small_limit / step + 1> free{};
        std::vector<memory::Block> blocks;
    };

    static std::size_t rounded(std::size_t bytes);
    static void refill(Supply& supply, std::size_t bytes, NodeId node);
    void* allocate_large(std::size_t bytes);
    Supply& own_supply();

    std::vector<Supply> supplies_; // by core id; those of other cores stay empty
    std::mutex mutex_;             // of what is below
    std::unordered_map<void*, memory::Block> large_;
};

// For containers.
template <typename T> class ArenaAllocator {
  public:
    using value_type = T;

    // The arena must outlive what is allocated.
    explicit ArenaAllocator(TableArena& arena)
        : arena_(&arena) {}
    template <typename U>
    ArenaAllocator(ArenaAllocator<U> const& other)
        : arena_(other.arena_) {}

    T* allocate(std::size_t count) {
        static_assert(alignof(T) <= 16 || sizeof(T) >= cache_line_bytes, "small things are aligned to 16 bytes");
        static_assert(alignof(T) <= cache_line_bytes);
        if (count > std::numeric_limits<std::size_t>::max() / 2 / sizeof(T)) throw std::bad_array_new_length();
        return static_cast<T*>(arena_->allocate(count * sizeof(T)));
    }
    void deallocate(T* place, std::size_t count) noexcept {
        arena_->deallocate(static_cast<void*>(place), count * sizeof(T));
    }

    template <typename U> bool operator==(ArenaAllocator<U> const& other) const { return arena_ == other.arena_; }

  private:
    template <typename U> friend class ArenaAllocator;
    TableArena* arena_;
};

// Of keys and values; and their hash, where a library takes one: the key itself, since the keys look random already.
using PairAllocator = ArenaAllocator<std::pair<std::uint64_t const, std::uint64_t>>;
using KeyItself = std::hash<std::uint64_t>;

// So many bytes of the C library's memory, touched, for a table that takes no allocator: while this lives, what is
// asked for comes from there, however large it is, and what is given back stays with the program. For memory that other
// threads ask for, too: they have no parts of their own meanwhile. One at a time.
class LibraryMemory {
  public:
    explicit LibraryMemory(std::size_t bytes);
    LibraryMemory(LibraryMemory const&) = delete;
    LibraryMemory& operator=(LibraryMemory const&) = delete;
    ~LibraryMemory(); // gives all of it back
};

} // namespace mxk::bench
