// oneTBB's hash maps.
//
// concurrent_hash_map: buckets with a reader-writer lock each, nodes with another; grows by doubling. With a bucket for
// every key from the start, so that it never grows; from its smallest size on; and with TBB's own allocator, as people
// use it. Else its nodes lie in MXK's memory in large pages, ready for all keys: the fastest that was found.
//
// concurrent_unordered_map: a split-ordered list without locks (Shalev, Shavit 2006). Its erase is unsafe_erase():
// nobody else may use the map meanwhile, so it is not measured.
#include <oneapi/tbb/concurrent_hash_map.h>
#include <oneapi/tbb/concurrent_unordered_map.h>
#include <oneapi/tbb/tbb_allocator.h>

#include <functional>

#include "peers/measured_table.hpp"

namespace mxk::bench {
namespace {

// Nodes for so many keys.
std::unique_ptr<TableArena> arena_for(std::size_t capacity, Cores cores, std::size_t node_bytes) {
    return std::make_unique<TableArena>(cores, share_of(capacity, cores) * node_bytes);
}

template <typename Allocator> class TbbHashMap : public LockedValues<TbbHashMap<Allocator>> {
    // The keys look random already.
    struct Compare {
        static std::size_t hash(std::uint64_t key) { return key; }
        static bool equal(std::uint64_t a, std::uint64_t b) { return a == b; }
    };
    using Map = oneapi::tbb::concurrent_hash_map<std::uint64_t, std::uint64_t, Compare, Allocator>;

  public:
    static constexpr std::size_t node_bytes = 32; // link, lock, key, value

    // `buckets` from the start. The arena is the allocator's, if that needs one.
    explicit TbbHashMap(std::size_t buckets, std::unique_ptr<TableArena> arena = nullptr)
        : arena_(std::move(arena))
        , map_(buckets, allocator()) {}

    std::size_t size() { return map_.size(); }
    // Without accessors: no lock outlives the operation.
    bool insert(std::uint64_t key, std::uint64_t value) { return map_.insert(std::pair(key, value)); }
    std::optional<std::uint64_t> find(std::uint64_t key) {
        typename Map::const_accessor found;
        if (!map_.find(found, key)) return std::nullopt;
        return found->second;
    }
    bool erase(std::uint64_t key) { return map_.erase(key); }
    bool upsert(std::uint64_t key, std::uint64_t value) {
        typename Map::accessor found;
        bool const is_new = map_.insert(found, key);
        found->second = value;
        return is_new;
    }
    template <typename Change> std::optional<std::uint64_t> change(std::uint64_t key, Change change) {
        typename Map::accessor found; // holds the node's lock, as a writer
        if (!map_.find(found, key)) return std::nullopt;
        return std::exchange(found->second, change(found->second));
    }

  private:
    Allocator allocator() {
        if constexpr (std::is_constructible_v<Allocator, TableArena&>)
            return Allocator(*arena_);
        else
            return {};
    }

    std::unique_ptr<TableArena> arena_;
    Map map_;
};
using ArenaHashMap = TbbHashMap<PairAllocator>;
using StockHashMap = TbbHashMap<oneapi::tbb::tbb_allocator<PairAllocator::value_type>>;

constexpr Peer tbb_hash_map =
    table_peer("tbb-hash-map", MXK_PEER_LIBRARY, "concurrent_hash_map, a bucket per key from the start; hash: the key",
               [](std::size_t capacity, Cores cores) {
                   return measured<ArenaHashMap>(capacity, arena_for(capacity, cores, ArenaHashMap::node_bytes));
               });
MXK_REGISTER(mxk_peers, Peer, tbb_hash_map);

constexpr Peer tbb_hash_map_growing =
    table_peer("tbb-hash-map-growing", MXK_PEER_LIBRARY, "concurrent_hash_map, grows while inserting; hash: the key",
               [](std::size_t capacity, Cores cores) {
                   GrowthMemory const memory(capacity, cores);
                   return measured<ArenaHashMap>(1U, arena_for(capacity, cores, ArenaHashMap::node_bytes));
               });
MXK_REGISTER(mxk_peers, Peer, tbb_hash_map_growing);

constexpr Peer tbb_hash_map_stock = table_peer(
    "tbb-hash-map-stock", MXK_PEER_LIBRARY,
    "concurrent_hash_map, a bucket per key from the start; memory: its default, tbb_allocator; hash: the key",
    [](std::size_t capacity, Cores) { return measured<StockHashMap>(capacity); });
MXK_REGISTER(mxk_peers, Peer, tbb_hash_map_stock);

// It leaves it to its user to keep apart those that write a value.
class TbbUnorderedMap : public AtomicValues<TbbUnorderedMap> {
  public:
    static constexpr std::size_t node_bytes = 32 + 16; // link, order, key, value; and a bucket's own node, without them

    TbbUnorderedMap(std::size_t capacity, Cores cores)
        : arena_(arena_for(capacity, cores, node_bytes))
        , map_(capacity, KeyItself(), std::equal_to<std::uint64_t>(), PairAllocator(*arena_)) {}

    std::size_t size() { return map_.size(); }
    bool insert(std::uint64_t key, std::uint64_t value) { return map_.emplace(key, value).second; }
    std::uint64_t* word_of(std::uint64_t key) {
        auto const found = map_.find(key);
        return found == map_.end() ? nullptr : &found->second;
    }

  private:
    std::unique_ptr<TableArena> arena_;
    oneapi::tbb::concurrent_unordered_map<std::uint64_t, std::uint64_t, KeyItself, std::equal_to<std::uint64_t>,
                                          PairAllocator>
        map_;
};

constexpr Peer tbb_unordered_map{.name = "tbb-unordered-map",
                                 .library = MXK_PEER_LIBRARY,
                                 .setup = "concurrent_unordered_map, a bucket per key from the start; hash: the key",
                                 .no_erase =
                                     "its only erase is unsafe_erase, which must not run beside other operations",
                                 .create = &create_table<TbbUnorderedMap>};
MXK_REGISTER(mxk_peers, Peer, tbb_unordered_map);

} // namespace
} // namespace mxk::bench
