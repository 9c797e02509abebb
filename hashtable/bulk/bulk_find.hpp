// Looks up a piece of a bulk call's keys, all regions being locked for reading. Keys wait for their lines in a ring, as
// in peers/table_bounds.cpp: one that has not all it needs after a turn asks for the next line and goes round
// once more.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "base/prefetch.hpp"
#include "hashtable/bulk/bulk_region.hpp"
#include "hashtable/bulk/key_array.hpp"
#include "hashtable/bulk/result_bits.hpp"

namespace mxk {

// `notes_uses`: of a table with a limit of keys.
template <typename Key, typename Value, bool notes_uses> class BulkFind {
    using Region = BulkRegion<Key, Value>;
    using Keys = TableKey<Key>;
    using Bucket = typename Region::Bucket;

  public:
    static constexpr std::size_t piece = 8192; // keys: a multiple of 64

    // `hash_bits`: the regions' number is 2 to that.
    BulkFind(Region* regions, unsigned hash_bits)
        : regions_(regions)
        , shift_(64 - hash_bits) {}

    // Keys `from` to `to`, up to `piece`, `from` a multiple of 64. Gives how many were found.
    std::size_t run(KeyArray<Key> keys, std::span<Value> values, std::span<std::uint64_t> mask, std::size_t from,
                    std::size_t to) {
        keys_ = keys;
        values_ = values.data();
        from_ = from;
        std::size_t at = 0;
        for (std::size_t next = from; next < to; at = (at + 1) % places) {
            Waiting& waiting = ring_[at];
            if (waiting.bucket == nullptr || has_ended(waiting)) begin(waiting, next++);
        }
        for (std::size_t left = places; left != 0;) {
            left = 0;
            for (std::size_t i = 0; i < places; ++i, at = (at + 1) % places) {
                if (ring_[at].bucket == nullptr) continue;
                if (has_ended(ring_[at]))
                    ring_[at].bucket = nullptr;
                else
                    ++left;
            }
        }
        return results_.write(mask.empty() ? mask : mask.subspan(from / 64), to - from);
    }

  private:
    static constexpr std::size_t places = 64;

    struct Waiting {
        Bucket* bucket = nullptr; // null: no key
        std::uint64_t word = 0;
        std::uint32_t at = 0; // from `from_`
        bool is_second_turn = false;
    };

    Region& region_of(std::uint64_t hash) const { return regions_[hash >> shift_]; }

    [[gnu::always_inline]] void begin(Waiting& waiting, std::size_t at) {
        std::uint64_t const word = Keys::word(keys_[at]);
        waiting.at = static_cast<std::uint32_t>(at - from_);
        if (Region::is_apart(word)) [[unlikely]] {
            waiting.bucket = nullptr;
            return note(waiting.at, region_of(Keys::hash(word)).find({word, Keys::hash(word)}, keys_[at]));
        }
        std::uint64_t const hash = Keys::hash(word);
        waiting.bucket = region_of(hash).home(hash);
        waiting.word = word;
        if constexpr (Bucket::lines > 1) waiting.is_second_turn = false;
        prefetch_far(waiting.bucket);
        if constexpr (Bucket::lines == 2) prefetch_far(reinterpret_cast<std::byte*>(waiting.bucket) + cache_line_bytes);
    }

    [[gnu::always_inline]] bool has_ended(Waiting& waiting) {
        Bucket& bucket = *waiting.bucket;
        std::uint64_t const hash = Keys::hash(waiting.word);
        unsigned const candidates = bucket.candidates(waiting.word, hash);
        if constexpr (Bucket::lines > 2)
            if (candidates != 0 && !waiting.is_second_turn) {
                waiting.is_second_turn = true;
                prefetch_far(bucket.line_of(static_cast<unsigned>(std::countr_zero(candidates))));
                return false;
            }
        int const place =
            candidates == 0 ? -1 : Region::place_in(bucket, {waiting.word, hash}, keys_[from_ + waiting.at]);
        if (place < 0 && bucket.free() == 0) [[unlikely]] {
            waiting.bucket = region_of(hash).next(&bucket);
            waiting.is_second_turn = false;
            prefetch_far(waiting.bucket);
            return false;
        }
        if constexpr (notes_uses)
            if (place >= 0) region_of(hash).note_use(bucket, static_cast<unsigned>(place));
        note(waiting.at, place < 0 ? nullptr : &bucket.value(static_cast<unsigned>(place)));
        return true;
    }

    [[gnu::always_inline]] void note(std::uint32_t at, Value const* value) {
        results_.set(at, value != nullptr);
        if constexpr (!std::is_empty_v<Value>)
            if (value != nullptr) values_[from_ + at] = *value;
    }

    Region* regions_;
    unsigned shift_;
    KeyArray<Key> keys_;
    Value* values_ = nullptr;
    std::size_t from_ = 0;
    std::array<Waiting, places> ring_{};
    ResultBits<piece> results_;
};

} // namespace mxk
