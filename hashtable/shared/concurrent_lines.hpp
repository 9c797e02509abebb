// A hash table that all cores use at once, in place: buckets of a cache line with three pairs (CLHT of David, Guerraoui
// and Trigonakis, "Asynchronized Concurrency", ASPLOS 2015), read under RCU. A look-up mostly touches one line, writes
// nothing and never waits; a writer takes the lock of its bucket, which is a bit of the same line. The table grows and
// shrinks while it is used (line_resize.hpp). What differs from CLHT: an erased place is used again only after a grace
// period, so that a look-up needs no second try; values are overwritten in place; growth is cut into slices that all
// cores move, and what it leaves behind is given back.
//
//     auto table = MXK_TRY(ConcurrentLines<>::create({.keys = 1'000'000}, owners));
//     rcu::ReadSection const section;      in a thread; a task's body is one
//     table.insert(1, 100);
//     table.find(1);                       100
//
// All operations are linearizable. The moment of a look-up: concurrent_line.hpp. The others' is the store that
// publishes (a key, a link, a value, or that a key is gone) in their bucket's lock; that of those that change nothing,
// any moment in that lock.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "base/inject.hpp"
#include "base/panic.hpp"
#include "base/prefetch.hpp"
#include "base/result.hpp"
#include "base/spin_wait.hpp"
#include "hashtable/hash.hpp"
#include "hashtable/insert.hpp"
#include "hashtable/partition/owner.hpp"
#include "hashtable/shared/concurrent_bucket.hpp"
#include "hashtable/shared/concurrent_line.hpp"
#include "hashtable/shared/line_array.hpp"
#include "hashtable/shared/line_growth.hpp"
#include "hashtable/shared/line_resize.hpp"
#include "hashtable/shared/line_walk.hpp"
#include "hashtable/shared/machine_grace.hpp"

namespace mxk {

struct ConcurrentSize {
    std::size_t keys; // that the table is made for; it grows beyond, and never shrinks below
};

// Keys and values are numbers; keys are neither 0 nor 2^64 - 1, and such are never found. Hash: see hash.hpp. Grace:
// machine_grace.hpp shows what it has. Every function: any core, tasks and threads in a read section, never in
// interrupt handlers. Look-ups never block; the others wait for the lock of a bucket, which is held for some dozen
// instructions, and for the allocator's where a bucket needs a further line.
template <typename Hash = MixedHash, typename Grace = MachineGrace> class ConcurrentLines {
    using Growth = LineGrowth<Hash, Grace>;
    using Resize = LineResize<Hash, Grace>;
    using Bucket = ConcurrentBucket;
    using Line = ConcurrentLine;

  public:
    // A segment for each owner, on its node, all written by the calling core. Errors: no owner, no memory.
    static Result<ConcurrentLines> create(ConcurrentSize size, std::span<Owner const> owners, Hash const& hash = {},
                                          Grace grace = {}) {
        return ConcurrentLines(MXK_TRY(Growth::create(size.keys, owners, hash, grace)));
    }
    // While nobody uses it; no task or thread has found anything in it that it goes on using.
    ConcurrentLines(ConcurrentLines&& other) noexcept
        : growth_(std::move(other.growth_)) {}
    ConcurrentLines& operator=(ConcurrentLines&&) = delete;
    // Builds that check look at all of it once more, unless it was moved from or is in the middle of a resize.
    ~ConcurrentLines() {
        if constexpr (inject::enabled)
            if (resize().root() != nullptr && !resize().is_resizing()) check();
    }

    // The value that is with the key, or nothing.
    [[gnu::always_inline]] [[nodiscard]] std::optional<std::uint64_t> find(std::uint64_t key) const {
        if (!Line::is_key(key)) [[unlikely]]
            return std::nullopt;
        std::uint64_t const hash = resize().hash(key);
        LineArray const* array = resize().root();
        for (;;) {
            Line::LookUp const seen = Line::look_up(array->line_of(hash), key);
            if (seen.seen == Line::Seen::There) [[likely]]
                return seen.value;
            if (seen.seen == Line::Seen::Absent) return std::nullopt;
            array = array->next(); // moved: there is one
        }
    }

    // found(at, optional value) for each of the keys, in any order, with a look-up as find()'s at a moment of its own.
    // Lines are fetched while earlier keys are looked up, those behind a bucket's first one, too: as fast as memory
    // gives them. One read section is around all of it.
    template <typename Found>
    [[gnu::always_inline]] void find_each(std::span<std::uint64_t const> keys, Found found) const {
        std::array<Line const*, batch> lines;      // of the keys that come next
        std::array<Behind, behind_at_once> behind; // a ring of keys that wait for a further line
        std::size_t put = 0;
        std::size_t taken = 0;
        LineArray const& array = *resize().root();
        auto const ask_for = [&](std::size_t at) {
            Line const& line = array.line_of(resize().hash(keys[at]));
            prefetch_far(&line);
            lines[at % batch] = &line;
        };
        auto const look_behind = [&](std::size_t number) {
            Behind const one = behind[number % behind.size()];
            found(one.at, value_in(Line::look_behind(*one.line, keys[one.at])));
        };
        for (std::size_t at = 0; at < std::min(batch, keys.size()); ++at) ask_for(at);
        for (std::size_t at = 0; at < keys.size(); ++at) {
            Line const& first = *lines[at % batch];
            if (at + batch < keys.size()) ask_for(at + batch);
            Line const* line = nullptr;
            Line::LookUp const seen = Line::look_at_first(first, keys[at], line);
            if (seen.seen == Line::Seen::Moved || !Line::is_key(keys[at])) [[unlikely]] {
                found(at, find(keys[at]));
            } else if (line != nullptr) [[unlikely]] {
                prefetch_far(line);
                if (put - taken == behind.size()) look_behind(taken++);
                behind[put++ % behind.size()] = {at, line};
            } else {
                found(at, value_in(seen));
            }
        }
        for (; taken != put; ++taken) look_behind(taken);
    }
    // Asks for the line that an operation on the key touches first: of a look-up, and of a writer.
    void prefetch(std::uint64_t key) const { prefetch_far(line_of(key)); }
    void prefetch_write(std::uint64_t key) const { prefetch_for_write(line_of(key)); }
    [[nodiscard]] void const* line_of(std::uint64_t key) const { return &resize().root()->line_of(resize().hash(key)); }

    // Full: there is no memory for a further line; the table is as it was. Panics on a key that is none.
    Insert insert(std::uint64_t key, std::uint64_t value) { return put<IfPresent::Keep>(key, value); }
    // Inserts the key, or writes its value: then it was Present.
    Insert upsert(std::uint64_t key, std::uint64_t value) { return put<IfPresent::Overwrite>(key, value); }

    // False if the key is not there, as the next two.
    bool update(std::uint64_t key, std::uint64_t value) {
        return change(key, [&](Bucket::Place place) { place.write(value); });
    }
    bool erase(std::uint64_t key) {
        if (!change(key, [&](Bucket::Place place) { Bucket::erase(place, resize().grace()); })) return false;
        growth_.count_erase();
        return true;
    }
    // Writes change(value) and gives what was before; nothing if the key is not there. change() is called while the
    // bucket is locked.
    template <typename Change> std::optional<std::uint64_t> modify(std::uint64_t key, Change change_value) {
        std::optional<std::uint64_t> before;
        change(key, [&](Bucket::Place place) {
            before = place.value();
            place.write(change_value(*before));
        });
        return before;
    }

    // So many keys then have room without another resize, and the table does not shrink below that, until it is told
    // another number. Moves all itself, with those who move meanwhile. False: no memory; what was reserved before,
    // still is. A thread, which waits for others by polling; a task calls reserve() of resize_tasks.hpp.
    bool reserve(std::size_t keys) {
        return reserve(keys, [](auto is_done) {
            for (SpinWait wait; !is_done();) wait.turn();
        });
    }
    // The same for those who have to wait otherwise: wait_until(is_done) returns when is_done() has given true.
    template <typename WaitUntil> bool reserve(std::size_t keys, WaitUntil wait_until) {
        return growth_.reserve(keys, wait_until);
    }
    // Begins to double the number of buckets, or to halve it, whatever the load. False: a resize is under way, there is
    // no memory, or there are as few as at first.
    bool begin_growing() { return growth_.begin_growing(); }
    bool begin_shrinking() { return growth_.begin_shrinking(); }
    // Does a part of a resize that is under way, some microseconds of it; false: there is none, or others do the rest.
    bool work() { return resize().work(Grace::place()); }
    [[nodiscard]] bool is_resizing() const { return resize().is_resizing(); }
    // Whether a resize under way had to leave buckets where they are, for lack of memory; work() then tries them again.
    bool try_again() { return resize().claim_again(); }
    // Null: nobody is told, and writers do the work, a slice with every 16th insert or erase of a core. While nobody
    // uses the table.
    void tell(ResizeListener* listener) { growth_.tell(listener); }

    // How many keys there are; while others insert and erase, some number near it.
    [[nodiscard]] std::size_t size() const { return growth_.keys(); }
    [[nodiscard]] std::size_t bucket_count() const { return resize().root()->all_buckets(); }
    // Memory for buckets and the lines behind them. Also for the array that follows, during a resize.
    [[nodiscard]] std::size_t bytes() const {
        LineArray const& array = *resize().root();
        LineArray const* const next = array.next();
        return array.bytes() + (next != nullptr ? next->bytes() : 0) + resize().lines().made() * sizeof(Line);
    }
    // While nobody changes the table.
    [[nodiscard]] std::size_t lines_behind() const { return resize().lines().in_use(); }

    // visit(key, value) for every pair (line_walk.hpp says what that means while others change the table), in the
    // order of their buckets. visit() may use the table.
    template <typename Visit> void for_each(Visit visit) const {
        LineWalk walk;
        while (visit_some(walk, ~std::size_t{0}, visit)) {
        }
    }
    // The same in parts, each in a read section of its own: so many more buckets. False: there are no more.
    template <typename Visit> bool visit_some(LineWalk& walk, std::size_t buckets, Visit visit) const {
        return walk.visit_some(
            *resize().root(), buckets, [&](std::uint64_t key) { return resize().hash(key); }, visit);
    }

    // Panics where the table is not what it must be: each key in its bucket, once; no bucket locked or moved; as many
    // as were counted. While nobody uses the table, and no resize is under way.
    void check() const {
        LineArray const& array = *resize().root();
        expect(array.next() == nullptr, "a table is checked while no resize is under way");
        std::size_t keys = 0;
        for (std::size_t at = 0; at < array.segments(); ++at)
            for (std::size_t i = 0; i < array.buckets(); ++i) keys += check_bucket(array, array.segment(at).lines[i]);
        expect(keys == size(), "a table has as many keys as were inserted and not erased");
    }

  private:
    enum class IfPresent : std::uint8_t { Keep, Overwrite };

    // Of find_each(): how many lines are on their way, and how many look-ups wait for a line behind their bucket's
    // first one. With 32 in place of 16, and these, a core finds 1.7 times as many keys in a second.
    static constexpr std::size_t batch = 32;
    static constexpr std::size_t behind_at_once = 4;
    struct Behind {
        std::size_t at;
        Line const* line;
    };
    [[gnu::always_inline]] static std::optional<std::uint64_t> value_in(Line::LookUp const& seen) {
        return seen.seen == Line::Seen::There ? std::optional(seen.value) : std::nullopt;
    }

    explicit ConcurrentLines(Growth growth)
        : growth_(std::move(growth)) {}

    [[nodiscard]] Resize& resize() { return growth_.resize(); }
    [[nodiscard]] Resize const& resize() const { return growth_.resize(); }

    // Gives its bucket's first line, locked, and the array that it is in.
    [[gnu::always_inline]] Line& lock(std::uint64_t hash, LineArray*& array) {
        for (array = resize().root();; array = array->next()) {
            Line& first = array->line_of(hash);
            if (Bucket::lock(first)) [[likely]]
                return first;
        }
    }

    template <IfPresent if_present> [[gnu::always_inline]] Insert put(std::uint64_t key, std::uint64_t value) {
        expect(Line::is_key(key), "a table of lines has neither key 0 nor key 2^64 - 1");
        std::uint64_t const hash = resize().hash(key);
        LineArray* array = nullptr;
        Line& first = lock(hash, array);
        inject::point();
        Bucket::Search const found = Bucket::search(first, key, resize().grace());
        if (found.of_key) {
            if constexpr (if_present == IfPresent::Overwrite) found.of_key.write(value);
            Bucket::unlock(first);
            return Insert::Present;
        }
        if (!found.free) [[unlikely]]
            return put_behind<if_present>(first, *array, found, key, value);
        Bucket::put(found.free, key, value);
        Bucket::unlock(first);
        growth_.count_insert(Growth::Bucket::HasRoom);
        return Insert::Inserted;
    }
    // The bucket is full, locked, and has no such key. While the table grows, the bucket is moved now: then it has
    // room.
    template <IfPresent if_present>
    [[gnu::noinline]] Insert put_behind(Line& first, LineArray& array, Bucket::Search const& found, std::uint64_t key,
                                        std::uint64_t value) {
        std::uint64_t const hash = resize().hash(key);
        LineArray const* const next = array.next();
        if (next != nullptr && next->buckets() > array.buckets()) {
            Bucket::unlock(first);
            if (!resize().move_bucket(array, hash)) return Insert::Full;
            return put<if_present>(key, value); // others may have come first
        }
        Line* const line = resize().lines().take(array.segment_of(hash));
        if (line != nullptr) Bucket::put_behind(first, *line, key, value);
        Bucket::unlock(first);
        if (line == nullptr) return Insert::Full;
        growth_.count_insert(found.lines > 1 ? Growth::Bucket::Crowded : Growth::Bucket::HasRoom);
        return Insert::Inserted;
    }

    // Whether the key is there; write(place) is called then, while its bucket is locked.
    template <typename Write> [[gnu::always_inline]] bool change(std::uint64_t key, Write write) {
        if (!Line::is_key(key)) [[unlikely]]
            return false;
        LineArray* array = nullptr;
        Line& first = lock(resize().hash(key), array);
        inject::point();
        Bucket::Place const place = Bucket::find(first, key);
        if (place) [[likely]]
            write(place);
        Bucket::unlock(first);
        return static_cast<bool>(place);
    }

    std::size_t check_bucket(LineArray const& array, Line const& first) const {
        expect(first.control.load(std::memory_order_relaxed) == 0, "no bucket is locked or moved");
        std::size_t keys = 0;
        Line::for_each(first, [&](std::uint64_t key, std::uint64_t) {
            expect(&array.line_of(resize().hash(key)) == &first, "a key stands in its bucket");
            std::size_t times = 0;
            Line::for_each(first, [&](std::uint64_t other, std::uint64_t) { times += other == key ? 1 : 0; });
            expect(times == 1, "a key stands once in its bucket");
            ++keys;
        });
        return keys;
    }

    Growth growth_;
};

} // namespace mxk
