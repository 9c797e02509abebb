// A bulk find by any number of threads: each takes the next piece of the keys, locks all regions for reading, and looks
// them up. A lock costs some nanoseconds, and a piece has more than a hundred keys for each of them.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "hashtable/bulk/bulk_find.hpp"
#include "hashtable/bulk/bulk_region.hpp"
#include "hashtable/bulk/helpers.hpp"
#include "hashtable/bulk/key_array.hpp"

namespace mxk {

template <typename Key, typename Value, bool notes_uses> class TableFind final : public SharedWork {
    using Region = BulkRegion<Key, Value>;
    using Find = BulkFind<Key, Value, notes_uses>;

  public:
    TableFind(std::span<Region> regions, unsigned hash_bits, KeyArray<Key> keys, std::span<Value> values,
              std::span<std::uint64_t> mask)
        : regions_(regions)
        , hash_bits_(hash_bits)
        , keys_(keys)
        , values_(values)
        , mask_(mask)
        , pieces_((keys.size() + Find::piece - 1) / Find::piece) {}

    Turn turn() override {
        // relaxed: who has a piece has it alone
        std::size_t const piece = next_.fetch_add(1, std::memory_order_relaxed);
        if (piece >= pieces_) // acquire: pairs with the end of each piece
            return finished_.load(std::memory_order_acquire) == pieces_ ? Turn::Over : Turn::Waiting;
        std::size_t const from = piece * Find::piece;
        Find find(regions_.data(), hash_bits_);
        for (Region& region : regions_) region.lock().lock_shared();
        std::size_t const found = find.run(keys_, values_, mask_, from, std::min(from + Find::piece, keys_.size()));
        for (Region& region : regions_) region.lock().unlock_shared();
        found_.fetch_add(found, std::memory_order_relaxed);
        finished_.fetch_add(1, std::memory_order_release);
        return Turn::Done;
    }

    // When it is over.
    [[nodiscard]] std::size_t found() const { return found_.load(std::memory_order_relaxed); }

  private:
    std::span<Region> regions_;
    unsigned hash_bits_;
    KeyArray<Key> keys_;
    std::span<Value> values_;
    std::span<std::uint64_t> mask_;
    std::size_t pieces_;
    std::atomic<std::size_t> next_{0};
    std::atomic<std::size_t> finished_{0};
    std::atomic<std::size_t> found_{0};
};

} // namespace mxk
