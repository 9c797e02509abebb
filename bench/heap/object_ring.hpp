// Objects on their way from the core that allocated them to the one that frees them: a bounded ring of pointers with
// one sender and one receiver. What stands in the objects says their order in it (live_object.hpp).
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/units.hpp"
#include "bench/heap/live_object.hpp"

namespace mxk::bench {

class ObjectRing {
  public:
    static constexpr std::size_t capacity = 256;

    // `number`: of this ring among `rings`; so all objects on their way have different words.
    ObjectRing(std::size_t number, std::size_t rings)
        : numbers_{number}
        , step_(rings)
        , expected_{number} {}
    ObjectRing(ObjectRing const&) = delete;
    ObjectRing& operator=(ObjectRing const&) = delete;

    // The sender's. push() needs room.
    [[nodiscard]] bool has_room() {
        std::size_t const sent = sent_.load(std::memory_order_relaxed);
        if (sent - seen_received_ < capacity) return true;
        seen_received_ = received_.load(std::memory_order_acquire); // pairs with pop(): the place is free again
        return sent - seen_received_ < capacity;
    }
    // What the next object has to hold.
    std::uint64_t next_word(std::size_t bytes) { return word_of(numbers_.value += step_, bytes); }
    void push(std::uint64_t* place) {
        std::size_t const sent = sent_.load(std::memory_order_relaxed);
        places_[sent % capacity] = place;
        sent_.store(sent + 1, std::memory_order_release); // pairs with pop(): the object's contents, too
    }

    // The receiver's; null: there is none.
    std::uint64_t* pop() {
        std::size_t const received = received_.load(std::memory_order_relaxed);
        if (received == seen_sent_) {
            seen_sent_ = sent_.load(std::memory_order_acquire);
            if (received == seen_sent_) return nullptr;
        }
        std::uint64_t* const place = places_[received % capacity];
        received_.store(received + 1, std::memory_order_release);
        return place;
    }
    std::uint64_t expected_word(std::size_t bytes) { return word_of(expected_.value += step_, bytes); }

  private:
    struct Number {
        std::uint64_t value;
    };
    alignas(cache_line_bytes) std::atomic<std::size_t> sent_{0};
    std::size_t seen_received_ = 0;
    Number numbers_;
    std::uint64_t step_;
    alignas(cache_line_bytes) std::atomic<std::size_t> received_{0};
    std::size_t seen_sent_ = 0;
    Number expected_;
    alignas(cache_line_bytes) std::array<std::uint64_t*, capacity> places_{};
};

} // namespace mxk::bench
