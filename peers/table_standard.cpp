// What anyone would write first (sharded-map): std::unordered_map behind std::mutex, many of them.
#include <unordered_map>

#include "base/units.hpp"
#include "peers/measured_table.hpp"

namespace mxk::bench {
namespace {

class alignas(cache_line_bytes) MapPart {
  public:
    static constexpr bool locks_readers = true;
    static constexpr std::size_t node_bytes = 32; // link, key, value, rounded up

    MapPart(std::size_t keys, TableArena& arena)
        : map_(keys, KeyItself(), std::equal_to<std::uint64_t>(), PairAllocator(arena)) {}

    void lock() { mutex_.lock(); }
    void unlock() { mutex_.unlock(); }
    [[nodiscard]] std::size_t size() const { return map_.size(); }

    bool insert(std::uint64_t key, std::uint64_t value) { return map_.emplace(key, value).second; }
    std::optional<std::uint64_t> find(std::uint64_t key) {
        auto const found = map_.find(key);
        if (found == map_.end()) return std::nullopt;
        return found->second;
    }
    bool erase(std::uint64_t key) { return map_.erase(key) == 1; }
    bool upsert(std::uint64_t key, std::uint64_t value) { return map_.insert_or_assign(key, value).second; }
    template <typename Change> std::optional<std::uint64_t> change(std::uint64_t key, Change change) {
        auto const found = map_.find(key);
        if (found == map_.end()) return std::nullopt;
        return std::exchange(found->second, change(found->second));
    }

  private:
    std::mutex mutex_;
    std::unordered_map<std::uint64_t, std::uint64_t, KeyItself, std::equal_to<std::uint64_t>, PairAllocator> map_;
};

constexpr Peer sharded_map =
    table_peer("sharded-map", MXK_PEER_LIBRARY,
               "std::unordered_map behind std::mutex, 64 shards per core, reserved; hash: the key",
               [](std::size_t capacity, Cores cores) {
                   return measured<Sharded<MapPart>>(cores, share_of(capacity, cores) * MapPart::node_bytes,
                                                     [=](Shards const& shards) { return shards.max_keys(capacity); });
               });
MXK_REGISTER(mxk_peers, Peer, sharded_map);

} // namespace
} // namespace mxk::bench
