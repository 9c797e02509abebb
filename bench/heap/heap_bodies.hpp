// What is measured of an allocator, as templates over it: ours is inlined in them as it is at a caller's; those of
// other libraries are called through a pointer, as every program calls them. Each body does a part of a core's share,
// and what it needs and what it has found stands in its part's struct; parts are of one core at a time.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "bench/frame/names.hpp"
#include "bench/heap/live_object.hpp"
#include "bench/heap/object_ring.hpp"
#include "bench/workload/random.hpp"
#include "kernel/console/option_value.hpp"

namespace mxk::bench {

// What all bodies find out.
struct HeapFindings {
    std::uint64_t wrong = 0; // objects that did not hold what was written
    bool has_no_memory = false;
};

// An object allocated and freed at once; so many allocated, then freed, the newest first; so many live, one after the
// other replaced at random; growing to so many and shrinking to an eighth, at random.
enum class MicroPattern : std::uint8_t { Pair, Lifo, Random, Sawtooth };
constexpr auto value_names(MicroPattern) {
    using Named = console::NamedValue<MicroPattern>;
    return std::array{Named{MicroPattern::Pair, "pair"}, Named{MicroPattern::Lifo, "lifo"},
                      Named{MicroPattern::Random, "random"}, Named{MicroPattern::Sawtooth, "sawtooth"}};
}

// The objects freed last. How many allocations return one of them: what is probably still in the caches.
class RecentFrees {
  public:
    static constexpr std::size_t capacity = 64;

    void allocated(void* place) {
        ++allocations_;
        auto* const found = std::find(places_.begin(), places_.end(), place);
        if (found == places_.end()) return;
        ++reused_;
        *found = nullptr;
    }
    void freed(void* place) { places_[next_++ % capacity] = place; }
    [[nodiscard]] double reuse_percent() const {
        return allocations_ == 0 ? 0 : 100.0 * static_cast<double>(reused_) / static_cast<double>(allocations_);
    }

  private:
    std::array<void*, capacity> places_{};
    std::size_t next_ = 0;
    std::uint64_t allocations_ = 0;
    std::uint64_t reused_ = 0;
};

struct MicroPart : HeapFindings {
    MicroPattern pattern = MicroPattern::Pair;
    std::size_t bytes = 0;
    std::span<LiveObject> objects{}; // room for as many as may live
    std::size_t live = 0;            // of them: Random, Sawtooth
    ObjectNumbers numbers{};
    Random random{1};
    RecentFrees* recent = nullptr; // of the pass that looks
    std::uint64_t pairs = 0;       // done: allocations and frees, by two
};

template <typename A, bool looks> class MicroBody {
  public:
    // What changes with every object is kept here meanwhile, in registers: the part's memory an allocator might see.
    explicit MicroBody(MicroPart& part)
        : part_(part) {}

    // So many pairs or a few more.
    void run(std::uint64_t pairs) {
        std::uint64_t const until = part_.pairs + pairs;
        switch (part_.pattern) {
        case MicroPattern::Pair: return run_pairs(until);
        case MicroPattern::Lifo: return run_lifo(until);
        case MicroPattern::Random: return run_random(until);
        case MicroPattern::Sawtooth: break;
        }
        run_sawtooth(until);
    }

  private:
    void run_pairs(std::uint64_t until) {
        ObjectNumbers numbers = part_.numbers;
        std::uint64_t pairs = part_.pairs;
        std::size_t const bytes = part_.bytes;
        for (LiveObject object; pairs < until; ++pairs) {
            if (!allocate(object, bytes, numbers)) break;
            free(object);
        }
        part_.pairs = pairs;
        part_.numbers = numbers;
    }
    void run_lifo(std::uint64_t until) {
        ObjectNumbers numbers = part_.numbers;
        auto const objects = part_.objects;
        while (part_.pairs < until && !part_.has_no_memory) {
            std::size_t live = fill_from(0, numbers);
            part_.pairs += live;
            while (live != 0) free(objects[--live]);
        }
        part_.numbers = numbers;
    }
    // With `live` objects there so far: how many live then, which is all if there is memory for them.
    [[gnu::always_inline]] std::size_t fill_from(std::size_t live, ObjectNumbers& numbers) {
        std::size_t const bytes = part_.bytes;
        auto const objects = part_.objects;
        while (live < objects.size() && allocate(objects[live], bytes, numbers)) ++live;
        return live;
    }
    // All that live, if there is memory for them.
    bool fill(ObjectNumbers& numbers) {
        part_.live = fill_from(part_.live, numbers);
        return part_.live == part_.objects.size();
    }
    void run_random(std::uint64_t until) {
        ObjectNumbers numbers = part_.numbers;
        Random random = part_.random;
        std::uint64_t pairs = part_.pairs;
        std::size_t const bytes = part_.bytes;
        auto const objects = part_.objects;
        if (!fill(numbers)) return;
        for (; pairs < until; ++pairs) {
            LiveObject& object = objects[random.below(objects.size())];
            free(object);
            if (allocate(object, bytes, numbers)) continue;
            object = objects[--part_.live]; // the last one fills the gap
            break;
        }
        part_.pairs = pairs;
        part_.random = random;
        part_.numbers = numbers;
    }
    void run_sawtooth(std::uint64_t until) {
        ObjectNumbers numbers = part_.numbers;
        Random random = part_.random;
        auto const objects = part_.objects;
        while (part_.pairs < until && fill(numbers)) {
            std::size_t live = part_.live;
            std::size_t const rest = objects.size() / 8;
            part_.pairs += live - rest;
            while (live > rest) {
                LiveObject& object = objects[random.below(live)];
                free(object);
                object = objects[--live];
            }
            part_.live = live;
        }
        part_.random = random;
        part_.numbers = numbers;
    }

    [[gnu::always_inline]] bool allocate(LiveObject& object, std::size_t bytes, ObjectNumbers& numbers) {
        if (!allocate_object<A>(object, bytes, numbers.next())) [[unlikely]] {
            part_.has_no_memory = true;
            return false;
        }
        if constexpr (looks) part_.recent->allocated(object.place);
        return true;
    }
    [[gnu::always_inline]] void free(LiveObject const& object) {
        if (!free_object<A>(object)) [[unlikely]]
            ++part_.wrong;
        if constexpr (looks) part_.recent->freed(object.place);
    }

    MicroPart& part_;
};

// Objects that this core sends to others, and those that it gets.
struct ExchangePart : HeapFindings {
    std::span<ObjectRing* const> out{}; // one after the other gets an object
    std::span<ObjectRing* const> in{};
    std::size_t bytes = 0;
    std::uint64_t to_send = 0;
    std::uint64_t to_receive = 0;
    std::size_t next = 0; // of `out`
};

// As far as it gets without waiting, up to some hundred objects; how many.
template <typename A> std::size_t exchange_objects(ExchangePart& part) {
    constexpr std::size_t batch = 128; // of each ring
    std::size_t const bytes = part.bytes;
    std::size_t moved = 0;
    for (; part.to_send != 0 && moved < batch; ++moved, --part.to_send) {
        ObjectRing& ring = *part.out[part.next];
        if (!ring.has_room()) break;
        auto* const place = static_cast<std::uint64_t*>(A::allocate(bytes));
        if (place == nullptr) [[unlikely]] {
            part.has_no_memory = true;
            break;
        }
        write_word(place, ring.next_word(bytes));
        ring.push(place);
        if (++part.next == part.out.size()) part.next = 0;
    }
    for (ObjectRing* const ring : part.in) {
        for (std::size_t left = batch; left != 0; --left) {
            std::uint64_t* const place = ring->pop();
            if (place == nullptr) break;
            if (!holds_word(place, ring->expected_word(bytes))) [[unlikely]]
                ++part.wrong;
            A::deallocate(place, bytes);
            --part.to_receive;
            ++moved;
        }
    }
    return moved;
}

// Objects of random sizes, of which random ones are replaced.
struct ReplacePart : HeapFindings {
    std::size_t min_bytes = 0;
    std::size_t max_bytes = 0;
    ObjectNumbers numbers{};
    Random random{1};
};

template <typename A>
void replace_objects(ReplacePart& part, std::span<LiveObject> objects, std::uint64_t replacements) {
    ObjectNumbers numbers = part.numbers; // as in MicroBody
    Random random = part.random;
    std::size_t const min_bytes = part.min_bytes;
    std::size_t const sizes = part.max_bytes - min_bytes + 1;
    for (; replacements != 0; --replacements) {
        LiveObject& object = objects[random.below(objects.size())];
        if (object.place != nullptr && !free_object<A>(object)) [[unlikely]]
            ++part.wrong;
        object.place = nullptr;
        if (!allocate_object<A>(object, min_bytes + random.below(sizes), numbers.next())) [[unlikely]] {
            part.has_no_memory = true;
            break;
        }
    }
    part.numbers = numbers;
    part.random = random;
}

// Objects that are written to again and again: who else writes to their cache line costs time.
struct WritePart : HeapFindings {
    std::size_t bytes = 0;
    std::uint64_t writes = 0; // to each
};

template <typename A> void write_objects(WritePart& part, std::uint64_t objects) {
    for (; objects != 0; --objects) {
        void* const place = A::allocate(part.bytes);
        if (place == nullptr) [[unlikely]] {
            part.has_no_memory = true;
            return;
        }
        auto* const word = static_cast<std::uint64_t volatile*>(place);
        *word = 0;
        // Several in a turn: how long one takes depends on where the loop's code lies.
        std::uint64_t left = part.writes;
        for (; left >= 8; left -= 8) {
            *word = *word + 1;
            *word = *word + 1;
            *word = *word + 1;
            *word = *word + 1;
            *word = *word + 1;
            *word = *word + 1;
            *word = *word + 1;
            *word = *word + 1;
        }
        for (; left != 0; --left) *word = *word + 1;
        if (*word != part.writes) [[unlikely]]
            ++part.wrong;
        A::deallocate(place, part.bytes);
    }
}

// One step of a recorded trace: what a core does with which object.
struct ReplayStep {
    std::uint32_t object; // its number among the trace's allocations
    std::uint32_t bytes;
    bool is_free;
};

struct ReplayPart : HeapFindings {
    std::span<ReplayStep const> steps{}; // of this core, in their order
    std::span<std::atomic<std::uint64_t*>> objects{};
    std::size_t at = 0;
};

// As far as it gets without waiting for an object that another core has not allocated yet, up to some hundred steps;
// how many.
template <typename A> std::size_t replay_steps(ReplayPart& part) {
    constexpr std::size_t batch = 256;
    std::size_t const begin = part.at;
    std::size_t const end = std::min(part.steps.size(), begin + batch);
    for (; part.at != end; ++part.at) {
        ReplayStep const& step = part.steps[part.at];
        auto& object = part.objects[step.object];
        if (step.is_free) {
            std::uint64_t* const place = object.load(std::memory_order_acquire); // pairs with the store below
            if (place == nullptr) break;
            if (!holds_word(place, word_of(step.object, step.bytes))) [[unlikely]]
                ++part.wrong;
            object.store(nullptr, std::memory_order_relaxed);
            A::deallocate(place, step.bytes);
        } else {
            auto* const place = static_cast<std::uint64_t*>(A::allocate(step.bytes));
            if (place == nullptr) [[unlikely]] {
                part.has_no_memory = true;
                break;
            }
            write_word(place, word_of(step.object, step.bytes));
            object.store(place, std::memory_order_release); // the word, too
        }
    }
    return part.at - begin;
}

} // namespace mxk::bench
