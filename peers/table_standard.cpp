// What anyone would write first (sharded-map): std::unordered_map behind std::mutex, many of them.
#include <functional>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "base/units.hpp"
#include "peers/measured_table.hpp"
#include "peers/table_memory.hpp"

namespace mxk::bench {
namespace {

class ShardedTable {
  public:
    ShardedTable(std::size_t capacity, Cores cores)
        : shards_(cores.size())
        , arena_(cores, share_of(capacity, cores) * node_bytes)
        , parts_(vector_near<Part>(cores.front(), shards_.count())) {
        for (std::size_t i = 0; i < shards_.count(); ++i) parts_.emplace(shards_.max_keys(capacity), arena_);
    }

    std::size_t size() {
        std::size_t sum = 0;
        for (Part const& part : parts_) sum += part.map.size();
        return sum;
    }

    class Session {
      public:
        Session(ShardedTable& table, std::size_t)
            : table_(table) {}

        bool insert(std::uint64_t key, std::uint64_t value) {
            Part& part = table_.part_of(key);
            std::lock_guard const locked(part.mutex);
            return part.map.emplace(key, value).second;
        }
        std::optional<std::uint64_t> find(std::uint64_t key) {
            Part& part = table_.part_of(key);
            std::lock_guard const locked(part.mutex);
            auto const found = part.map.find(key);
            if (found == part.map.end()) return std::nullopt;
            return found->second;
        }
        bool erase(std::uint64_t key) {
            Part& part = table_.part_of(key);
            std::lock_guard const locked(part.mutex);
            return part.map.erase(key) == 1;
        }
        bool update(std::uint64_t key, std::uint64_t value) {
            return overwrite(key, [value](std::uint64_t) { return value; }).has_value();
        }
        bool upsert(std::uint64_t key, std::uint64_t value) {
            Part& part = table_.part_of(key);
            std::lock_guard const locked(part.mutex);
            return part.map.insert_or_assign(key, value).second;
        }
        std::optional<std::uint64_t> modify(std::uint64_t key, std::uint64_t addend) {
            return overwrite(key, [addend](std::uint64_t before) { return before + addend; });
        }

      private:
        template <typename Change> std::optional<std::uint64_t> overwrite(std::uint64_t key, Change change) {
            Part& part = table_.part_of(key);
            std::lock_guard const locked(part.mutex);
            auto const found = part.map.find(key);
            if (found == part.map.end()) return std::nullopt;
            return std::exchange(found->second, change(found->second));
        }
        ShardedTable& table_;
    };

  private:
    using Hash = std::hash<std::uint64_t>; // of libstdc++: the key itself; the keys look random already
    using Equal = std::equal_to<std::uint64_t>;
    using Allocator = ArenaAllocator<std::pair<std::uint64_t const, std::uint64_t>>;

    static constexpr std::size_t node_bytes = 32; // link, key, value, rounded up

    struct alignas(cache_line_bytes) Part {
        Part(std::size_t keys, TableArena& arena)
            : map(keys, Hash(), Equal(), Allocator(arena)) {}

        std::mutex mutex;
        std::unordered_map<std::uint64_t, std::uint64_t, Hash, Equal, Allocator> map;
    };

    Part& part_of(std::uint64_t key) { return parts_[shards_.of(key)]; }

    Shards shards_;
    TableArena arena_;
    NodeVector<Part> parts_;
};

constexpr Peer sharded_map{.name = "sharded-map",
                           .library = MXK_PEER_LIBRARY,
                           .setup = "std::unordered_map behind std::mutex, 64 shards per core, reserved; hash: the key",
                           .create = &create_table<ShardedTable>};
MXK_REGISTER(mxk_peers, Peer, sharded_map);

} // namespace
} // namespace mxk::bench
