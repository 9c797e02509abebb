// One cache line of four pairs: the unit of a Bucketed table. Of a key only the remainder is stored, 48 bits that tell
// it from all others of its bucket (multiplicative_cut.hpp); this is what makes room for a fourth pair and a link. The
// first half of the line is all that a search reads. One core writes it; others may read it meanwhile, so that every
// store is one of an atomic (pair_bucket.hpp says how they read).
//
//     byte  0                    16             24     32                            64
//           | 4 x low 32 bits    | 4 x high 16  | link | 4 x value                   |
//
// Which of the places are taken is not said by what they hold: it stands in the link (bucketed.hpp).
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/inject.hpp"
#include "base/units.hpp"
#include "hashtable/layout/pair_match.hpp"

namespace mxk {

class alignas(cache_line_bytes) PairLine {
    template <typename Word> static auto load(Word const& word, std::memory_order order) {
        return std::atomic_ref(const_cast<Word&>(word)).load(order);
    }
    template <typename Word, typename Number> static void store(Word& word, Number value, std::memory_order order) {
        std::atomic_ref(word).store(value, order);
    }

  public:
    static constexpr std::size_t places = 4;
    // A set of places: a bit for each.
    static constexpr unsigned all_places = (1U << places) - 1;
    using Value = std::uint64_t;

    // The places that hold the low 48 bits of this hash, taken or not.
    [[nodiscard]] unsigned places_of(std::uint64_t hash) const { return matching_places(low_, high_, hash); }

    [[nodiscard]] std::uint64_t remainder(std::size_t place) const {
        return std::uint64_t{high_[place]} << 32 | low_[place];
    }

    // release, each of them: who sees one of these sees what the owner has written before, which is that the place has
    // lost its last key.
    void put(std::size_t place, std::uint64_t hash, std::uint64_t value) {
        store(low_[place], static_cast<std::uint32_t>(hash), std::memory_order_release);
        store(high_[place], static_cast<std::uint16_t>(hash >> 32), std::memory_order_release);
        inject::point();
        store(values[place], value, std::memory_order_release);
    }
    // What another line has, while nobody reads this one. relaxed: who finds it synchronizes with who has put it there.
    void copy(PairLine const& other) {
        for (std::size_t i = 0; i < places; ++i) {
            store(low_[i], load(other.low_[i], std::memory_order_relaxed), std::memory_order_relaxed);
            store(high_[i], load(other.high_[i], std::memory_order_relaxed), std::memory_order_relaxed);
            store(values[i], load(other.values[i], std::memory_order_relaxed), std::memory_order_relaxed);
        }
        store(link_, load(other.link_, std::memory_order_relaxed), std::memory_order_relaxed);
    }
    [[nodiscard]] std::uint64_t value(std::size_t place, std::memory_order order) const {
        return load(values[place], order);
    }

    [[nodiscard]] std::uint64_t link(std::memory_order order) const { return load(link_, order); }
    // For the owner, which has written it.
    [[nodiscard]] std::uint64_t link() const { return link_; }
    // release: who sees it sees what was put before.
    void set_link(std::uint64_t link) { store(link_, link, std::memory_order_release); }

  private:
    alignas(16) std::array<std::uint32_t, places> low_{};
    std::array<std::uint16_t, places> high_{};
    std::uint64_t link_{0};

  public:
    std::array<Value, places> values{};
};
static_assert(sizeof(PairLine) == cache_line_bytes);

} // namespace mxk
