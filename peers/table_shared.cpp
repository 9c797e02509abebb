// MXK's shared tables in the peers' own loop: the same calls, one after the other, that the libraries' tables get.
// Cache lines (hashtable/shared/concurrent_lines.hpp) and chains (hashtable/shared/concurrent/concurrent_pairs.hpp). A
// piece of a slice is the body of a task, hence a read section. With prefetching, a key is known 16 operations ahead,
// as a batched look-up knows it.
#include <new>

#include "hashtable/shared/concurrent/concurrent_pairs.hpp"
#include "hashtable/shared/concurrent_lines.hpp"
#include "peers/measured_table.hpp"

namespace mxk::bench {
namespace {

// A table that any core uses in place.
template <typename Table> class InPlace {
  public:
    bool insert(std::uint64_t key, std::uint64_t value) {
        return has_room(table_.insert(key, value)) == Insert::Inserted;
    }
    [[gnu::always_inline]] std::optional<std::uint64_t> find(std::uint64_t key) { return table_.find(key); }
    bool erase(std::uint64_t key) { return table_.erase(key); }
    bool update(std::uint64_t key, std::uint64_t value) { return table_.update(key, value); }
    bool upsert(std::uint64_t key, std::uint64_t value) {
        return has_room(table_.upsert(key, value)) == Insert::Inserted;
    }
    std::optional<std::uint64_t> modify(std::uint64_t key, std::uint64_t addend) {
        return table_.modify(key, [addend](std::uint64_t value) { return value + addend; });
    }

  protected:
    // Of the table, or of what it is made of.
    template <typename Parts>
    explicit InPlace(Result<Parts> parts)
        : table_(value_or_throw(std::move(parts))) {}
    ~InPlace() = default;

    Table table_;

  private:
    static Insert has_room(Insert result) {
        if (result == Insert::Full) throw std::bad_alloc();
        return result;
    }
};

class SharedLines : public InPlace<ConcurrentLines<>> {
  public:
    SharedLines(std::size_t capacity, Cores cores)
        : InPlace(ConcurrentLines<>::create({.keys = capacity}, owners_of(cores))) {}

    std::size_t size() const { return table_.size(); }
};

class PrefetchedLines : public SharedLines {
  public:
    using SharedLines::SharedLines;
    void prefetch(std::uint64_t key) { table_.prefetch(key); }
};

// Pairs for `capacity` keys are made beforehand, as liburcu's nodes are.
class SharedChains : public InPlace<ConcurrentPairs> {
  public:
    SharedChains(concurrent::TableShape const& shape, std::size_t capacity, Cores cores)
        : InPlace(ConcurrentPairs::make(shape, nodes_of(cores), owners_of(cores), share_of(capacity, cores) + 1)) {}

    std::size_t size() {
        table_.settle(); // what is resized meanwhile counts nothing twice, but the next phase shall begin without it
        return table_.size();
    }

  private:
    // Each once.
    static std::vector<NodeId> nodes_of(Cores cores) {
        std::vector<NodeId> nodes;
        for (CoreId const core : cores) {
            NodeId const node = workers::of(core).node();
            if (std::ranges::find(nodes, node) == nodes.end()) nodes.push_back(node);
        }
        return nodes;
    }
};

constexpr Peer mxk_shared = table_peer(
    "mxk-shared", "none", "MXK's shared table of cache lines under RCU, sized for the keys, one call after the other",
    &create_table<SharedLines>);
MXK_REGISTER(mxk_peers, Peer, mxk_shared);
constexpr Peer mxk_shared_prefetch = table_peer(
    "mxk-shared-prefetch", "none", "the same, keys known 16 operations ahead", &create_table<PrefetchedLines>);
MXK_REGISTER(mxk_peers, Peer, mxk_shared_prefetch);
constexpr Peer mxk_shared_growing =
    table_peer("mxk-shared-growing", "none", "mxk-shared from 1024 keys on; who inserts moves its buckets",
               &create_growing<SharedLines, growing_start>);
MXK_REGISTER(mxk_peers, Peer, mxk_shared_growing);
constexpr Peer mxk_shared_chains = table_peer(
    "mxk-shared-chains", "none", "MXK's shared chains under RCU, a head for each key, one call after the other",
    [](std::size_t capacity, Cores cores) {
        return measured<SharedChains>(concurrent::TableShape{.first_heads = capacity}, capacity, cores);
    });
MXK_REGISTER(mxk_peers, Peer, mxk_shared_chains);
constexpr Peer mxk_shared_chains_growing = table_peer(
    "mxk-shared-chains-growing", "none",
    "mxk-shared-chains from 1024 heads on; all cores of the machine split them, between two pieces of a slice",
    [](std::size_t capacity, Cores cores) {
        GrowthMemory const memory(capacity, cores);
        concurrent::TableShape const shape{.first_heads = growing_start, .max_load = 1};
        return measured<SharedChains>(shape, capacity, cores);
    });
MXK_REGISTER(mxk_peers, Peer, mxk_shared_chains_growing);

} // namespace
} // namespace mxk::bench
