// The bucket of a bulk table for all other keys and values: up to seven pairs behind a word of tags, seven bits of each
// key's hash, so that a search reads those pairs only that are likely the right ones.
//
//     byte  0                         8                                        64 x lines
//           | 8 tags, 0: empty        | key, value | key, value | ...   | unused |
//
// As many pairs as fill whole cache lines best.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/units.hpp"
#include "hashtable/bulk/table_key.hpp"

namespace mxk {

template <typename Key, typename Value> class alignas(cache_line_bytes) TaggedBucket {
    struct Entry {
        typename TableKey<Key>::Stored key;
        [[no_unique_address]] Value value;
    };
    static constexpr std::size_t first_entry = sizeof(std::uint64_t) > alignof(Entry) ? sizeof(std::uint64_t)
                                                                                      : alignof(Entry);
    static constexpr std::size_t bytes_of(std::size_t count) {
        return align_up(first_entry + count * sizeof(Entry), cache_line_bytes);
    }
    static consteval std::size_t best_places() {
        std::size_t best = 3;
        for (std::size_t count = 3; count <= 7; ++count)
            if (count * bytes_of(best) >= best * bytes_of(count)) best = count;
        return best;
    }

  public:
    using Keys = TableKey<Key>;
    static constexpr std::size_t places = best_places();
    static constexpr std::size_t lines = bytes_of(places) / cache_line_bytes;
    static constexpr bool keeps_zero = true;

    [[nodiscard]] unsigned candidates(std::uint64_t, std::uint64_t hash) const {
        std::uint64_t const differences = tags_ ^ (tag_of(hash) * every_byte);
        // The high bit of each byte that is 0: exact, because the lower ones cannot carry over.
        std::uint64_t const equal = ~(((differences & low_bits) + low_bits) | differences | low_bits);
        return as_places(equal) & all_places;
    }
    [[nodiscard]] bool is(unsigned place, std::uint64_t word, typename Keys::View const& key) const {
        return Keys::equal(entries_[place].key, word, key);
    }
    [[nodiscard]] unsigned free() const { return as_places(~tags_ & high_bits) & all_places; }
    [[nodiscard]] unsigned taken() const { return as_places(tags_ & high_bits) & all_places; }
    [[nodiscard]] void const* line_of(unsigned place) const { return &entries_[place]; }

    [[nodiscard]] Value& value(unsigned place) { return entries_[place].value; }
    [[nodiscard]] Value const& value(unsigned place) const { return entries_[place].value; }
    [[nodiscard]] decltype(auto) view(unsigned place) const { return Keys::view(entries_[place].key); }
    [[nodiscard]] std::uint64_t hash(unsigned place) const {
        return Keys::hash_of(entries_[place].key, static_cast<unsigned>(tags_ >> 8 * place) & 0x7f);
    }

    // False without memory for the key, which a promise excludes.
    bool put(unsigned place, std::uint64_t word, std::uint64_t hash, typename Keys::View const& key, Value const& value,
             typename Keys::Store& store, bool is_promised) {
        if (!Keys::store(entries_[place].key, word, key, store, is_promised)) return false;
        entries_[place].value = value;
        set_tag(place, tag_of(hash));
        return true;
    }
    // What stands at a place of another bucket.
    void take_over(unsigned place, TaggedBucket const& from, unsigned from_place) {
        entries_[place] = from.entries_[from_place];
        set_tag(place, from.tags_ >> 8 * from_place & 0xff);
    }
    void clear(unsigned place) { set_tag(place, 0); }
    // Gives back what of a key stands elsewhere.
    void release(unsigned place, typename Keys::Store& store) { Keys::release(entries_[place].key, store); }

  private:
    static constexpr unsigned all_places = (1U << places) - 1;
    static constexpr std::uint64_t every_byte = 0x0101'0101'0101'0101;
    static constexpr std::uint64_t high_bits = 0x80 * every_byte;
    static constexpr std::uint64_t low_bits = 0x7f * every_byte;

    static std::uint64_t tag_of(std::uint64_t hash) { return (hash & 0x7f) | 0x80; }
    // The high bits of the bytes, side by side: a multiplication brings each to its place in the last byte.
    static unsigned as_places(std::uint64_t high) {
        return static_cast<unsigned>((high >> 7) * 0x0102'0408'1020'4080 >> 56);
    }
    void set_tag(unsigned place, std::uint64_t tag) {
        tags_ = (tags_ & ~(std::uint64_t{0xff} << 8 * place)) | tag << 8 * place;
    }

    std::uint64_t tags_;
    std::array<Entry, places> entries_;
};

} // namespace mxk
