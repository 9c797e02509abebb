// When a shared table of lines is resized (line_resize.hpp says how): it counts its keys, and begins a resize where
// there are too many or too few for its buckets.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "base/log.hpp"
#include "base/result.hpp"
#include "base/units.hpp"
#include "hashtable/partition/owner.hpp"
#include "hashtable/shared/concurrent_line.hpp"
#include "hashtable/shared/key_counters.hpp"
#include "hashtable/shared/line_array.hpp"
#include "hashtable/shared/line_resize.hpp"

namespace mxk {

// Told when a resize begins, which goes on with work(). Any core, in the middle of an operation: it may not use the
// table. Lives as long as the table, or until it is told no more.
struct ResizeListener {
    void (*has_work)(ResizeListener& self);
};

// Any core, in a read section. Blocks for the locks of buckets and for the allocator's where a resize begins or goes
// on.
template <typename Hash, typename Grace> class LineGrowth {
    using Resize = LineResize<Hash, Grace>;

  public:
    // Keys per bucket: at first, and when the table grows and shrinks. With 1.5, one key in 17 stands behind its
    // bucket's first line, with 2.2 one in 8.
    static constexpr double default_load = 1.5;
    static constexpr double max_load = 2.2;
    static constexpr double min_load = 0.6;
    static constexpr std::size_t min_buckets = 4; // of an owner's segment
    static constexpr std::size_t max_buckets = std::size_t{1} << 56;

    // For so many keys. Errors: no owner, no memory.
    static Result<LineGrowth> create(std::size_t keys, std::span<Owner const> owners, Hash const& hash, Grace grace) {
        std::size_t const each = keys / std::max<std::size_t>(owners.size(), 1) + 1;
        auto const buckets = std::max(static_cast<std::size_t>(static_cast<double>(each) / default_load), min_buckets);
        LineGrowth result(MXK_TRY(Resize::create(owners, buckets, hash, grace)));
        result.counters_ = MXK_TRY(KeyCounters::create(owners));
        // Chance puts more than three keys into one bucket of 15.
        MXK_TRY(result.resize_.lines().reserve(keys / 22));
        return result;
    }
    // While nobody uses it.
    LineGrowth(LineGrowth&& other) noexcept
        : resize_(std::move(other.resize_))
        , counters_(std::move(other.counters_)) {}
    LineGrowth& operator=(LineGrowth&&) = delete;
    ~LineGrowth() = default;

    [[nodiscard]] Resize& resize() { return resize_; }
    [[nodiscard]] Resize const& resize() const { return resize_; }
    [[nodiscard]] std::size_t keys() const { return counters_.sum(); }
    void tell(ResizeListener* listener) { listener_ = listener; }

    // The caller has inserted a key; into a bucket that had no place in several lines: then it is not waited until
    // enough were counted.
    enum class Bucket : std::uint8_t { HasRoom, Crowded };
    [[gnu::always_inline]] void count_insert(Bucket bucket) {
        std::size_t const place = Grace::place();
        std::uint64_t const count = counters_.count_insert(place);
        if (bucket == Bucket::Crowded) consider();
        attend(place, count);
    }
    [[gnu::always_inline]] void count_erase() {
        std::size_t const place = Grace::place();
        std::uint64_t const count = counters_.count_erase(place);
        if (count % free_every == 0) [[unlikely]]
            resize_.grace().want(resize_.grace().after_readers());
        attend(place, count);
    }

    // ConcurrentLines says what this does. wait_until(done) returns when done() has said yes, which does all that the
    // calling core can do; what is asked in a task or thread that has run others meanwhile, begins another section.
    template <typename WaitUntil> bool reserve(std::size_t keys, WaitUntil wait_until) {
        if (!has_memory_for(keys)) return false; // before it is asked for step by step
        std::size_t const before = floor_.exchange(keys, std::memory_order_relaxed);
        Room room = Room::Coming;
        wait_until([&] { return (room = make_room(keys)) != Room::Coming; });
        if (room == Room::There) return true;
        // Unless somebody else has reserved something meanwhile.
        floor_.compare_exchange_strong(keys, before, std::memory_order_relaxed);
        return false;
    }
    // Begins to double the number of buckets, or to halve it, whatever the load. False: a resize is under way, there is
    // no memory, or as few as at first.
    bool begin_growing() { return begin_resize(2, 1); }
    bool begin_shrinking() { return begin_resize(1, 2); }

  private:
    explicit LineGrowth(Resize resize)
        : resize_(std::move(resize)) {}

    // Counted by one core: how often it sees to a resize that is under way, and asks whether there should be one.
    static constexpr std::uint64_t attend_every = 16;
    static constexpr std::uint64_t consider_every = 256;
    // To ask is to read the counters of all cores, which each of them writes again then. So the more cores there are,
    // the more seldom each one asks: all together as often as one alone. But for small tables: one core's inserts may
    // be all there are.
    static constexpr std::uint64_t buckets_per_question = 4096;
    [[nodiscard]] bool is_to_consider(std::uint64_t count) const {
        std::uint64_t const seldom =
            std::clamp<std::uint64_t>(resize_.root()->all_buckets() / buckets_per_question, 1, resize_.owners().size());
        return count / consider_every % seldom == 0;
    }
    // After so many erases of a core, the places that they have left are to become free: if nobody asked, a bucket
    // where keys come and go would get line after line.
    static constexpr std::uint64_t free_every = 32;
    [[gnu::always_inline]] void attend(std::size_t place, std::uint64_t count) {
        if (count % attend_every == 0) [[unlikely]]
            attend_now(place, count);
    }
    [[gnu::noinline]] void attend_now(std::size_t place, std::uint64_t count) {
        bool const considers = count % consider_every == 0;
        if (!resize_.is_resizing()) return considers && is_to_consider(count) ? consider() : void();
        if (considers) resize_.claim_again();
        if (listener_ == nullptr)
            resize_.work(place);
        else if (considers)
            listener_->has_work(*listener_); // it may have had no memory
    }
    enum class Room : std::uint8_t {
        There,
        Coming, // with what others do
        Refused,
    };
    // The calling core's part of it, in one section.
    Room make_room(std::size_t keys) {
        for (;;) {
            while (resize_.work(Grace::place())) {
            }
            if (resize_.claim_again()) return Room::Refused; // no memory for lines
            LineArray const& array = *resize_.root();
            if (array.next() != nullptr) return Room::Coming;
            double const missing = missing_factor(array, keys);
            if (missing <= 1) return Room::There;
            switch (start(array.buckets(), array.buckets() * factor_for(missing))) {
            case Resize::Start::Started: break;
            case Resize::Start::UnderWay: return Room::Coming;
            case Resize::Start::NoMemory: return Room::Refused;
            }
        }
    }
    // How many times as many buckets it should have for so many keys.
    static double missing_factor(LineArray const& array, std::size_t keys) {
        return static_cast<double>(keys) / default_load / static_cast<double>(array.all_buckets());
    }
    // Besides what it has.
    [[nodiscard]] bool has_memory_for(std::size_t keys) const {
        LineArray const& array = *resize_.root();
        double const missing = missing_factor(array, keys);
        if (missing <= 1) return true;
        std::size_t const factor = power_from(missing);
        if (factor > max_buckets / array.buckets()) return false;
        LineArray* const last = LineArray::create(resize_.owners(), array.buckets() * factor, LineArray::Lines::Raw);
        LineArray::destroy(last);
        return last != nullptr;
    }
    // Whether the table has become too small or too large.
    [[gnu::noinline]] void consider() {
        LineArray const& array = *resize_.root();
        if (array.next() != nullptr) return;
        std::size_t const now = array.buckets();
        double const load = static_cast<double>(keys()) / static_cast<double>(array.all_buckets());
        if (load > max_load && keys() >= retry_at_.load(std::memory_order_relaxed))
            start(now, now * factor_for(load / default_load));
        else if (load < min_load && now > resize_.min_buckets() && may_halve(array.all_buckets()) &&
                 keys() < refused_below_.load(std::memory_order_relaxed))
            start(now, now / 2);
    }
    [[nodiscard]] bool may_halve(std::size_t buckets) const {
        auto const reserved = static_cast<double>(floor_.load(std::memory_order_relaxed));
        std::size_t const half = buckets / 2;
        return static_cast<double>(half) * default_load >= reserved;
    }
    static std::size_t factor_for(double ratio) {
        return std::clamp<std::size_t>(power_from(ratio), 2, Resize::max_factor);
    }
    // The smallest power of two that is no less.
    static std::size_t power_from(double ratio) {
        auto const floor = static_cast<std::size_t>(ratio);
        return std::bit_ceil(static_cast<double>(floor) < ratio ? floor + 1 : floor);
    }
    bool begin_resize(std::size_t times, std::size_t divisor) {
        LineArray const& array = *resize_.root();
        std::size_t const now = array.buckets();
        bool const is_possible = array.next() == nullptr && now * times / divisor >= resize_.min_buckets();
        return is_possible && start(now, now * times / divisor) != Resize::Start::NoMemory;
    }
    Resize::Start start(std::size_t from, std::size_t buckets) {
        auto const result = resize_.start(from, buckets);
        if (result == Resize::Start::NoMemory) give_up(keys(), from, buckets);
        if (result != Resize::Start::Started) return result;
        has_warned_.store(false, std::memory_order_relaxed);
        retry_at_.store(0, std::memory_order_relaxed);
        refused_below_.store(no_limit, std::memory_order_relaxed);
        if (listener_ != nullptr) listener_->has_work(*listener_);
        return result;
    }
    // It does not grow by itself until there are an eighth more keys, or shrink until there are an eighth fewer. One
    // WARN for all times in a row. relaxed: who sees it when does not matter.
    void give_up(std::size_t count, std::size_t from, std::size_t buckets) {
        std::size_t const next = buckets > from ? count + count / 8 + 1 : count - count / 8;
        (buckets > from ? retry_at_ : refused_below_).store(next, std::memory_order_relaxed);
        if (has_warned_.exchange(true, std::memory_order_relaxed)) return;
        log::warn("a shared table gave up a resize at {} keys: no memory for {} MiB; it tries again at {} keys", count,
                  buckets * resize_.owners().size() * sizeof(ConcurrentLine) / MiB, next);
    }

    Resize resize_;
    KeyCounters counters_;
    ResizeListener* listener_ = nullptr;
    std::atomic<std::size_t> floor_{0}; // keys that it keeps room for
    static constexpr std::size_t no_limit = ~std::size_t{0};
    std::atomic<std::size_t> retry_at_{0};             // it does not grow before there are so many keys
    std::atomic<std::size_t> refused_below_{no_limit}; // nor shrink before there are fewer
    std::atomic<bool> has_warned_{false};
};

} // namespace mxk
