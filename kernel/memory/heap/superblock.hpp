// A superblock: a large piece of a node's memory, which one core's heap cuts into slots of one size. It is described
// beside it: a superblock that nobody uses is not touched.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/linked_list.hpp"
#include "base/units.hpp"
#include "kernel/memory/memory.hpp"

namespace mxk::heap {

// A superblock is so many bytes, once or several times, and aligned to that.
inline constexpr std::size_t superblock_unit = 512 * KiB;

// Which of up to 640 there are.
class SlotSet {
  public:
    static constexpr std::size_t max_slots = 640;

    void fill(std::size_t slots) {
        for (std::size_t word = 0; word < words_.size(); ++word) {
            std::size_t const below = word * 64;
            words_[word] = slots >= below + 64 ? ~std::uint64_t{0}
                           : slots > below     ? (std::uint64_t{1} << (slots - below)) - 1
                                               : 0;
        }
    }
    [[nodiscard]] bool has(std::size_t slot) const { return (words_[slot / 64] >> slot % 64 & 1) != 0; }
    void add(std::size_t slot) { words_[slot / 64] |= std::uint64_t{1} << slot % 64; }
    void remove(std::size_t slot) { words_[slot / 64] &= ~(std::uint64_t{1} << slot % 64); }
    [[nodiscard]] bool empty() const {
        return std::ranges::all_of(words_, [](std::uint64_t word) { return word == 0; });
    }
    // There is one.
    [[nodiscard]] std::size_t lowest() const {
        std::size_t word = 0;
        while (words_[word] == 0) ++word;
        return word * 64 + static_cast<std::size_t>(std::countr_zero(words_[word]));
    }

  private:
    std::array<std::uint64_t, max_slots / 64> words_{};
};

struct Superblock {
    ListLinks<Superblock> links{}; // its pool's, or those with as many free slots
    memory::Block memory{};
    std::uint32_t slots = 0;
    std::uint32_t free = 0;   // slots: neither given out nor kept for the next one who wants one
    std::uint32_t cached = 0; // kept
    SlotSet free_slots{};
    SlotSet cached_slots{};
};
using SuperblockList = LinkedList<Superblock, &Superblock::links>;

} // namespace mxk::heap
