// References and bounds: what can be had where nothing is shared. Each core has a part of its own, for the keys of its
// own slice.
//
// The references prefetch each place while the operations before it run. The bound, the ring: how fast a core is whose
// table is its own, with nothing between the keys and their cache lines. What is shared, or asked by other cores, has
// more to do for each operation.
#include <emmintrin.h>

#include <new>

#include "base/units.hpp"
#include "hashtable/fraction.hpp"
#include "peers/measured_table.hpp"

namespace mxk::bench {
namespace {

// Part: constructed from the core's index and the keys it must hold; the operations that a table has, or those of a
// PeerTable.
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
    Part& operator[](std::size_t core) { return parts_[core]; }

  private:
    std::vector<Part> parts_; // by place
};

constexpr Peer private_peer(std::string_view name, Peer::Kind kind, std::string_view setup,
                            decltype(Peer::create) create, std::string_view no_repeats = {}) {
    return {.name = name,
            .kind = kind,
            .library = "none",
            .setup = setup,
            .no_repeats = no_repeats,
            .no_shared = has_own_keys,
            .no_common = has_own_keys,
            .create = create};
}

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

constexpr Peer reference_prefetch =
    private_peer("reference-prefetch", Peer::Kind::Reference,
                 "private open addressing per core for its own keys, half full, prefetched 16 operations ahead",
                 &create_table<PrivateParts<PrivateArray>>);
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

constexpr Peer reference_random =
    private_peer("reference-random", Peer::Kind::Reference,
                 "one random 64-byte access per operation to 16 bytes per key, prefetched 16 operations ahead",
                 &create_table<PrivateParts<Lines>>, "it holds no keys, and cannot tell whether one comes again");
MXK_REGISTER(mxk_peers, Peer, reference_random);

// Buckets of four pairs, a cache line each, whose keys are compared at once. Operations wait for their lines in a ring;
// each turn of it takes up one operation that has waited for as many turns as the ring has places. One that finds a
// bucket full asks for the next and goes round once more; so do those that come after it for the same key, behind it,
// since a full bucket never has room again: an erase from it leaves a tombstone. Lines are asked for by a hint for the
// second level: the first has few buffers for lines on their way.
constexpr std::uint64_t no_key = 0;
constexpr std::uint64_t tombstone = ~std::uint64_t{0};

struct alignas(cache_line_bytes) RingBucket {
    std::array<std::uint64_t, 4> keys;
    std::array<std::uint64_t, 4> values;

    // A bit for each place that has this key.
    [[nodiscard]] unsigned places_of(std::uint64_t key) const {
        __m128i const wanted = _mm_set1_epi64x(static_cast<long long>(key));
        auto const* const pairs = reinterpret_cast<__m128i const*>(keys.data());
        __m128 const first = _mm_castsi128_ps(_mm_cmpeq_epi32(_mm_load_si128(pairs), wanted));
        __m128 const second = _mm_castsi128_ps(_mm_cmpeq_epi32(_mm_load_si128(pairs + 1), wanted));
        // SSE2 compares halves of keys: both have to be alike.
        __m128 const low = _mm_shuffle_ps(first, second, _MM_SHUFFLE(2, 0, 2, 0));
        __m128 const high = _mm_shuffle_ps(first, second, _MM_SHUFFLE(3, 1, 3, 1));
        return static_cast<unsigned>(_mm_movemask_ps(_mm_and_ps(low, high)));
    }
};

// One core's.
class BucketRing {
  public:
    BucketRing(CoreId core, std::size_t capacity)
        : buckets_(zeroed_near<RingBucket>(core, capacity / keys_per_bucket + 1)) {}

    // As PeerTable::run(). Operations that still wait for their lines are done by the next call; the one that comes to
    // the slice's end leaves none.
    template <bool timed>
    std::uint64_t run(std::span<Instruction const> slice, std::size_t from, std::size_t to, Histogram* latency) {
        std::uint64_t wrong = 0;
        std::size_t at = at_;
        for (std::size_t next = from; next < to; at = (at + 1) % places) {
            Waiting& waiting = ring_[at];
            if (waiting.bucket == nullptr || has_ended<timed>(waiting, wrong, latency))
                begin<timed>(waiting, slice[next++]);
        }
        at_ = at;
        if (to == slice.size()) wrong += finish<timed>(latency);
        return wrong;
    }

    [[nodiscard]] std::size_t size() const { return size_; }

  private:
    static constexpr std::size_t places = 64;
    static constexpr std::size_t keys_per_bucket = 2; // as many bytes per key as reference-prefetch has

    struct Waiting {
        RingBucket* bucket = nullptr; // null: no operation
        std::uint64_t key = 0;
        Operation operation{};
        bool expected = false;
        OperationStart start{};
    };

    // A hint for the second level, as for reading: PREFETCHT2 (SDM volume 2B).
    static void ask_for(RingBucket const* bucket) { _mm_prefetch(bucket, _MM_HINT_T2); }

    template <bool timed> void begin(Waiting& waiting, Instruction const& instruction) {
        waiting.bucket = &buckets_[high_product(instruction.key * golden_ratio, buckets_.size())];
        waiting.key = instruction.key;
        waiting.operation = instruction.operation;
        waiting.expected = instruction.expected;
        if constexpr (timed) waiting.start = OperationStart::now();
        ask_for(waiting.bucket);
    }

    // Else it waits for the next bucket.
    template <bool timed> bool has_ended(Waiting& waiting, std::uint64_t& wrong, Histogram* latency) {
        RingBucket& bucket = *waiting.bucket;
        unsigned const found = bucket.places_of(waiting.key);
        if (found == 0) {
            unsigned const free = bucket.places_of(no_key);
            if (free == 0) [[unlikely]] {
                waiting.bucket = &bucket + 1 == buckets_.data() + buckets_.size() ? buckets_.data() : &bucket + 1;
                ask_for(waiting.bucket);
                return false;
            }
            if (waiting.operation == Operation::Insert) {
                if (++filled_ == 4 * buckets_.size()) throw std::bad_alloc(); // the last free place ends every search
                auto const place = static_cast<unsigned>(std::countr_zero(free));
                bucket.keys[place] = waiting.key;
                bucket.values[place] = value_of(waiting.key);
                ++size_;
                wrong += waiting.expected ? 0U : 1U;
            } else {
                wrong += waiting.expected ? 1U : 0U;
            }
        } else {
            auto const place = static_cast<unsigned>(std::countr_zero(found));
            bool right = waiting.expected;
            if (waiting.operation == Operation::Insert) {
                right = !waiting.expected;
            } else if (waiting.operation == Operation::Find) {
                right = right && bucket.values[place] == value_of(waiting.key);
            } else {
                bool const was_full = bucket.places_of(no_key) == 0;
                bucket.keys[place] = was_full ? tombstone : no_key;
                filled_ -= was_full ? 0U : 1U;
                --size_;
            }
            wrong += right ? 0U : 1U;
        }
        if constexpr (timed) waiting.start.count_end(*latency);
        return true;
    }

    template <bool timed> std::uint64_t finish(Histogram* latency) {
        std::uint64_t wrong = 0;
        for (std::size_t left = places; left != 0;) {
            left = 0;
            for (std::size_t i = 0; i < places; ++i, at_ = (at_ + 1) % places) {
                Waiting& waiting = ring_[at_];
                if (waiting.bucket == nullptr) continue;
                if (has_ended<timed>(waiting, wrong, latency))
                    waiting.bucket = nullptr;
                else
                    ++left;
            }
        }
        return wrong;
    }

    NodeArray<RingBucket> buckets_;
    alignas(cache_line_bytes) std::array<Waiting, places> ring_{}; // apart from other cores'
    std::size_t at_ = 0;
    std::size_t size_ = 0;
    std::size_t filled_ = 0; // places with a key or a tombstone
};

class BucketRings final : public PeerTable {
  public:
    BucketRings(std::size_t capacity, Cores cores)
        : rings_(capacity, cores) {}
    std::size_t size() override { return rings_.size(); }

  private:
    std::uint64_t run_piece(std::size_t core, std::span<Instruction const> slice, std::size_t from, std::size_t to,
                            Histogram* latency) override {
        return latency == nullptr ? rings_[core].run<false>(slice, from, to, nullptr)
                                  : rings_[core].run<true>(slice, from, to, latency);
    }

    PrivateParts<BucketRing> rings_;
};

constexpr Peer reference_buckets_ring = private_peer(
    "reference-buckets-ring", Peer::Kind::Bound,
    "private buckets of 4 pairs per core for its own keys, half full, 64 operations wait for their lines in a ring",
    [](std::size_t capacity, Cores cores) -> std::unique_ptr<PeerTable> {
        return std::make_unique<BucketRings>(capacity, cores);
    });
MXK_REGISTER(mxk_peers, Peer, reference_buckets_ring);

} // namespace
} // namespace mxk::bench
