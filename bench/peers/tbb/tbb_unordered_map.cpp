// oneTBB's concurrent_unordered_map: a split-ordered list without locks (Shalev, Shavit 2006). Its erase is
// unsafe_erase(): nobody else may work on the map meanwhile, so it is not measured.
#include <oneapi/tbb/concurrent_unordered_map.h>

#include <functional>
#include <utility>

#include "bench/peers/measured_table.hpp"
#include "bench/peers/table_arena.hpp"

namespace mxk::bench {
namespace {

class TbbUnorderedMapTable {
    using Hash = std::hash<std::uint64_t>; // of libstdc++: the key itself; the keys look random already
    using Equal = std::equal_to<std::uint64_t>;
    using Allocator = ArenaAllocator<std::pair<std::uint64_t const, std::uint64_t>>;
    using Map = oneapi::tbb::concurrent_unordered_map<std::uint64_t, std::uint64_t, Hash, Equal, Allocator>;
    static constexpr std::size_t node_bytes = 32 + 16; // link, order, key, value; and a bucket's own node, without them

  public:
    TbbUnorderedMapTable(std::size_t capacity, std::size_t cores)
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
            return found->second;
        }

      private:
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
