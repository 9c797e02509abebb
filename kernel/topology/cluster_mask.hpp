// A set of processors in one word, whose size does not depend on how many there are: one bit stands for a cluster of
// 2^k neighbours, so a set of far apart members is a coarser one, with more members than were added, and never one
// fewer. Processors are numbered so that those which are near each other in the machine have numbers near each other
// (processor_numbers.hpp): then the members of a cluster are near each other, too. (V. Uhlig, Scalability of
// Microkernel-Based Systems, Karlsruhe 2005: cluster masks.)
//
//     63      37  36    32  31                               0
//     |  first  |    k    | bit i: the cluster number first + i |      cluster n: processors n * 2^k to (n + 1) * 2^k -
//     1
//
// An empty set is the word 0. A value like a number: copied, compared, and held in an atomic as word().
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace mxk {

class ClusterMask {
  public:
    static constexpr std::size_t max_processors = std::size_t{1} << 20;
    static constexpr unsigned clusters = 32; // that the bits stand for

    constexpr ClusterMask() = default;
    // What word() gave.
    static constexpr ClusterMask from_word(std::uint64_t word) {
        ClusterMask result;
        result.word_ = word;
        return result;
    }
    [[nodiscard]] constexpr std::uint64_t word() const { return word_; }

    [[nodiscard]] constexpr bool empty() const { return bits() == 0; }
    // Processors of one cluster.
    [[nodiscard]] constexpr std::size_t cluster_size() const { return std::size_t{1} << level(); }

    // `processor` < max_processors, also below.
    [[nodiscard]] constexpr bool contains(std::size_t processor) const {
        std::size_t const place = (processor >> level()) - first();
        return place < clusters && (bits() >> place & 1) != 0; // what is before the first one becomes a large number
    }

    constexpr void add(std::size_t processor) { *this |= single(processor); }
    // All of both, by clusters no larger than they have to be.
    constexpr ClusterMask& operator|=(ClusterMask other) {
        if (other.empty()) return *this;
        if (empty()) return *this = other;
        ClusterMask mine = *this;
        while (mine.level() < other.level()) mine = mine.coarser();
        while (other.level() < mine.level()) other = other.coarser();
        for (;; mine = mine.coarser(), other = other.coarser()) {
            std::size_t const from = mine.first() < other.first() ? mine.first() : other.first();
            std::size_t const last = mine.last() > other.last() ? mine.last() : other.last();
            if (last - from >= clusters) continue;
            auto const all = std::uint64_t{mine.bits()} << (mine.first() - from) | std::uint64_t{other.bits()}
                                                                                       << (other.first() - from);
            return *this = made(mine.level(), from, static_cast<std::uint32_t>(all));
        }
    }
    friend constexpr ClusterMask operator|(ClusterMask one, ClusterMask other) { return one |= other; }

    // Whether every member of `other` is one of this set.
    [[nodiscard]] constexpr bool includes(ClusterMask other) const { return (*this | other) == *this; }

    // visit(processor) for each member below `count`, ascending.
    template <typename Visit> constexpr void for_each(std::size_t count, Visit visit) const {
        for (std::uint32_t left = bits(); left != 0; left &= left - 1) {
            std::size_t const cluster = first() + static_cast<unsigned>(std::countr_zero(left));
            for (std::size_t i = 0; i < cluster_size(); ++i) {
                std::size_t const processor = (cluster << level()) + i;
                if (processor >= count) return;
                visit(processor);
            }
        }
    }

    constexpr bool operator==(ClusterMask const&) const = default;

  private:
    static constexpr ClusterMask single(std::size_t processor) { return made(0, processor, 1); }
    // The lowest bit of a set that is not empty is set, so that equal sets of one level are equal words.
    static constexpr ClusterMask made(unsigned level, std::size_t first, std::uint32_t bits) {
        return from_word(std::uint64_t{first} << first_shift | std::uint64_t{level} << level_shift | bits);
    }
    [[nodiscard]] constexpr ClusterMask coarser() const {
        std::size_t const from = first() / 2;
        std::uint64_t const aligned = std::uint64_t{bits()} << first() % 2; // 33 bits, from an even cluster on
        std::uint32_t together = 0;
        for (unsigned i = 0; i <= clusters / 2; ++i)
            together |= static_cast<std::uint32_t>((aligned >> 2 * i & 3) != 0) << i;
        return made(level() + 1, from, together);
    }

    [[nodiscard]] constexpr std::uint32_t bits() const { return static_cast<std::uint32_t>(word_); }
    [[nodiscard]] constexpr unsigned level() const { return static_cast<unsigned>(word_ >> level_shift & 31); }
    [[nodiscard]] constexpr std::size_t first() const { return word_ >> first_shift; } // cluster
    [[nodiscard]] constexpr std::size_t last() const {
        return first() + static_cast<unsigned>(std::bit_width(bits())) - 1;
    }

    static constexpr unsigned level_shift = 32;
    static constexpr unsigned first_shift = 37;
    std::uint64_t word_ = 0;
};

} // namespace mxk
