// oneTBB's hash maps.
//
// concurrent_hash_map: buckets with a reader-writer lock each, nodes with another; grows by doubling. With a bucket for
// every key from the start, so that it never grows; from its smallest size on; and with TBB's own allocator, as people
// use it.
//
// concurrent_unordered_map: a split-ordered list without locks (Shalev, Shavit 2006). Its erase is unsafe_erase():
// nobody else may use the map meanwhile, so it is not measured.
#include <oneapi/tbb/concurrent_hash_map.h>
#include <oneapi/tbb/concurrent_unordered_map.h>
#include <oneapi/tbb/tbb_allocator.h>

#include <atomic>
#include <functional>
#include <utility>

#include "peers/measured_table.hpp"
#include "peers/table_memory.hpp"

namespace mxk::bench {
namespace {

using TbbHashMapEntry = std::pair<std::uint64_t const, std::uint64_t>;

// MXK's memory in large pages, ready for `capacity` keys: the fastest that was found.
class TbbArenaMemory {
    static constexpr std::size_t node_bytes = 32; // link, lock, key, value

  public:
    using Allocator = ArenaAllocator<TbbHashMapEntry>;

    TbbArenaMemory(std::size_t capacity, Cores cores)
        : arena_(cores, share_of(capacity, cores) * node_bytes) {}
    Allocator allocator() { return Allocator(arena_); }

  private:
    TableArena arena_;
};

// What the map takes if it is told nothing.
class TbbStockMemory {
  public:
    using Allocator = oneapi::tbb::tbb_allocator<TbbHashMapEntry>;

    TbbStockMemory(std::size_t, Cores) {}
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
    TbbHashMapTable(std::size_t buckets, std::size_t capacity, Cores cores)
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
        bool update(std::uint64_t key, std::uint64_t value) {
            typename Map::accessor found; // holds the node's lock, as a writer
            if (!map_.find(found, key)) return false;
            found->second = value;
            return true;
        }
        bool upsert(std::uint64_t key, std::uint64_t value) {
            typename Map::accessor found;
            bool const is_new = map_.insert(found, key);
            found->second = value;
            return is_new;
        }
        std::optional<std::uint64_t> modify(std::uint64_t key, std::uint64_t addend) {
            typename Map::accessor found;
            if (!map_.find(found, key)) return std::nullopt;
            return std::exchange(found->second, found->second + addend);
        }

      private:
        Map& map_;
    };

  private:
    Memory memory_;
    Map map_;
};

class PreSized : public TbbHashMapTable<TbbArenaMemory> {
  public:
    PreSized(std::size_t capacity, Cores cores)
        : TbbHashMapTable(capacity, capacity, cores) {}
};

constexpr Peer tbb_hash_map{.name = "tbb-hash-map",
                            .library = MXK_PEER_LIBRARY,
                            .setup = "concurrent_hash_map, a bucket per key from the start; hash: the key",
                            .create = &create_table<PreSized>};
MXK_REGISTER(mxk_peers, Peer, tbb_hash_map);

class GrowingTbb : GrowthMemory, public TbbHashMapTable<TbbArenaMemory> {
  public:
    GrowingTbb(std::size_t capacity, Cores cores)
        : GrowthMemory(capacity, cores)
        , TbbHashMapTable(1, capacity, cores) {}
};

constexpr Peer tbb_hash_map_growing{.name = "tbb-hash-map-growing",
                                    .library = MXK_PEER_LIBRARY,
                                    .setup = "concurrent_hash_map, grows while inserting; hash: the key",
                                    .create = &create_table<GrowingTbb>};
MXK_REGISTER(mxk_peers, Peer, tbb_hash_map_growing);

class Stock : public TbbHashMapTable<TbbStockMemory> {
  public:
    Stock(std::size_t capacity, Cores cores)
        : TbbHashMapTable(capacity, capacity, cores) {}
};

constexpr Peer tbb_hash_map_stock{
    .name = "tbb-hash-map-stock",
    .library = MXK_PEER_LIBRARY,
    .setup = "concurrent_hash_map, a bucket per key from the start; memory: its default, tbb_allocator; hash: the key",
    .create = &create_table<Stock>};
MXK_REGISTER(mxk_peers, Peer, tbb_hash_map_stock);

class TbbUnorderedMapTable {
    using Hash = std::hash<std::uint64_t>; // of libstdc++: the key itself; the keys look random already
    using Equal = std::equal_to<std::uint64_t>;
    using Allocator = ArenaAllocator<std::pair<std::uint64_t const, std::uint64_t>>;
    using Map = oneapi::tbb::concurrent_unordered_map<std::uint64_t, std::uint64_t, Hash, Equal, Allocator>;
    static constexpr std::size_t node_bytes = 32 + 16; // link, order, key, value; and a bucket's own node, without them

  public:
    TbbUnorderedMapTable(std::size_t capacity, Cores cores)
        : arena_(cores, share_of(capacity, cores) * node_bytes)
        , map_(capacity, Hash(), Equal(), Allocator(arena_)) {}

    std::size_t size() { return map_.size(); }

    class Session {
      public:
        Session(TbbUnorderedMapTable& table, std::size_t)
            : map_(table.map_) {}

        bool insert(std::uint64_t key, std::uint64_t value) { return map_.emplace(key, value).second; }
        std::optional<std::uint64_t> find(std::uint64_t key) {
            auto const found = map_.find(key);
            if (found == map_.end()) return std::nullopt;
            return value_in(*found).load(std::memory_order_acquire);
        }
        // The map leaves it to its user to keep apart those that write a value: they do so by atomic operations.
        bool update(std::uint64_t key, std::uint64_t value) {
            auto const found = map_.find(key);
            if (found == map_.end()) return false;
            value_in(*found).store(value, std::memory_order_release);
            return true;
        }
        bool upsert(std::uint64_t key, std::uint64_t value) {
            return !update(key, value) && (insert(key, value) || !update(key, value));
        }
        std::optional<std::uint64_t> modify(std::uint64_t key, std::uint64_t addend) {
            auto const found = map_.find(key);
            if (found == map_.end()) return std::nullopt;
            return value_in(*found).fetch_add(addend, std::memory_order_acq_rel);
        }

      private:
        static std::atomic_ref<std::uint64_t> value_in(typename Map::value_type& entry) {
            return std::atomic_ref(entry.second);
        }
        Map& map_;
    };

  private:
    TableArena arena_;
    Map map_;
};

constexpr Peer tbb_unordered_map{.name = "tbb-unordered-map",
                                 .library = MXK_PEER_LIBRARY,
                                 .setup = "concurrent_unordered_map, a bucket per key from the start; hash: the key",
                                 .no_erase =
                                     "its only erase is unsafe_erase, which must not run beside other operations",
                                 .create = &create_table<TbbUnorderedMapTable>};
MXK_REGISTER(mxk_peers, Peer, tbb_unordered_map);

} // namespace
} // namespace mxk::bench
