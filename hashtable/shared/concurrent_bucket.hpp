// What a writer does in one bucket of a shared table of lines, while it has the bucket's lock: a bit of the first
// line's control word, so that the line that the writer wants anyway is all that it touches (as in CLHT-LB of David,
// Guerraoui and Trigonakis, "Asynchronized Concurrency", ASPLOS 2015). Readers go on meanwhile (concurrent_line.hpp).
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/inject.hpp"
#include "base/preemption.hpp"
#include "base/spin_wait.hpp"
#include "hashtable/shared/concurrent_line.hpp"

namespace mxk {

// The lock is held for some dozen instructions, and for the allocator if the bucket needs a further line; nobody is
// preempted meanwhile. Any core but in interrupt handlers.
class ConcurrentBucket {
  public:
    // Waits until nobody else has the bucket, and takes it. False: it is moved, and nothing is taken.
    // acquire: pairs with unlock() of the writer before, and with end_moved().
    [[gnu::always_inline]] static bool lock(ConcurrentLine& first) {
        inject::point();
        hold_preemption();
        std::uint64_t now = 0;
        if (first.control.compare_exchange_strong(now, ConcurrentLine::locked, std::memory_order_acquire)) [[likely]]
            return true;
        return lock_contended(first);
    }
    // release: what was written is seen by the next one who takes it.
    [[gnu::always_inline]] static void unlock(ConcurrentLine& first) {
        first.control.store(0, std::memory_order_release);
        release_preemption();
    }
    // In place of unlock(): all of it is in the array that follows. release: who sees that finds it there.
    static void end_moved(ConcurrentLine& first) {
        inject::point();
        first.control.store(ConcurrentLine::moved, std::memory_order_release);
        release_preemption();
    }

    struct Place {
        ConcurrentLine* line = nullptr; // null: there is none
        unsigned at = 0;

        [[nodiscard]] explicit operator bool() const { return line != nullptr; }
        [[nodiscard]] std::uint64_t value() const { return line->values[at].load(std::memory_order_relaxed); }
        // In place, at once. release: pairs with the look-up's load of the value.
        void write(std::uint64_t value) const {
            inject::point();
            line->values[at].store(value, std::memory_order_release);
        }
    };

    // Where the key stands.
    [[gnu::always_inline]] static Place find(ConcurrentLine& first, std::uint64_t key) {
        for (ConcurrentLine* line = &first; line != nullptr; line = line->next())
            if (unsigned const found = line->places_of(key); found != 0) return {line, first_of(found)};
        return {};
    }

    struct Search {
        Place of_key;
        Place free; // if there is one, and the key is nowhere
        std::size_t lines = 0;
    };
    template <typename Grace>
    [[gnu::always_inline]] static Search search(ConcurrentLine& first, std::uint64_t key, Grace const& grace) {
        Search result;
        for (ConcurrentLine* line = &first; line != nullptr; line = line->next()) {
            if (unsigned const found = line->places_of(key); found != 0) {
                result.of_key = {line, first_of(found)};
                return result;
            }
            ++result.lines;
            if (result.free) continue;
            unsigned const free = line->places_of(ConcurrentLine::no_key);
            if (free != 0) [[likely]]
                result.free = {line, first_of(free)};
            else
                find_erased(*line, grace, result);
        }
        return result;
    }

    // Into a free place. The key last: release pairs with the look-up's load of it, who then finds the value.
    static void put(Place place, std::uint64_t key, std::uint64_t value) {
        place.line->values[place.at].store(value, std::memory_order_relaxed);
        inject::point();
        place.line->keys[place.at].store(key, std::memory_order_release);
    }
    // Behind the first line. `line`: empty, and nobody knows it; that it has the pair is seen with the link. release:
    // pairs with next().
    static void put_behind(ConcurrentLine& first, ConcurrentLine& line, std::uint64_t key, std::uint64_t value) {
        line.put_unpublished(0, key, value);
        line.link.store(first.link.load(std::memory_order_relaxed), std::memory_order_relaxed);
        inject::point();
        first.link.store(&line, std::memory_order_release);
    }
    // The number comes into the value's place, after the key is gone: a look-up that reads it (acquire, this release)
    // finds the key gone as well.
    template <typename Grace> static void erase(Place place, Grace const& grace) {
        place.line->keys[place.at].store(ConcurrentLine::erased_key, std::memory_order_relaxed);
        inject::point();
        place.line->values[place.at].store(grace.after_readers(), std::memory_order_release);
    }

  private:
    static unsigned first_of(unsigned places) { return static_cast<unsigned>(std::countr_zero(places)); }

    [[gnu::noinline]] static bool lock_contended(ConcurrentLine& first) {
        for (SpinWait wait;; wait.turn()) {
            std::uint64_t now = first.control.load(std::memory_order_acquire);
            if ((now & ConcurrentLine::moved) != 0) {
                release_preemption();
                return false;
            }
            if (now == 0 && first.control.compare_exchange_weak(now, ConcurrentLine::locked, std::memory_order_acquire))
                return true;
        }
    }
    template <typename Grace>
    [[gnu::noinline]] static void find_erased(ConcurrentLine& line, Grace const& grace, Search& result) {
        unsigned erased = line.places_of(ConcurrentLine::erased_key);
        for (; erased != 0; erased &= erased - 1) {
            Place const place{&line, first_of(erased)};
            if (grace.is_over(place.value())) {
                result.free = place;
                return;
            }
        }
    }
};

} // namespace mxk
