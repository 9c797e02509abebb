// The bound for a table: an array with open addressing for each core, for its own keys only, each place prefetched
// while the operations before it run. Nothing is shared, nothing waits.
#include "bench/peers/node_storage.hpp"
#include "bench/peers/reference/private_parts.hpp"
#include "hashtable/fraction.hpp"

namespace mxk::bench {
namespace {

struct Slot {
    std::uint64_t key; // 0: empty
    std::uint64_t value;
};

// Linear probing; half of the slots stay empty. One core's.
class PrivateArray {
  public:
    PrivateArray(std::size_t core, std::size_t capacity)
        : slots_(zeroed_near<Slot>(core, 2 * capacity + 1)) {}

    bool insert(std::uint64_t key, std::uint64_t value) {
        Slot& slot = place_of(key);
        if (slot.key != 0) return false;
        slot = {key, value};
        ++used_;
        return true;
    }
    std::optional<std::uint64_t> find(std::uint64_t key) {
        Slot const& slot = place_of(key);
        if (slot.key == 0) return std::nullopt;
        return slot.value;
    }
    // Moves what stands behind forward, so that no tombstone is needed: a key must be reachable from its home without
    // an empty slot in between.
    bool erase(std::uint64_t key) {
        Slot& erased = place_of(key);
        if (erased.key == 0) return false;
        auto hole = static_cast<std::size_t>(&erased - slots_.data());
        for (std::size_t at = after(hole); slots_[at].key != 0; at = after(at)) {
            if (distance(home_of(slots_[at].key), at) < distance(hole, at)) continue; // its home is behind the hole
            slots_[hole] = slots_[at];
            hole = at;
        }
        slots_[hole] = {};
        --used_;
        return true;
    }
    void prefetch(std::uint64_t key) { __builtin_prefetch(&slots_[home_of(key)]); }

    [[nodiscard]] std::size_t size() const { return used_; }

  private:
    // The key's slot, or the empty one where it would go.
    Slot& place_of(std::uint64_t key) {
        std::size_t at = home_of(key);
        while (slots_[at].key != key && slots_[at].key != 0) at = after(at);
        return slots_[at];
    }
    [[nodiscard]] std::size_t home_of(std::uint64_t key) const { return high_product(key, slots_.size()); }
    [[nodiscard]] std::size_t after(std::size_t at) const { return at + 1 == slots_.size() ? 0 : at + 1; }
    // Steps forward.
    [[nodiscard]] std::size_t distance(std::size_t from, std::size_t to) const {
        return to >= from ? to - from : to + slots_.size() - from;
    }

    NodeArray<Slot> slots_;
    alignas(cache_line_bytes) std::size_t used_ = 0; // apart from other cores'
};

constexpr Peer reference_prefetch{
    .name = "reference-prefetch",
    .kind = Peer::Kind::Reference,
    .library = "none",
    .setup = "private open addressing per core for its own keys, half full, prefetched 16 operations ahead",
    .create = &create_table<PrivateParts<PrivateArray>>};
MXK_REGISTER(mxk_peers, Peer, reference_prefetch);

} // namespace
} // namespace mxk::bench
