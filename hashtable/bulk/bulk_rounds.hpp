// A bulk call that changes a table, by any number of threads. The operations are taken in rounds, so that what they
// need stays in the caches, and each round in two stages, whose parts threads take one after the other:
//
//     prepare    a piece of the round's operations: hashes the keys, puts the operations in the order of their regions,
//                and has the regions promise room; writes the results of the round before to the mask
//     apply      a region's operations, from all pieces, in the order in which they were given
//
// So operations on one key take effect in their order, and each region is locked once in a round. A round that cannot
// be promised has no effect at all.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <utility>

#include "base/inject.hpp"
#include "hashtable/bulk/bulk_apply.hpp"
#include "hashtable/bulk/bulk_region.hpp"
#include "hashtable/bulk/helpers.hpp"
#include "hashtable/bulk/key_array.hpp"
#include "hashtable/bulk/result_bits.hpp"
#include "kernel/memory/node_array.hpp"

namespace mxk {

// The memory of a call's round, for any call of the same table.
struct BulkScratch {
    static constexpr std::size_t piece = 4096;
    static constexpr std::size_t pieces = 16;
    static constexpr std::size_t round = piece * pieces;

    // In memory of its own, which `place` is. Null if there is none.
    static BulkScratch* create(std::size_t regions, NodeId node) {
        auto items = NodeArray<BulkItem>::create(round, node);
        auto ends = NodeArray<std::uint32_t>::create(pieces * regions, node);
        auto bytes = NodeArray<std::uint64_t>::create(pieces * regions, node);
        auto place = memory::allocate(sizeof(BulkScratch), alignof(BulkScratch), node);
        if (!items || !ends || !bytes || !place) {
            if (place) memory::free(place.value());
            return nullptr;
        }
        return new (static_cast<void*>(place.value().address)) BulkScratch{.items = std::move(items).value(),
                                                                           .ends = std::move(ends).value(),
                                                                           .bytes = std::move(bytes).value(),
                                                                           .place = place.value()};
    }

    NodeArray<BulkItem> items;      // piece by piece, in each by region
    NodeArray<std::uint32_t> ends;  // of a piece's items of each region
    NodeArray<std::uint64_t> bytes; // that their keys take outside the buckets, for texts
    memory::Block place;
    BulkScratch* next_free = nullptr; // the pool's
};

template <typename Key, typename Value, typename Operation> class BulkRounds final : public SharedWork {
    using Region = BulkRegion<Key, Value>;
    using Keys = TableKey<Key>;
    static constexpr std::size_t piece = BulkScratch::piece;
    static constexpr std::size_t round = BulkScratch::round;

  public:
    static constexpr std::size_t max_regions = 1024;

    BulkRounds(std::span<Region> regions, unsigned hash_bits, KeyArray<Key> keys, Operation const& operation,
               std::span<std::uint64_t> mask, BulkScratch& scratch)
        : regions_(regions)
        , shift_(64 - hash_bits)
        , keys_(keys)
        , operation_(operation)
        , mask_(mask)
        , scratch_(scratch)
        , rounds_((keys.size() + round - 1) / round)
        , stages_(2 * rounds_ + (mask.empty() ? 0 : 1)) {}

    Turn turn() override {
        // acquire: pairs with the end of the stage before
        std::uint64_t ticket = ticket_.load(std::memory_order_acquire);
        for (;;) {
            std::size_t const stage = ticket >> 32;
            std::size_t const part = ticket & 0xffff'ffff;
            if (stage >= stages_) return Turn::Over;
            if (part >= parts(stage)) return Turn::Waiting;
            inject::point();
            if (!ticket_.compare_exchange_weak(ticket, ticket + 1, std::memory_order_acquire)) continue;
            run(stage, part);
            // acq_rel: the last one passes on what all have done
            if (finished_.fetch_add(1, std::memory_order_acq_rel) + 1 == parts(stage)) end(stage);
            return Turn::Done;
        }
    }

    // When it is over: how many operations took effect, the first ones; and how many of their results were true.
    [[nodiscard]] std::size_t done() const { return std::min(done_rounds_ * round, keys_.size()); }
    [[nodiscard]] std::size_t true_results() const { return true_results_.load(std::memory_order_relaxed); }

  private:
    [[nodiscard]] std::size_t size_of_round(std::size_t number) const {
        return number < rounds_ ? std::min(round, keys_.size() - number * round) : 0;
    }
    static std::size_t pieces_of(std::size_t size) { return (size + piece - 1) / piece; }
    [[nodiscard]] std::size_t parts(std::size_t stage) const {
        if (stage % 2 != 0) return regions_.size();
        std::size_t const before = stage > 0 && !mask_.empty() ? size_of_round(stage / 2 - 1) : 0;
        return pieces_of(std::max(before, size_of_round(stage / 2)));
    }

    void run(std::size_t stage, std::size_t part) {
        std::size_t const number = stage / 2;
        if (stage % 2 != 0) return apply(number, part);
        if (number > 0 && !mask_.empty()) write_results(number - 1, part);
        if (part < pieces_of(size_of_round(number))) prepare(number, part);
    }
    // By the last thread in it.
    void end(std::size_t stage) {
        bool const is_refused = refused_.load(std::memory_order_relaxed); // ordered by `finished_`
        if (is_refused) take_all_back(stage / 2);
        if (stage % 2 != 0) ++done_rounds_;
        finished_.store(0, std::memory_order_relaxed);
        std::uint64_t const next = is_refused ? stages_ : stage + 1;
        ticket_.store(next << 32, std::memory_order_release);
    }

    [[nodiscard]] std::span<std::uint32_t> ends_of(std::size_t part) const {
        return scratch_.ends.span().subspan(part * regions_.size(), regions_.size());
    }
    [[nodiscard]] std::span<std::uint64_t> bytes_of(std::size_t part) const {
        return scratch_.bytes.span().subspan(part * regions_.size(), regions_.size());
    }

    void prepare(std::size_t number, std::size_t part) {
        std::size_t const first = part * piece; // in the round
        std::size_t const count = std::min(piece, size_of_round(number) - first);
        KeyArray<Key> const keys = keys_.part(number * round + first, count);
        std::span<std::uint32_t> const ends = ends_of(part);
        std::span<std::uint64_t> const bytes = bytes_of(part);
        std::array<std::uint64_t, piece> words;   // NOLINT(*-member-init): written below
        std::array<std::uint16_t, piece> regions; // NOLINT(*-member-init)
        std::fill(ends.begin(), ends.end(), 0);
        if constexpr (TextKey<Key>) std::fill(bytes.begin(), bytes.end(), 0);
        for (std::size_t i = 0; i < count; ++i) {
            decltype(auto) key = keys[i];
            words[i] = Keys::word(key);
            regions[i] = static_cast<std::uint16_t>(Keys::hash(words[i]) >> shift_);
            ++ends[regions[i]];
            if constexpr (TextKey<Key>) bytes[regions[i]] += Keys::extra_bytes(key);
        }
        if constexpr (Operation::inserts) promise(part);
        std::uint32_t sum = 0; // what were counts become beginnings, and then ends
        for (std::uint32_t& end : ends) sum += std::exchange(end, sum);
        BulkItem* const items = scratch_.items.data() + first;
        for (std::size_t i = 0; i < count; ++i)
            items[ends[regions[i]]++] = {words[i], static_cast<std::uint32_t>(first + i), 0};
    }

    // Each piece begins at another region, so that regions that have to grow do so at the same time.
    [[nodiscard]] std::size_t nth_region(std::size_t part, std::size_t n) const {
        return (part * regions_.size() / BulkScratch::pieces + n) % regions_.size();
    }
    void promise(std::size_t part) {
        std::span<std::uint32_t> const counts = ends_of(part);
        std::size_t n = 0;
        for (; n < regions_.size(); ++n) {
            std::size_t const at = nth_region(part, n);
            if (counts[at] == 0) continue;
            if (!TextKey<Key> && regions_[at].try_promise(counts[at])) continue;
            ExclusiveHold const hold(regions_[at].lock());
            if (!regions_[at].promise(counts[at], extra(part, at))) break;
        }
        promised_[part] = n;
        if (n != regions_.size()) refused_.store(true, std::memory_order_relaxed);
    }
    [[nodiscard]] std::size_t extra(std::size_t part, std::size_t region) const {
        return TextKey<Key> ? bytes_of(part)[region] : 0;
    }
    void take_all_back(std::size_t number) {
        for (std::size_t part = 0; part < pieces_of(size_of_round(number)); ++part)
            for (std::size_t n = 0; n < promised_[part]; ++n) {
                std::size_t const at = nth_region(part, n);
                ExclusiveHold const hold(regions_[at].lock());
                regions_[at].take_back(items_of(part, at).size(), extra(part, at));
            }
    }

    [[nodiscard]] std::span<BulkItem> items_of(std::size_t part, std::size_t region) const {
        std::span<std::uint32_t> const ends = ends_of(part);
        std::size_t const begin = region > 0 ? ends[region - 1] : 0;
        return {scratch_.items.data() + part * piece + begin, ends[region] - begin};
    }

    void apply(std::size_t number, std::size_t at) {
        Region& region = regions_[at];
        std::size_t const pieces = pieces_of(size_of_round(number));
        std::size_t const first = number * round;
        std::size_t promised = 0;
        std::size_t bytes = 0;
        ExclusiveHold const hold(region.lock());
        BulkApply<Key, Value, Operation> ring(region, keys_.part(first, size_of_round(number)), operation_.from(first));
        for (std::size_t part = 0; part < pieces; ++part) {
            std::span<BulkItem> const items = items_of(part, at);
            for (BulkItem& item : items) ring.add(item);
            promised += items.size();
            bytes += extra(part, at);
        }
        // relaxed: a sum; `finished_` orders it
        true_results_.fetch_add(ring.finish(), std::memory_order_relaxed);
        if constexpr (Operation::inserts) {
            region.take_back(promised, bytes);
            region.evict_surplus();
        }
        if constexpr (Operation::erases) region.give_back();
    }

    void write_results(std::size_t number, std::size_t part) {
        std::size_t const first = part * piece;
        std::size_t const size = size_of_round(number);
        if (first >= size) return;
        std::size_t const count = std::min(piece, size - first);
        ResultBits<piece> results;
        for (BulkItem const& item : scratch_.items.span().subspan(first, count))
            results.set(item.at - first, item.result != 0);
        results.write(mask_.subspan((number * round + first) / 64), count);
    }

    std::span<Region> regions_;
    unsigned shift_;
    KeyArray<Key> keys_;
    Operation operation_;
    std::span<std::uint64_t> mask_;
    BulkScratch& scratch_;
    std::size_t rounds_;
    std::size_t stages_;
    std::size_t done_rounds_ = 0;                             // the last thread of a stage
    std::array<std::size_t, BulkScratch::pieces> promised_{}; // regions that have, by piece
    std::atomic<bool> refused_{false};
    std::atomic<std::size_t> true_results_{0};
    alignas(cache_line_bytes) std::atomic<std::uint64_t> ticket_{0}; // stage, and the next part of it
    alignas(cache_line_bytes) std::atomic<std::size_t> finished_{0}; // parts of the stage
};

} // namespace mxk
