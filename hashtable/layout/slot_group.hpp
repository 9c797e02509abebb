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
    // Whether there is an empty one. Of the slots without a key either all are empty, or all are tombstones: slots
    // become tombstones only in groups that have no empty one.
    [[nodiscard]] bool has_empty_slot() const { return is_any_empty(blank_slots()); }
    [[gnu::always_inline]] [[nodiscard]] bool is_any_empty(unsigned blank) const {
        return blank != 0 && values[static_cast<unsigned>(std::countr_zero(blank))] == 0;
    }

    // The key of this slot goes. True: the slot is empty then, else a tombstone.
    [[gnu::always_inline]] bool clear(unsigned at) {
        // No branch: whether a group is full cannot be predicted.
        unsigned const blank = blank_slots();
        auto const first = static_cast<unsigned>(std::countr_zero(blank | 1U << slots)) % slots;
        bool const has_empty = (static_cast<unsigned>(blank != 0) & static_cast<unsigned>(values[first] == 0)) != 0;
        put(at, Key{}, static_cast<std::uint64_t>(!has_empty));
        return has_empty;
    }
    void put(unsigned at, Key const& key, std::uint64_t value) {
        keys[at] = key;
        values[at] = value;
    }

    std::array<Key, slots> keys{};
    std::array<std::uint64_t, slots> values{};

  private:
    // A bit for each of two keys: by halves of four bytes with SSE2, which the compiler knows.
    [[nodiscard]] unsigned equal_pair(unsigned first, std::uint64_t key) const {
        using Pair [[gnu::vector_size(16)]] = std::uint64_t;
        using Doubles [[gnu::vector_size(16)]] = double;
        auto const equal = Pair{keys[first], keys[first + 1]} == Pair{key, key};
        return static_cast<unsigned>(__builtin_ia32_movmskpd(reinterpret_cast<Doubles>(equal)));
    }
};
static_assert(sizeof(SlotGroup<std::uint64_t>) == cache_line_bytes);

} // namespace mxk
