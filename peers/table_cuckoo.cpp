// libcuckoo's cuckoohash_map: two places of four slots for each key, striped spin locks (Li et al., EuroSys 2014); it
// doubles, behind all its locks, when a key finds no place. With room for a quarter more than there are keys, since a
// full cuckoo table moves keys for long and then grows; and from few slots on.
#include <functional>
#include <libcuckoo/cuckoohash_map.hh>
#include <utility>

#include "peers/measured_table.hpp"
#include "peers/table_memory.hpp"

namespace mxk::bench {
namespace {

class CuckooTable {
    using Hash = std::hash<std::uint64_t>; // of libstdc++: the key itself; the keys look random already
    using Equal = std::equal_to<std::uint64_t>;
    using Allocator = ArenaAllocator<std::pair<std::uint64_t const, std::uint64_t>>;
    using Map = libcuckoo::cuckoohash_map<std::uint64_t, std::uint64_t, Hash, Equal, Allocator>;

  public:
    // Room for so many keys from the start.
    CuckooTable(std::size_t reserved, Cores cores)
        : arena_(cores, 0)
        , map_(reserved, Hash(), Equal(), Allocator(arena_)) {}

    std::size_t size() { return map_.size(); }

    class Session {
      public:
        Session(CuckooTable& table, std::size_t)
            : map_(table.map_) {}

        bool insert(std::uint64_t key, std::uint64_t value) { return map_.insert(key, value); }
        std::optional<std::uint64_t> find(std::uint64_t key) {
            std::uint64_t value = 0;
            if (!map_.find(key, value)) return std::nullopt;
            return value;
        }
        bool erase(std::uint64_t key) { return map_.erase(key); }
        bool update(std::uint64_t key, std::uint64_t value) { return map_.update(key, value); }
        bool upsert(std::uint64_t key, std::uint64_t value) { return map_.insert_or_assign(key, value); }
        std::optional<std::uint64_t> modify(std::uint64_t key, std::uint64_t addend) {
            std::uint64_t before = 0;
            auto const add = [&](std::uint64_t& value) { value = (before = value) + addend; };
            if (!map_.update_fn(key, add)) return std::nullopt;
            return before;
        }

      private:
        Map& map_;
    };

  private:
    TableArena arena_;
    Map map_;
};

class Reserved : public CuckooTable {
  public:
    Reserved(std::size_t capacity, Cores cores)
        : CuckooTable(capacity + capacity / 4, cores) {}
};

constexpr Peer cuckoo{.name = "cuckoo",
                      .library = MXK_PEER_LIBRARY,
                      .setup = "cuckoohash_map, reserved for 1.25 times the keys; hash: the key",
                      .create = &create_table<Reserved>};
MXK_REGISTER(mxk_peers, Peer, cuckoo);

class GrowingCuckoo : GrowthMemory, public CuckooTable {
    // The smallest table that has all its locks. In a smaller one, libcuckoo 0.3.1 fails while its locks become more: a
    // thread that has stopped with the number of buckets and the locks of two doublings ago is not kept out by the lock
    // that it then takes, and sees its number of buckets once more, for a moment, while an array of buckets that has
    // been given back is in place of the next (libcuckoo, issue 156).
    static constexpr std::size_t first_slots = std::size_t{1} << 18;

  public:
    GrowingCuckoo(std::size_t capacity, Cores cores)
        : GrowthMemory(capacity, cores)
        , CuckooTable(first_slots, cores) {}
};

constexpr Peer cuckoo_growing{.name = "cuckoo-growing",
                              .library = MXK_PEER_LIBRARY,
                              .setup = "cuckoohash_map, grows from 262144 slots while inserting; hash: the key",
                              .create = &create_table<GrowingCuckoo>};
MXK_REGISTER(mxk_peers, Peer, cuckoo_growing);

} // namespace
} // namespace mxk::bench
