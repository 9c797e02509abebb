// Four slots of an open-addressing table that are searched at once, without a branch for each, because where a key
// stands cannot be predicted. With 8-byte keys a group is a cache line.
//
//     | key | key | key | key | value | value | value | value |
//
//     slot    key != 0             taken
//             key 0, value 1       a tombstone
//             key 0, value 0       empty
//
// Keys: any trivially copyable type with ==, of which a value-initialised one (0) is no key.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "base/units.hpp"

namespace mxk {

template <typename Key> class alignas(std::is_same_v<Key, std::uint64_t> ? cache_line_bytes : alignof(Key)) SlotGroup {
    static_assert(std::is_trivially_copyable_v<Key>);

  public:
    static constexpr unsigned slots = 4;

    // Sets of slots have a bit for each.
    [[gnu::always_inline]] [[nodiscard]] unsigned slots_of(Key const& key) const {
        if constexpr (std::is_same_v<Key, std::uint64_t>) {
            return equal_pair(0, key) | equal_pair(2, key) << 2;
        } else {
            unsigned found = 0;
            for (unsigned at = 0; at < slots; ++at) found |= static_cast<unsigned>(keys[at] == key) << at;
            return found;
        }
    }
    // Without a key: empty, or tombstones.
    [[nodiscard]] unsigned blank_slots() const { return slots_of(Key{}); }
    [[nodiscard]] unsigned empty_slots() const {
        unsigned found = blank_slots();
        for (unsigned at = 0; at < slots; ++at) found &= ~(static_cast<unsigned>(values[at] != 0) << at);
        return found;
    }

    // The same for two groups that stand one behind the other, the slots of the second counted on: as one search, since
    // which of the two it is can be predicted no better.
    class PairSlots {
      public:
        explicit PairSlots(unsigned bits)
            : bits_(bits) {}
        [[nodiscard]] bool none() const { return bits_ == 0; }
        // Of some.
        [[nodiscard]] unsigned first() const { return static_cast<unsigned>(std::countr_zero(bits_)) / bits_of_each; }

      private:
        unsigned bits_;
    };
    [[nodiscard]] static PairSlots pair_slots_of(SlotGroup const* pair, Key const& key) {
        if constexpr (std::is_same_v<Key, std::uint64_t>) {
            // A bit for each half of a key: equal are those with both.
            unsigned const halves = equal_halves(pair[0].keys, pair[1].keys, key);
            return PairSlots(halves & halves >> 1 & 0x5555);
        } else {
            return PairSlots(pair[0].slots_of(key) | pair[1].slots_of(key) << slots);
        }
    }
    [[nodiscard]] static PairSlots pair_blank_slots(SlotGroup const* pair) { return pair_slots_of(pair, Key{}); }

    void put(unsigned at, Key const& key, std::uint64_t value) {
        keys[at] = key;
        values[at] = value;
    }

    std::array<Key, slots> keys{};
    std::array<std::uint64_t, slots> values{};

  private:
    static constexpr unsigned bits_of_each = std::is_same_v<Key, std::uint64_t> ? 2 : 1;

    // Two 8-byte keys are equal where both halves of four bytes are: what SSE2 can compare.
    [[nodiscard]] unsigned equal_pair(unsigned first, std::uint64_t key) const {
        using Halves [[gnu::vector_size(16)]] = std::int32_t;
        using Wide [[gnu::vector_size(16)]] = std::uint64_t;
        using Doubles [[gnu::vector_size(16)]] = double;
        Wide const stored = {keys[first], keys[first + 1]};
        Wide const wanted = {key, key};
        Halves const equal = reinterpret_cast<Halves>(stored) == reinterpret_cast<Halves>(wanted);
        Halves const both = equal & __builtin_shufflevector(equal, equal, 1, 0, 3, 2);
        return static_cast<unsigned>(__builtin_ia32_movmskpd(reinterpret_cast<Doubles>(both)));
    }
    // Which halves of these eight keys are equal to the key's: a bit for each, the lower half's first.
    static unsigned equal_halves(std::array<Key, slots> const& first, std::array<Key, slots> const& second, Key key) {
        using Halves [[gnu::vector_size(16)]] = std::int32_t;
        using Wide [[gnu::vector_size(16)]] = std::uint64_t;
        auto const wanted = reinterpret_cast<Halves>(Wide{key, key});
        auto const equal = [wanted](Key const* keys) {
            return reinterpret_cast<Halves>(Wide{keys[0], keys[1]}) == wanted;
        };
        auto const in_first = __builtin_ia32_packssdw128(equal(&first[0]), equal(&first[2]));
        auto const in_second = __builtin_ia32_packssdw128(equal(&second[0]), equal(&second[2]));
        return static_cast<unsigned>(__builtin_ia32_pmovmskb128(__builtin_ia32_packsswb128(in_first, in_second)));
    }
};
static_assert(sizeof(SlotGroup<std::uint64_t>) == cache_line_bytes);

} // namespace mxk
