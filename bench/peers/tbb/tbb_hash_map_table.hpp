// oneTBB's concurrent_hash_map: buckets with a reader-writer lock each, nodes with another; grows by doubling. `Memory`
// says where buckets and nodes lie.
#pragma once

#include <oneapi/tbb/concurrent_hash_map.h>
#include <oneapi/tbb/tbb_allocator.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "bench/peers/measured_table.hpp"
#include "bench/peers/table_arena.hpp"

namespace mxk::bench {

using TbbHashMapEntry = std::pair<std::uint64_t const, std::uint64_t>;

// MXK's memory in large pages, ready for `capacity` keys: the fastest that was found.
class TbbArenaMemory {
    static constexpr std::size_t node_bytes = 32; // link, lock, key, value

  public:
    using Allocator = ArenaAllocator<TbbHashMapEntry>;

    TbbArenaMemory(std::size_t capacity, std::size_t cores)
        : arena_(cores, share_of(capacity, cores) * node_bytes) {}
    Allocator allocator() { return Allocator(arena_); }

  private:
    TableArena arena_;
};

// What the map takes if it is told nothing.
class TbbStockMemory {
  public:
    using Allocator = oneapi::tbb::tbb_allocator<TbbHashMapEntry>;

    TbbStockMemory(std::size_t, std::size_t) {}
    static Allocator allocator() { return {}; }
};

template <typename Memory> class TbbHashMapTable {
    // The keys look random already.
    struct KeyItself {
        static std::size_t hash(std::uint64_t key) { return key; }
        static bool equal(std::uint64_t a, std::uint64_t b) { return a == b; }
    };
    using Map = oneapi::tbb::concurrent_hash_map<std::uint64_t, std::uint64_t, KeyItself, typename Memory::Allocator>;

  public:
    // `buckets` from the start.
    TbbHashMapTable(std::size_t buckets, std::size_t capacity, std::size_t cores)
        : memory_(capacity, cores)
        , map_(buckets, memory_.allocator()) {}

    std::size_t size() { return map_.size(); }

    class Session {
      public:
        Session(TbbHashMapTable& table, std::size_t)
            : map_(table.map_) {}

        // Without accessors: no lock outlives the operation.
        bool insert(std::uint64_t key, std::uint64_t value) { return map_.insert(std::pair(key, value)); }
        std::optional<std::uint64_t> find(std::uint64_t key) {
            typename Map::const_accessor found;
            if (!map_.find(found, key)) return std::nullopt;
            return found->second;
        }
        bool erase(std::uint64_t key) { return map_.erase(key); }

      private:
        Map& map_;
    };

  private:
    Memory memory_;
    Map map_;
};

} // namespace mxk::bench
