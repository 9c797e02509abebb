// Applies operations of a bulk call to one region, which is locked for writing. They wait for their lines in a ring, as
// in bulk_find.hpp; those of the same key take effect in the order in which they come: one that goes round once more
// finds what comes behind it, and has the same key, going round behind it, since a full bucket stays full while only
// inserts come. An erase does not go round.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/prefetch.hpp"
#include "hashtable/bulk/bulk_region.hpp"
#include "hashtable/bulk/key_array.hpp"

namespace mxk {

// An operation of a round, put where those of its region are.
struct BulkItem {
    std::uint64_t word; // of the key (table_key.hpp)
    std::uint32_t at;   // in the round
    std::uint32_t result;
};

// `Operation`:
//     static constexpr bool erases, inserts;
//     bool meet(Value& stored, std::size_t at) const;      the key is there: does what is to be done, gives the result
//     Value const& given(std::size_t at) const;            the key is not there: what to insert, if it does; the result
//     is true void prefetch(std::size_t at) const;                 what given() reads
template <typename Key, typename Value, typename Operation> class BulkApply {
    using Region = BulkRegion<Key, Value>;
    using Keys = TableKey<Key>;
    using Bucket = typename Region::Bucket;

  public:
    BulkApply(Region& region, KeyArray<Key> keys, Operation const& operation)
        : region_(region)
        , keys_(keys)
        , operation_(operation) {}

    // The key was promised to the region, if the operation inserts.
    [[gnu::always_inline]] void add(BulkItem& item) {
        if (Region::is_apart(item.word)) [[unlikely]]
            return apply_apart(item);
        if constexpr (Operation::erases) ask_behind(ring_[(at_ + places / 2) % places]);
        for (;; at_ = (at_ + 1) % places) {
            Waiting& waiting = ring_[at_];
            if (waiting.item == nullptr || has_ended(waiting)) {
                begin(waiting, item);
                at_ = (at_ + 1) % places;
                return;
            }
        }
    }
    // All that still wait. Gives how many results were true since it began.
    std::size_t finish() {
        for (std::size_t left = places; left != 0;) {
            left = 0;
            for (std::size_t i = 0; i < places; ++i, at_ = (at_ + 1) % places) {
                if (ring_[at_].item == nullptr) continue;
                if (has_ended(ring_[at_]))
                    ring_[at_].item = nullptr;
                else
                    ++left;
            }
        }
        return true_results_;
    }

  private:
    static constexpr std::size_t places = 64;

    struct Waiting {
        BulkItem* item = nullptr; // null: none
        Bucket* bucket = nullptr;
        bool is_second_turn = false;
    };

    [[gnu::always_inline]] void begin(Waiting& waiting, BulkItem& item) {
        waiting.item = &item;
        waiting.bucket = region_.home(Keys::hash(item.word));
        waiting.is_second_turn = false;
        prefetch_far(waiting.bucket);
        if constexpr (Bucket::lines == 2) prefetch_far(reinterpret_cast<std::byte*>(waiting.bucket) + cache_line_bytes);
        operation_.prefetch(item.at);
        if constexpr (Bucket::keeps_zero) keys_.prefetch(item.at);
    }

    // Half of the way to its turn: an erase from a full bucket looks into the next one for what has passed it.
    [[gnu::always_inline]] void ask_behind(Waiting const& waiting) {
        if (waiting.item != nullptr && waiting.bucket->free() == 0) prefetch_far(region_.next(waiting.bucket));
    }

    [[gnu::always_inline]] bool has_ended(Waiting& waiting) {
        BulkItem& item = *waiting.item;
        typename Region::Probe const probe{item.word, Keys::hash(item.word)};
        if constexpr (Operation::erases) {
            note(item, region_.erase(probe, keys_[item.at]));
            return true;
        } else {
            Bucket& bucket = *waiting.bucket;
            unsigned const candidates = bucket.candidates(probe.word, probe.hash);
            if constexpr (Bucket::lines > 2)
                if (candidates != 0 && !waiting.is_second_turn) {
                    waiting.is_second_turn = true;
                    prefetch_far(bucket.line_of(static_cast<unsigned>(std::countr_zero(candidates))));
                    return false;
                }
            int const place = candidates == 0 ? -1 : Region::place_in(bucket, probe, keys_[item.at]);
            if (place >= 0) {
                region_.note_use(bucket, static_cast<unsigned>(place));
                note(item, operation_.meet(bucket.value(static_cast<unsigned>(place)), item.at));
                return true;
            }
            if (bucket.free() == 0) [[unlikely]] {
                waiting.bucket = region_.next(&bucket);
                waiting.is_second_turn = false;
                prefetch_far(waiting.bucket);
                return false;
            }
            if constexpr (Operation::inserts)
                region_.put_promised(bucket, probe, keys_[item.at], operation_.given(item.at));
            note(item, Operation::inserts);
            return true;
        }
    }

    void apply_apart(BulkItem& item) {
        typename Region::Probe const probe{item.word, Keys::hash(item.word)};
        if constexpr (Operation::erases) {
            note(item, region_.erase(probe, keys_[item.at]));
        } else if (Value* const value = region_.find(probe, keys_[item.at]); value != nullptr) {
            note(item, operation_.meet(*value, item.at));
        } else {
            if constexpr (Operation::inserts) region_.put_apart(operation_.given(item.at));
            note(item, Operation::inserts);
        }
    }

    void note(BulkItem& item, bool result) {
        item.result = result ? 1 : 0;
        true_results_ += item.result;
    }

    Region& region_;
    KeyArray<Key> keys_;
    Operation operation_;
    std::array<Waiting, places> ring_{};
    std::size_t at_ = 0;
    std::size_t true_results_ = 0;
};

} // namespace mxk
