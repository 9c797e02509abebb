// Hashes for tables that place by the high bits of 64 (extendible.hpp): any function of a key that gives a number whose
// bits are all as good as random will do, and may be given to a table as a type of its own, with state if it has some.
//
//     struct MyHash { std::uint64_t operator()(MyKey const& key) const; };
//
// A hash that is the same for many keys is not wrong, but slow, and more than a block of one hash do not fit.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "hashtable/byte_key.hpp"
#include "hashtable/fraction.hpp"
#include "hashtable/modulo.hpp"

namespace mxk {

// The default: sequences, steps of any length and keys that differ in their high bits only come out as if random. Two
// rounds of xor-shift and multiplication, the scheme of MurmurHash3's last step (Appleby) without its last shift, which
// only concerns the low bits. For a number it is a bijection, which `inverse` takes back.
struct MixedHash {
    constexpr std::uint64_t operator()(std::uint64_t key) const { return half_mixed(key) * second_factor; }
    [[nodiscard]] static constexpr std::uint64_t inverse(std::uint64_t hash) {
        hash *= inverse_of_second_factor;
        hash ^= hash >> second_shift ^ hash >> 2 * second_shift;
        hash *= inverse_of_first_factor;
        return hash ^ hash >> first_shift;
    }

    // The hash times a number, modulo 2^64, for no more than the hash.
    class Multiple {
      public:
        explicit constexpr Multiple(std::uint64_t number)
            : factor_(second_factor * number) {}
        constexpr std::uint64_t operator()(std::uint64_t key) const { return half_mixed(key) * factor_; }

      private:
        std::uint64_t factor_;
    };

    // Word by word, each mixed with what came before.
    template <std::size_t Size> std::uint64_t operator()(Bytes<Size> const& key) const {
        std::uint64_t hash = Size;
        for (std::size_t i = 0; i < Bytes<Size>::words; ++i) hash = (*this)((hash << 7 | hash >> 57) ^ key.word(i));
        return hash;
    }

  private:
    static constexpr std::uint64_t half_mixed(std::uint64_t key) {
        key ^= key >> first_shift;
        key *= first_factor;
        return key ^ key >> second_shift;
    }

    static constexpr unsigned first_shift = 32;
    static constexpr unsigned second_shift = 29;
    static constexpr std::uint64_t first_factor = 0xff51'afd7'ed55'8ccd;
    static constexpr std::uint64_t second_factor = 0xc4ce'b9fe'1a85'ec53;
    static constexpr std::uint64_t inverse_of_first_factor = 0x4f74'430c'22a5'4005;
    static constexpr std::uint64_t inverse_of_second_factor = 0x9cb4'b2f8'1293'37db;
    static_assert(first_factor * inverse_of_first_factor == 1 && second_factor * inverse_of_second_factor == 1);
    static_assert(2 * first_shift >= 64 && 3 * second_shift >= 64);
};

// The thesis' (section 3.1): in a table of n places that has not grown, place key mod n is where the key belongs. So
// that it can grow, keys of the same place are told apart by the mixed bits of key / n. A bijection, of which 0 is 0.
class ModuloHash {
  public:
    // `places` > 0.
    explicit ModuloHash(std::uint64_t places)
        : modulo_(places)
        , share_(max / places)
        , mask_(share_ == 1 ? 0 : max >> std::countl_zero(share_ - 1))
        , shift_(static_cast<unsigned>(std::bit_width(mask_) + 1) / 2) {}

    std::uint64_t operator()(std::uint64_t key) const {
        std::uint64_t const quotient = modulo_.quotient(key);
        if (quotient >= share_) return key; // one of the few behind the last place
        return modulo_(key) * share_ + mixed(quotient);
    }

  private:
    // A bijection of the numbers below the share: one of those below a power of two, until it is one of these.
    [[nodiscard]] std::uint64_t mixed(std::uint64_t number) const {
        do {
            number = (number ^ number >> shift_) * 0xff51'afd7'ed55'8ccd & mask_;
            number = (number ^ number >> shift_) * 0xc4ce'b9fe'1a85'ec53 & mask_;
        } while (number >= share_);
        return number;
    }

    static constexpr std::uint64_t max = std::numeric_limits<std::uint64_t>::max();
    Modulo modulo_;
    std::uint64_t share_; // of 2^64 that a place has
    std::uint64_t mask_;
    unsigned shift_;
};

} // namespace mxk
