// A cache line of four pairs, or of eight keys without values: the bucket of a bulk table whose keys are words and
// whose values take up to 8 bytes. All keys are compared at once. 0 is an empty place, so key 0 stands elsewhere
// (bulk_region.hpp).
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "base/units.hpp"
#include "hashtable/bulk/table_key.hpp"

namespace mxk {

template <typename Key, typename Value> struct alignas(cache_line_bytes) WordBucket {
    using Keys = TableKey<Key>;
    static constexpr bool has_values = !std::is_empty_v<Value>;
    static constexpr std::size_t places = has_values ? 4 : 8;
    static constexpr std::size_t lines = 1;
    static constexpr bool keeps_zero = false;

    // The place of this key, or of several that may be it: a bit for each.
    [[nodiscard]] unsigned candidates(std::uint64_t word, std::uint64_t) const { return places_of(word); }
    // Candidates are certain.
    [[nodiscard]] static bool is(unsigned, std::uint64_t, typename Keys::View const&) { return true; }
    [[nodiscard]] unsigned free() const { return places_of(0); }
    [[nodiscard]] unsigned taken() const { return ~free() & ((1U << places) - 1); }
    [[nodiscard]] void const* line_of(unsigned) const { return this; }

    [[nodiscard]] Value& value(unsigned place) {
        if constexpr (has_values)
            return values_[place];
        else
            return values_;
    }
    [[nodiscard]] Value const& value(unsigned place) const { return const_cast<WordBucket*>(this)->value(place); }
    [[nodiscard]] typename Keys::View view(unsigned place) const { return Keys::view(words_[place]); }
    [[nodiscard]] std::uint64_t hash(unsigned place) const { return Keys::hash(words_[place]); }

    bool put(unsigned place, std::uint64_t word, std::uint64_t, typename Keys::View const&, Value const& value,
             typename Keys::Store&, bool) {
        words_[place] = word;
        this->value(place) = value;
        return true;
    }
    // What stands at a place of another bucket.
    void take_over(unsigned place, WordBucket const& from, unsigned from_place) {
        words_[place] = from.words_[from_place];
        value(place) = from.value(from_place);
    }
    void clear(unsigned place) { words_[place] = 0; }
    static void release(unsigned, typename Keys::Store&) {}

  private:
    // The processor's vectors, SSE2: every x86-64 has them. It compares halves of words: both have to be alike.
    using Halves [[gnu::vector_size(16)]] = std::uint32_t;
    using Signs [[gnu::vector_size(16)]] = float;
    using Pair [[gnu::vector_size(16)]] = std::uint64_t;

    [[nodiscard]] unsigned places_of(std::uint64_t word) const {
        auto const wanted = std::bit_cast<Halves>(Pair{word, word});
        auto const* const pairs = reinterpret_cast<Halves const*>(words_.data());
        unsigned found = 0;
        for (unsigned four = 0; four < places / 4; ++four) {
            auto const first = pairs[2 * four] == wanted;
            auto const second = pairs[2 * four + 1] == wanted;
            auto const low = __builtin_shufflevector(first, second, 0, 2, 4, 6);
            auto const high = __builtin_shufflevector(first, second, 1, 3, 5, 7);
            found |= static_cast<unsigned>(__builtin_ia32_movmskps(std::bit_cast<Signs>(low & high))) << 4 * four;
        }
        return found;
    }

    std::array<std::uint64_t, places> words_;
    [[no_unique_address]] std::conditional_t<has_values, std::array<Value, places>, Value> values_;
};

} // namespace mxk
