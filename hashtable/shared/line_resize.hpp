// How a shared table of lines gets more buckets, or fewer, while it is used: bucket by bucket into an array that
// follows the first. A bucket's lock is taken, its pairs are written to the buckets that they belong to, which nobody
// else looks at yet, and then the bucket says that it is moved. So each pair is at any time in one place where it may
// be changed. Look-ups and writers go by the first array, and on to the next where a bucket is moved; they never wait
// for a resize. When all buckets are moved, the second array takes the first one's place, which is given back after a
// grace period.
//
//     root -> | moved | moved | pairs | moved |     the first array
//               |
//               '-> | pairs | pairs | pairs | pairs | - | - | pairs | pairs |      the one that follows
//
// What is to be moved is claimed in slices of some dozen buckets, by any core, and a core begins with the segment that
// lies on its node. A slice that cannot be moved for lack of memory is claimed again later; its buckets are used as
// they are until then.
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
#include "hashtable/shared/concurrent_bucket.hpp"
#include "hashtable/shared/line_array.hpp"
#include "hashtable/shared/overflow_lines.hpp"
#include "hashtable/shared/owner_places.hpp"
#include "kernel/memory/node_vector.hpp"

namespace mxk {

// Any core, in a read section, unless a function says otherwise.
template <typename Hash, typename Grace> class LineResize {
  public:
    // In one resize, the number of buckets is multiplied by up to this: a bucket is locked while all that follow it are
    // written.
    static constexpr std::size_t max_factor = 16;

    // Errors: no owner, no memory.
    static Result<LineResize> create(std::span<Owner const> owners, std::size_t buckets, Hash const& hash,
                                     Grace grace) {
        if (owners.empty()) return Error("a shared table of lines: expected no less than one owner");
        LineResize result(buckets, hash, grace, MXK_TRY(OverflowLines<Grace>::create(owners, grace)));
        result.owners_ = MXK_TRY(NodeVector<Owner>::create(owners.size(), owners.front().node));
        result.places_ = MXK_TRY(OwnerPlaces::create(owners));
        for (Owner const& owner : owners) result.owners_.emplace(owner);
        LineArray* const array = LineArray::create(owners, buckets, LineArray::Lines::Empty);
        if (array == nullptr)
            return Error::of("out of memory: {} lines of pairs for each of {} owners", buckets, owners.size());
        result.root_.store(array, std::memory_order_relaxed);
        return result;
    }
    // While nobody uses it.
    LineResize(LineResize&& other) noexcept
        : root_(other.root_.exchange(nullptr, std::memory_order_relaxed))
        , hash_(other.hash_)
        , grace_(other.grace_)
        , min_buckets_(other.min_buckets_)
        , owners_(std::move(other.owners_))
        , places_(std::move(other.places_))
        , lines_(std::move(other.lines_)) {}
    LineResize& operator=(LineResize&&) = delete;
    ~LineResize() { LineArray::destroy(root_.load(std::memory_order_relaxed)); }

    // acquire: pairs with the release where it is replaced.
    [[gnu::always_inline]] [[nodiscard]] LineArray* root() const { return root_.load(std::memory_order_acquire); }
    [[nodiscard]] bool is_resizing() const { return root()->next() != nullptr; }
    [[nodiscard]] std::size_t min_buckets() const { return min_buckets_; }
    [[nodiscard]] std::uint64_t hash(std::uint64_t key) const { return hash_(key); }
    [[nodiscard]] Grace const& grace() const { return grace_; }
    [[nodiscard]] OverflowLines<Grace>& lines() { return lines_; }
    [[nodiscard]] OverflowLines<Grace> const& lines() const { return lines_; }
    [[nodiscard]] std::span<Owner const> owners() const { return owners_.span(); }

    enum class Start : std::uint8_t { Started, UnderWay, NoMemory };
    // To so many buckets in each segment: a power of two times as many as there are, up to max_factor, or half of
    // them. UnderWay: there is a resize, or somebody begins one. Blocks for the allocator's lock.
    Start start(std::size_t from, std::size_t buckets) {
        if (is_busy_.exchange(true, std::memory_order_acquire)) return Start::UnderWay; // pairs with finish()
        LineArray* const array = root();
        if (array->buckets() != from) {
            is_busy_.store(false, std::memory_order_release);
            return Start::UnderWay;
        }
        LineArray* const next = LineArray::create(owners_.span(), buckets, LineArray::Lines::Raw);
        if (next == nullptr) {
            is_busy_.store(false, std::memory_order_release);
            return Start::NoMemory;
        }
        inject::point();
        array->follow(*next);
        return Start::Started;
    }

    // Moves one slice, of the segment of the calling `core` if that has any left. False: there is nothing left to
    // claim. Blocks for the locks of buckets and, for further lines, for the allocator's.
    bool work(std::size_t core) {
        LineArray* const old = root();
        LineArray* const next = old->next();
        if (next == nullptr) return false;
        std::size_t const groups = std::min(old->buckets(), next->buckets());
        std::size_t const slice = std::max<std::size_t>(slice_lines * groups / (old->buckets() + next->buckets()), 1);
        std::size_t const own = places_[core];
        for (std::size_t i = 0; i < old->segments(); ++i) {
            std::size_t const at = (own + i) % old->segments();
            auto& claimed = old->segment(at).claimed;
            // relaxed: what a slice is about is protected by the buckets' locks.
            if (claimed.load(std::memory_order_relaxed) >= groups) continue;
            std::size_t const first = claimed.fetch_add(slice, std::memory_order_relaxed);
            if (first >= groups) continue;
            move_slice(*old, *next, at, first, std::min(first + slice, groups));
            return true;
        }
        return false;
    }
    // Whether slices had to be left for lack of memory: all are to be claimed once more, then. What is moved already
    // says so itself.
    bool claim_again() {
        LineArray* const old = root();
        if (!old->take_failure()) return false;
        for (std::size_t at = 0; at < old->segments(); ++at)
            old->segment(at).claimed.store(0, std::memory_order_relaxed);
        return true;
    }

    // Moves the bucket of this hash now, if it is not. False: no memory for it.
    bool move_bucket(LineArray& old, std::uint64_t hash) {
        LineArray& next = *old.next();
        std::size_t const groups = std::min(old.buckets(), next.buckets());
        std::size_t count = 0;
        bool const is_moved = move_group(old, next, old.segment_of(hash), old.bucket_of(hash, groups), count);
        note_moved(old, next, count);
        return is_moved;
    }

  private:
    // Of both arrays together.
    static constexpr std::size_t slice_lines = 96;

    LineResize(std::size_t buckets, Hash const& hash, Grace grace, OverflowLines<Grace> lines)
        : hash_(hash)
        , grace_(grace)
        , min_buckets_(buckets)
        , lines_(std::move(lines)) {}

    void move_slice(LineArray& old, LineArray& next, std::size_t segment, std::size_t from, std::size_t to) {
        std::size_t count = 0;
        bool is_whole = true;
        for (std::size_t group = from; group < to; ++group)
            is_whole = move_group(old, next, segment, group, count) && is_whole;
        if (!is_whole) old.note_failure();
        note_moved(old, next, count);
    }
    void note_moved(LineArray& old, LineArray& next, std::size_t count) {
        if (count == 0 || !old.note_moved(count)) return;
        inject::point();
        root_.store(&next, std::memory_order_release); // pairs with root()
        grace_.call(old.callback());
        inject::point();
        is_busy_.store(false, std::memory_order_release);
    }

    // A bucket that becomes several, or two that become one. False: no memory, and all is as it was. Counts the buckets
    // that were moved.
    bool move_group(LineArray& old, LineArray& next, std::size_t segment, std::size_t group, std::size_t& count) {
        bool const grows = next.buckets() > old.buckets();
        std::size_t const factor = grows ? next.buckets() / old.buckets() : 2;
        ConcurrentLine* const from = old.segment(segment).lines + (grows ? group : 2 * group);
        ConcurrentLine* const to = next.segment(segment).lines + (grows ? group * factor : group);
        std::span<ConcurrentLine> const sources(from, grows ? 1 : 2);
        std::span<ConcurrentLine> const targets(to, grows ? factor : 1);
        // In this order, all of them: so two who do the same do not wait for each other, and if the first is moved, so
        // are the others, or soon.
        for (std::size_t i = 0; i < sources.size(); ++i)
            if (!ConcurrentBucket::lock(sources[i])) return true;
        for (ConcurrentLine& line : targets) new (static_cast<void*>(&line)) ConcurrentLine();
        bool has_room = true;
        for (ConcurrentLine& source : sources) {
            ConcurrentLine::for_each(source, [&](std::uint64_t key, std::uint64_t value) {
                has_room = has_room && add(next.line_of(hash_(key)), key, value, segment);
            });
        }
        if (!has_room) {
            for (ConcurrentLine& line : targets) give_back(line, segment);
            for (ConcurrentLine& source : sources) ConcurrentBucket::unlock(source);
            return false;
        }
        std::array<ConcurrentLine*, 2> behind{};
        for (std::size_t i = 0; i < sources.size(); ++i) behind[i] = sources[i].next();
        for (ConcurrentLine& source : sources) ConcurrentBucket::end_moved(source);
        inject::point();
        for (ConcurrentLine* line : behind) {
            while (line != nullptr) lines_.retire(segment, *std::exchange(line, line->next()));
        }
        count += sources.size();
        return true;
    }
    // To a bucket that nobody else knows yet: its first line, or the one right behind it, has the free places. False:
    // no memory.
    bool add(ConcurrentLine& first, std::uint64_t key, std::uint64_t value, std::size_t segment) {
        for (ConcurrentLine* const line : {&first, first.link.load(std::memory_order_relaxed)}) {
            if (line == nullptr) break;
            for (std::size_t at = 0; at < ConcurrentLine::places; ++at) {
                if (line->keys[at].load(std::memory_order_relaxed) != ConcurrentLine::no_key) continue;
                line->put_unpublished(at, key, value);
                return true;
            }
        }
        ConcurrentLine* const line = lines_.take(segment);
        if (line == nullptr) return false;
        ConcurrentBucket::put_behind(first, *line, key, value);
        return true;
    }
    void give_back(ConcurrentLine& first, std::size_t segment) {
        ConcurrentLine* line = first.next();
        while (line != nullptr) lines_.give_back(segment, *std::exchange(line, line->next()));
    }

    std::atomic<LineArray*> root_{nullptr};
    [[no_unique_address]] Hash hash_;
    Grace grace_;
    std::size_t min_buckets_; // of a segment
    NodeVector<Owner> owners_;
    OwnerPlaces places_;
    OverflowLines<Grace> lines_;
    alignas(cache_line_bytes) std::atomic<bool> is_busy_{false}; // a resize is under way, or begins
};

} // namespace mxk
