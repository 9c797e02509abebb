// One region of a bulk table: all keys whose hashes begin with the same bits. Buckets in the order of their keys'
// hashes; a key that finds its bucket full stands in the next one with room (linear probing by buckets), and no bucket
// between the two has any. Grows by doubling, in one pass over both arrays, since the order stays. The caller that
// operates on it holds its lock, for reading or writing.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>

#include "base/prefetch.hpp"
#include "base/units.hpp"
#include "base/units_for.hpp"
#include "hashtable/bulk/promised_room.hpp"
#include "hashtable/bulk/region_lock.hpp"
#include "hashtable/bulk/table_key.hpp"
#include "hashtable/bulk/tagged_bucket.hpp"
#include "hashtable/bulk/use_marks.hpp"
#include "hashtable/bulk/word_bucket.hpp"
#include "hashtable/fraction.hpp"
#include "hashtable/insert.hpp"
#include "kernel/memory/node_array.hpp"

namespace mxk {

template <typename Key, typename Value> class alignas(cache_line_bytes) BulkRegion {
  public:
    using Keys = TableKey<Key>;
    using View = typename Keys::View;
    using Bucket = std::conditional_t<WordKey<Key> && sizeof(Value) <= sizeof(std::uint64_t), WordBucket<Key, Value>,
                                      TaggedBucket<Key, Value>>;

    // A key with what is computed from it.
    struct Probe {
        std::uint64_t word;
        std::uint64_t hash;
    };

    // `hash_bits`: how many leading bits of hashes are the region's number.
    BulkRegion(NodeId node, unsigned hash_bits)
        : hash_bits_(hash_bits)
        , node_(node)
        , store_(node) {}
    BulkRegion(BulkRegion const&) = delete;
    BulkRegion& operator=(BulkRegion const&) = delete;

    RegionLock& lock() { return lock_; }

    // Any thread, without the lock: a bucket that is only asked for may be one of an array that is gone.
    void prefetch(std::uint64_t hash) const {
        prefetch_far(buckets_.load(std::memory_order_relaxed) +
                     high_product(hash << hash_bits_, count_.load(std::memory_order_relaxed)));
    }

    // All below: a holder of the lock, for writing if it is not const.

    [[nodiscard]] std::size_t size() const { return room_.size(); }

    [[nodiscard]] Bucket* home(std::uint64_t hash) const { return buckets() + home_index(hash, count()); }
    [[nodiscard]] Bucket* next(Bucket* bucket) const {
        return bucket + 1 == buckets() + count() ? buckets() : bucket + 1;
    }
    // Whether a key of this word stands outside the buckets.
    static bool is_apart(std::uint64_t word) { return !Bucket::keeps_zero && word == 0; }

    // The value, or null. `bucket`: the key's home, or where a search has got to.
    [[nodiscard]] Value* find(Probe const& probe, View const& key) {
        if (is_apart(probe.word)) return has_zero_ ? &zero_value() : nullptr;
        Bucket* bucket = home(probe.hash);
        for (;;) {
            int const place = place_in(*bucket, probe, key);
            if (place >= 0) {
                note_use(*bucket, static_cast<unsigned>(place));
                return &bucket->value(static_cast<unsigned>(place));
            }
            if (bucket->free() != 0) return nullptr;
            bucket = next(bucket);
        }
    }
    // The place in this bucket, or a negative number.
    [[nodiscard]] static int place_in(Bucket const& bucket, Probe const& probe, View const& key) {
        for (unsigned left = bucket.candidates(probe.word, probe.hash); left != 0; left &= left - 1) {
            auto const place = static_cast<unsigned>(std::countr_zero(left));
            if (bucket.is(place, probe.word, key)) return static_cast<int>(place);
        }
        return -1;
    }

    // Makes sure that so many keys more, with so many bytes outside the buckets, fit besides what was promised before.
    // False without memory. Blocks for the allocator's lock.
    bool promise(std::size_t keys, std::size_t bytes) {
        room_.promise(keys);
        if (make_room(0) && store_.promise(bytes)) return true;
        room_.take_back(keys);
        return false;
    }
    // The same without the lock, of keys that take nothing outside: any thread. False: the lock is needed.
    bool try_promise(std::size_t keys) { return room_.try_promise(keys); }
    void take_back(std::size_t keys, std::size_t bytes) {
        room_.take_back(keys);
        store_.take_back(bytes);
    }

    // A key that is not there, and was promised. `bucket`: of its way the first with room.
    void put_promised(Bucket& bucket, Probe const& probe, View const& key, Value const& value) {
        auto const place = static_cast<unsigned>(std::countr_zero(bucket.free()));
        bucket.put(place, probe.word, probe.hash, key, value, store_, true);
        begin_unused(bucket, place);
        room_.add_key();
    }
    // The one that stands apart.
    void put_apart(Value const& value) {
        has_zero_ = true;
        std::memcpy(static_cast<void*>(zero_), &value, sizeof value);
        room_.add_key();
    }
    // A key that is not there; with a limit another one may go. False without memory.
    bool put(Probe const& probe, View const& key, Value const& value) {
        if (!is_apart(probe.word) && !make_room(1)) return false;
        if (has_limit()) evict_until(max_keys_ - 1);
        if (is_apart(probe.word)) {
            put_apart(value);
            return true;
        }
        Bucket* bucket = home(probe.hash);
        while (bucket->free() == 0) bucket = next(bucket);
        auto const place = static_cast<unsigned>(std::countr_zero(bucket->free()));
        if (!bucket->put(place, probe.word, probe.hash, key, value, store_, false)) return false;
        begin_unused(*bucket, place);
        room_.add_key();
        return true;
    }

    // False if the key is not there.
    bool erase(Probe const& probe, View const& key) {
        if (is_apart(probe.word)) {
            if (has_zero_) room_.remove_key();
            return std::exchange(has_zero_, false);
        }
        for (Bucket* bucket = home(probe.hash);; bucket = next(bucket)) {
            int const place = place_in(*bucket, probe, key);
            if (place >= 0) {
                remove(*bucket, static_cast<unsigned>(place));
                return true;
            }
            if (bucket->free() != 0) return false;
        }
    }

    // Whether keys go when there are too many.
    [[nodiscard]] bool has_limit() const { return max_keys_ != 0; }
    // Of such a table: a key that was used stays longer. Any holder of the lock.
    void note_use(Bucket const& bucket, unsigned place) {
        if (has_limit()) [[unlikely]]
            marks_.set(static_cast<std::size_t>(&bucket - buckets()), place);
    }
    // After promised keys were put: others go until there are not too many. Those without a mark (use_marks.hpp), among
    // them what was just put and not used yet; the one that stands apart is the last.
    void evict_surplus() {
        if (has_limit()) evict_until(max_keys_);
    }
    [[nodiscard]] std::size_t evicted() const { return evicted_; }

    // All keys at once; gives how many. Their memory goes back, less what was promised and what the region began with.
    // May block for the allocator's lock, as the next two.
    std::size_t clear() {
        std::size_t const erased = size();
        room_.remove_all();
        has_zero_ = false;
        store_.clear();
        fit(1, [this](std::size_t buckets) { return replace(buckets).has_value(); });
        clear_buckets(0, count());
        return erased;
    }
    // As few buckets as the keys need, but no fewer than it began with. Without memory it stays as it is.
    void shrink() { shrink_to(1); }
    // The same after erases, where so few keys are left that many more may come until it grows.
    void give_back() {
        if (room_.wanted() < room_.limit() / 8) shrink_to(2);
    }
    // Memory that it has.
    [[nodiscard]] std::size_t bytes() const {
        return memory_.size() * sizeof(Bucket) + marks_.bytes() + store_.bytes();
    }
    // For how many keys they have places.
    [[nodiscard]] std::size_t places() const { return count() * Bucket::places; }

    // visit(key, value) for every pair.
    template <typename Visit> void for_each(Visit visit) {
        if (has_zero_) visit(Keys::view(typename Keys::Stored{}), static_cast<Value const&>(zero_value()));
        for (std::size_t i = 0; i < count(); ++i) {
            Bucket const& bucket = buckets()[i];
            for (unsigned left = bucket.taken(); left != 0; left &= left - 1) {
                auto const place = static_cast<unsigned>(std::countr_zero(left));
                visit(bucket.view(place), bucket.value(place));
            }
        }
    }

    // Before anything else: the first buckets, half full with so many keys; `max_keys`: of more, some go; 0: none does.
    // False without memory.
    bool reserve(std::size_t keys, std::size_t max_keys = 0) {
        constexpr std::size_t frame = 4 * KiB;
        if (keys > std::numeric_limits<std::size_t>::max() / 2) return false;
        max_keys_ = max_keys;
        first_count_ = std::max(units_for(2 * keys, Bucket::places), frame / sizeof(Bucket));
        return rebuild(first_count_);
    }

  private:
    // How full the buckets may be: an eighth more than half with those of a line, where a full one costs another line,
    // but for those with eight places, of which fewer are full. One that cannot grow is filled further; some room is
    // left, at which every search ends.
    static constexpr std::size_t soft_limit(std::size_t buckets) {
        return buckets * Bucket::places / 8 * (Bucket::lines == 1 && Bucket::places < 8 ? 5 : 6);
    }
    static constexpr std::size_t hard_limit(std::size_t buckets) { return buckets * Bucket::places / 16 * 15; }

    [[nodiscard]] Bucket* buckets() const { return buckets_.load(std::memory_order_relaxed); }
    [[nodiscard]] std::size_t count() const { return count_.load(std::memory_order_relaxed); }
    [[nodiscard]] std::size_t home_index(std::uint64_t hash, std::size_t count) const {
        return high_product(hash << hash_bits_, count);
    }
    Value& zero_value() { return *reinterpret_cast<Value*>(zero_); }

    bool make_room(std::size_t keys) {
        std::size_t const wanted = room_.wanted() + keys;
        if (wanted <= room_.limit()) [[likely]]
            return true;
        return grow(wanted) || wanted <= hard_limit(count());
    }
    // Twice as many buckets, or as many times that as it takes.
    [[gnu::noinline]] bool grow(std::size_t wanted) {
        std::size_t buckets = 2 * count();
        while (soft_limit(buckets) < wanted) buckets *= 2;
        return rebuild(buckets);
    }
    // How many there are, halved as long as so many times the keys fit.
    [[nodiscard]] std::size_t fitting(std::size_t times) const {
        std::size_t buckets = count();
        std::size_t const keys = times * room_.wanted();
        while (buckets / 2 >= first_count_ && soft_limit(buckets / 2) >= keys) buckets /= 2;
        return buckets;
    }
    // By replace(buckets), which may fail; meanwhile nothing is promised that does not fit afterwards.
    template <typename Replace> void fit(std::size_t times, Replace replace_by) {
        room_.close();
        std::size_t const buckets = fitting(times);
        if (buckets == count() || !replace_by(buckets)) room_.open(soft_limit(count()));
    }
    [[gnu::noinline]] void shrink_to(std::size_t times) {
        fit(times, [this](std::size_t buckets) { return rebuild(buckets); });
    }
    // By others, which hold anything. The old ones; none without memory.
    std::optional<NodeArray<Bucket>> replace(std::size_t buckets) {
        auto made = NodeArray<Bucket>::create(buckets, node_);
        if (!made) return std::nullopt;
        if (has_limit()) {
            auto marks = UseMarks::create(buckets, node_);
            if (!marks) return std::nullopt;
            marks_ = std::move(marks).value();
        }
        NodeArray<Bucket> old = std::exchange(memory_, std::move(made).value());
        buckets_.store(memory_.data(), std::memory_order_relaxed);
        count_.store(buckets, std::memory_order_relaxed);
        room_.open(soft_limit(buckets));
        return old;
    }
    bool rebuild(std::size_t buckets) {
        auto const old = replace(buckets);
        if (!old) return false;
        std::size_t cleared = 0;
        for (Bucket const& bucket : old->span()) move_out(bucket, cleared);
        clear_buckets(cleared, buckets);
        return true;
    }
    // The new buckets are cleared right before the first key comes to them, when they are in the cache anyway.
    void move_out(Bucket const& from, std::size_t& cleared) {
        for (unsigned left = from.taken(); left != 0; left &= left - 1) {
            auto const place = static_cast<unsigned>(std::countr_zero(left));
            Bucket* to = home(from.hash(place));
            for (;; to = next(to)) {
                auto const at = static_cast<std::size_t>(to - buckets());
                if (at >= cleared) [[unlikely]] {
                    std::size_t const end = std::min(at + 4 * KiB / sizeof(Bucket), count());
                    clear_buckets(std::exchange(cleared, end), end);
                }
                if (to->free() != 0) break;
            }
            to->take_over(static_cast<unsigned>(std::countr_zero(to->free())), from, place);
        }
    }
    void clear_buckets(std::size_t begin, std::size_t end) {
        std::memset(static_cast<void*>(buckets() + begin), 0, (end - begin) * sizeof(Bucket));
    }

    void remove(Bucket& bucket, unsigned place) {
        bucket.release(place, store_);
        bool const was_full = bucket.free() == 0;
        bucket.clear(place);
        room_.remove_key();
        if (was_full) fill(&bucket, place);
    }
    // A bucket that was full has room now, so no key may stand behind it that has passed it: the first such one moves
    // there, and leaves the same question where it stood.
    void fill(Bucket* hole, unsigned hole_place) {
        for (Bucket* behind = next(hole);; behind = next(behind)) {
            bool const is_full = behind->free() == 0;
            int const place = one_that_passed(*hole, *behind);
            if (place >= 0) {
                hole->take_over(hole_place, *behind, static_cast<unsigned>(place));
                note_use(*hole, hole_place); // not the next one to go
                behind->clear(static_cast<unsigned>(place));
                hole = behind;
                hole_place = static_cast<unsigned>(place);
            }
            if (!is_full) return;
        }
    }
    // A place of a key in `behind` that `hole` is on the way to, or a negative number.
    int one_that_passed(Bucket const& hole, Bucket const& behind) const {
        std::size_t const way = distance(&hole, &behind);
        for (unsigned left = behind.taken(); left != 0; left &= left - 1) {
            auto const place = static_cast<unsigned>(std::countr_zero(left));
            if (distance(home(behind.hash(place)), &behind) >= way) return static_cast<int>(place);
        }
        return -1;
    }
    void begin_unused(Bucket const& bucket, unsigned place) {
        if (has_limit()) [[unlikely]]
            marks_.clear(static_cast<std::size_t>(&bucket - buckets()), place);
    }
    void evict_until(std::size_t keys) {
        for (; size() > keys; ++evicted_) evict();
    }
    void evict() {
        if (has_zero_ && size() == 1) {
            has_zero_ = false;
            return room_.remove_key();
        }
        for (;; hand_ = hand_ + 1 < count() ? hand_ + 1 : 0) {
            if (hand_ >= count()) hand_ = 0; // of a larger array
            Bucket& bucket = buckets()[hand_];
            unsigned const unused = bucket.taken() & ~marks_.of(hand_);
            if (unused != 0) return remove(bucket, static_cast<unsigned>(std::countr_zero(unused)));
            marks_.clear(hand_);
        }
    }
    std::size_t distance(Bucket const* from, Bucket const* to) const {
        return static_cast<std::size_t>(to >= from ? to - from : to - from + static_cast<std::ptrdiff_t>(count()));
    }

    // Relaxed: written under the lock; prefetch() takes whatever it sees.
    std::atomic<Bucket*> buckets_{nullptr};
    std::atomic<std::size_t> count_{0};
    std::size_t max_keys_ = 0; // 0: no limit
    unsigned hash_bits_;
    NodeId node_;
    bool has_zero_ = false;
    alignas(Value) std::byte zero_[sizeof(Value)]{};
    alignas(cache_line_bytes) RegionLock lock_; // apart from what others read to prefetch
    PromisedRoom room_;
    std::size_t first_count_ = 0; // of buckets
    NodeArray<Bucket> memory_;
    UseMarks marks_;          // with a limit only
    std::size_t hand_ = 0;    // the bucket from which on keys go
    std::size_t evicted_ = 0; // since the beginning
    [[no_unique_address]] typename Keys::Store store_;
};

} // namespace mxk
