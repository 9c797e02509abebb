// libcuckoo's cuckoohash_map: two places of four slots for each key, striped spin locks (Li et al., EuroSys 2014); it
// doubles, behind all its locks, when a key finds no place. With room for a quarter more than there are keys, since a
// full cuckoo table moves keys for long and then grows; and from few slots on.
#include <functional>
#include <libcuckoo/cuckoohash_map.hh>

#include "peers/measured_table.hpp"

namespace mxk::bench {
namespace {

class CuckooTable : public LockedValues<CuckooTable> {
  public:
    // Room for so many keys from the start.
    CuckooTable(std::size_t reserved, Cores cores)
        : arena_(cores, 0)
        , map_(reserved, KeyItself(), std::equal_to<std::uint64_t>(), PairAllocator(arena_)) {}

    std::size_t size() { return map_.size(); }
    bool insert(std::uint64_t key, std::uint64_t value) { return map_.insert(key, value); }
    std::optional<std::uint64_t> find(std::uint64_t key) {
        std::uint64_t value = 0;
        if (!map_.find(key, value)) return std::nullopt;
        return value;
    }
    bool erase(std::uint64_t key) { return map_.erase(key); }
    bool update(std::uint64_t key, std::uint64_t value) { return map_.update(key, value); }
    bool upsert(std::uint64_t key, std::uint64_t value) { return map_.insert_or_assign(key, value); }
    template <typename Change> std::optional<std::uint64_t> change(std::uint64_t key, Change change) {
        std::uint64_t before = 0;
        if (!map_.update_fn(key, [&](std::uint64_t& value) { value = change(before = value); })) return std::nullopt;
        return before;
    }

  private:
    TableArena arena_;
    libcuckoo::cuckoohash_map<std::uint64_t, std::uint64_t, KeyItself, std::equal_to<std::uint64_t>, PairAllocator>
        map_;
};

constexpr Peer cuckoo =
    table_peer("cuckoo", MXK_PEER_LIBRARY, "cuckoohash_map, reserved for 1.25 times the keys; hash: the key",
               [](std::size_t capacity, Cores cores) { return measured<CuckooTable>(capacity + capacity / 4, cores); });
MXK_REGISTER(mxk_peers, Peer, cuckoo);

// The smallest table that has all its locks. In a smaller one, libcuckoo 0.3.1 fails while its locks become more: a
// thread that has stopped with the number of buckets and the locks of two doublings ago is not kept out by the lock
// that it then takes, and sees its number of buckets once more, for a moment, while an array of buckets that has been
// given back is in place of the next (libcuckoo, issue 156).
constexpr std::size_t first_slots = std::size_t{1} << 18;

constexpr Peer cuckoo_growing = table_peer("cuckoo-growing", MXK_PEER_LIBRARY,
                                           "cuckoohash_map, grows from 262144 slots while inserting; hash: the key",
                                           &create_growing<CuckooTable, first_slots>);
MXK_REGISTER(mxk_peers, Peer, cuckoo_growing);

} // namespace
} // namespace mxk::bench
