// One cache line of three pairs that many cores read and change in place: the unit of ConcurrentLines. A key is written
// after its value and keeps its place until it is erased, so that a look-up needs neither a lock nor a second try.
//
//     byte  0         8              32     40             64
//           | control | 3 x key      | link | 3 x value    |
//
//     key       value                    the place is
//     0         anything                 free, never used
//     2^64 - 1  number of a grace period erased: free once that one is over (ConcurrentBucket)
//     else      the key's                taken
//
// A bucket is a first line, and further ones behind it by their links. Its control word is that of the first line:
//
//     0       nobody changes the bucket
//     locked  one writer does
//     moved   for ever: all of it is in the array that follows; what is here stays as it was at that moment
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/inject.hpp"
#include "base/panic.hpp"
#include "base/units.hpp"

namespace mxk {

// Who reads is in a read section of RCU (kernel/sync/rcu/rcu.hpp) and never waits.
class alignas(cache_line_bytes) ConcurrentLine {
  public:
    static constexpr std::size_t places = 3;
    static constexpr std::uint64_t no_key = 0;
    static constexpr std::uint64_t erased_key = ~std::uint64_t{0};
    static constexpr bool is_key(std::uint64_t key) { return key + 1 > 1; }

    static constexpr std::uint64_t locked = 1;
    static constexpr std::uint64_t moved = 2;

    // Of lines that were given back, in builds that check: nobody may find it.
    static constexpr bool is_checked = inject::enabled;
    static constexpr std::uint64_t poison = 0xdead'11fe'dead'11fe;

    enum class Seen : std::uint8_t { There, Absent, Moved };
    struct LookUp {
        Seen seen;
        std::uint64_t value; // if it is there
    };

    // What the bucket of this first line has of the key, which is one. It takes effect at one moment between its
    // beginning and its end:
    //   - It is seen that the bucket is not moved. If it is moved later, what is read afterwards is what the bucket was
    //     at that moment, which lies in between as well.
    //   - A key that is there all the time is in one place all the time. So if it is not found, there was a moment
    //     without it.
    //   - If its place has it twice, before and after the value was read, it had it all the time: no other key can
    //     get an erased place before this read section ends. So the value was that key's.
    // Every load is acquire, so that they are done in this order; each pairs with the release of the writer's store to
    // the same word.
    [[gnu::always_inline]] static LookUp look_up(ConcurrentLine const& first, std::uint64_t key) {
        ConcurrentLine const* behind = nullptr;
        LookUp const seen = look_at_first(first, key, behind);
        return behind == nullptr ? seen : look_behind(*behind, key);
    }
    // The same in two steps, with any time between them: what the first line says; where it does not hold the key, but
    // has a line behind it, the answer is look_behind()'s.
    [[gnu::always_inline]] static LookUp look_at_first(ConcurrentLine const& first, std::uint64_t key,
                                                       ConcurrentLine const*& behind) {
        if ((first.control.load(std::memory_order_acquire) & moved) != 0) [[unlikely]]
            return {Seen::Moved, 0};
        inject::point();
        if (unsigned const found = first.places_of(key); found != 0) [[likely]]
            return first.read(found, key);
        behind = first.link.load(std::memory_order_acquire);
        return {Seen::Absent, 0};
    }
    [[gnu::noinline]] static LookUp look_behind(ConcurrentLine const& behind, std::uint64_t key) {
        for (ConcurrentLine const* line = &behind; line != nullptr; line = line->next()) {
            line->check();
            if (unsigned const found = line->places_of(key); found != 0) return line->read(found, key);
        }
        return {Seen::Absent, 0};
    }

    // The places that hold this key. No branch, because where a key stands cannot be predicted.
    [[nodiscard]] unsigned places_of(std::uint64_t key) const {
        auto const is_at = [&](std::size_t at) {
            return static_cast<unsigned>(keys[at].load(std::memory_order_acquire) == key) << at;
        };
        return is_at(0) | is_at(1) | is_at(2);
    }

    // relaxed, and whatever is in front of the publishing store: nobody else reads the line yet.
    void put_unpublished(std::size_t place, std::uint64_t key, std::uint64_t value) {
        values[place].store(value, std::memory_order_relaxed);
        keys[place].store(key, std::memory_order_relaxed);
    }
    [[nodiscard]] ConcurrentLine* next() const { return link.load(std::memory_order_acquire); }

    // visit(key, value) for each pair of the bucket, as far as they are not erased meanwhile: read as look_up() does.
    template <typename Visit> static void for_each(ConcurrentLine const& first, Visit visit) {
        for (ConcurrentLine const* line = &first; line != nullptr; line = line->next()) {
            line->check();
            for (std::size_t at = 0; at < places; ++at) {
                std::uint64_t const key = line->keys[at].load(std::memory_order_acquire);
                if (!is_key(key)) continue;
                inject::point();
                std::uint64_t const value = line->values[at].load(std::memory_order_acquire);
                if (line->keys[at].load(std::memory_order_relaxed) == key) visit(key, value);
            }
        }
    }

    // That the line was not given back.
    void check() const {
        if constexpr (is_checked)
            expect(control.load(std::memory_order_relaxed) != poison, "a line that was given back is in use");
    }

    std::atomic<std::uint64_t> control{0};
    std::array<std::atomic<std::uint64_t>, places> keys{};
    std::atomic<ConcurrentLine*> link{nullptr};
    std::array<std::atomic<std::uint64_t>, places> values{};

  private:
    [[gnu::always_inline]] [[nodiscard]] LookUp read(unsigned found, std::uint64_t key) const {
        auto const at = static_cast<unsigned>(std::countr_zero(found));
        inject::point();
        // acquire: an erase writes a number here, but not before its key is gone.
        std::uint64_t const value = values[at].load(std::memory_order_acquire);
        inject::point();
        // relaxed: the first look at the key has acquired the same insertion
        bool const is_there = keys[at].load(std::memory_order_relaxed) == key;
        return {is_there ? Seen::There : Seen::Absent, value};
    }
};
static_assert(sizeof(ConcurrentLine) == cache_line_bytes);

} // namespace mxk
