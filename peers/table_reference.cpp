// References: what can be had where nothing is shared. Each core has a part of its own, for the keys of its own slice,
// and prefetches each place while the operations before it run. The bound is another such
// loop (bound_ring.cpp).
#include <vector>

#include "hashtable/fraction.hpp"
#include "peers/measured_table.hpp"
#include "peers/table_memory.hpp"

namespace mxk::bench {
namespace {

// Part: constructed from the core's index and the keys it must hold; insert, find, erase, prefetch, size.
template <typename Part> class PrivateParts {
  public:
    PrivateParts(std::size_t capacity, Cores cores) {
        for (CoreId const core : cores) parts_.emplace_back(core, share_of(capacity, cores));
    }

    std::size_t size() {
        std::size_t sum = 0;
        for (Part const& part : parts_) sum += part.size();
        return sum;
    }

    class Session {
      public:
        Session(PrivateParts& table, std::size_t core)
            : part_(table.parts_[core]) {}
        bool insert(std::uint64_t key, std::uint64_t value) { return part_.insert(key, value); }
        std::optional<std::uint64_t> find(std::uint64_t key) { return part_.find(key); }
        bool erase(std::uint64_t key) { return part_.erase(key); }
        void prefetch(std::uint64_t key) { part_.prefetch(key); }

      private:
        Part& part_;
    };

  private:
    std::vector<Part> parts_; // by place
};

struct Slot {
    std::uint64_t key; // 0: empty
    std::uint64_t value;
};

// Linear probing; half of the slots stay empty. One core's.
class PrivateArray {
  public:
    PrivateArray(CoreId core, std::size_t capacity)
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
    .no_shared = has_own_keys,
    .no_common = has_own_keys,
    .create = &create_table<PrivateParts<PrivateArray>>};
MXK_REGISTER(mxk_peers, Peer, reference_prefetch);

struct alignas(cache_line_bytes) Line {
    std::uint64_t place;
    std::uint64_t keys;
};

// One core's lines: an array as large as the keys and values are. One line per operation, at random places. An insert
// adds 1 to what its line counts, a find looks, an erase subtracts 1; every line knows its place, which is checked.
class Lines {
  public:
    Lines(CoreId core, std::size_t capacity)
        : lines_(zeroed_near<Line>(core, capacity * bytes_per_key / sizeof(Line) + 1)) {
        for (std::size_t at = 0; at < lines_.size(); ++at) lines_[at].place = at;
    }

    bool insert(std::uint64_t key, std::uint64_t) {
        std::size_t const place = place_of(key);
        ++lines_[place].keys;
        return lines_[place].place == place;
    }
    std::optional<std::uint64_t> find(std::uint64_t key) {
        std::size_t const place = place_of(key);
        if (lines_[place].place != place || lines_[place].keys == 0) return std::nullopt;
        return value_of(key);
    }
    bool erase(std::uint64_t key) {
        std::size_t const place = place_of(key);
        return lines_[place].place == place && lines_[place].keys-- > 0;
    }
    void prefetch(std::uint64_t key) { __builtin_prefetch(&lines_[place_of(key)]); }

    [[nodiscard]] std::size_t size() const {
        std::size_t sum = 0;
        for (Line const& line : lines_.span()) sum += line.keys;
        return sum;
    }

  private:
    static constexpr std::size_t bytes_per_key = 16; // a key and a value

    [[nodiscard]] std::size_t place_of(std::uint64_t key) const { return high_product(key, lines_.size()); }

    NodeArray<Line> lines_;
};

constexpr Peer reference_random{
    .name = "reference-random",
    .kind = Peer::Kind::Reference,
    .library = "none",
    .setup = "one random 64-byte access per operation to 16 bytes per key, prefetched 16 operations ahead",
    .no_repeats = "it holds no keys, and cannot tell whether one comes again",
    .no_shared = has_own_keys,
    .no_common = has_own_keys,
    .create = &create_table<PrivateParts<Lines>>};
MXK_REGISTER(mxk_peers, Peer, reference_random);

} // namespace
} // namespace mxk::bench
