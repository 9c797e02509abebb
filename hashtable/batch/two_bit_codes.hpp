// Codes of two bits, one for each place of a batch.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace mxk {

template <std::size_t capacity> class TwoBitCodes {
  public:
    static constexpr std::size_t per_word = 32;

    // The first `count` all this one, the others 0.
    [[nodiscard]] static TwoBitCodes all(std::uint64_t code, std::size_t count) {
        TwoBitCodes result;
        for (std::uint64_t& word : result.words_) {
            std::size_t const here = count < per_word ? count : per_word;
            word = bit_of_each * code & used(here);
            count -= here;
        }
        return result;
    }

    [[nodiscard]] std::uint64_t operator[](std::size_t at) const {
        return words_[at / per_word] >> 2 * (at % per_word) & 3;
    }
    // At a place that has 0; or at several from `at` on, two bits for each, all of one word.
    void add(std::size_t at, std::uint64_t codes) { words_[at / per_word] |= codes << 2 * (at % per_word); }
    // Whether one of them has these bits, whatever else it has.
    [[nodiscard]] bool has(std::uint64_t code) const {
        std::uint64_t found = 0;
        for (std::uint64_t const word : words_) {
            std::uint64_t each = bit_of_each;
            if ((code & 1) != 0) each &= word;
            if ((code & 2) != 0) each &= word >> 1;
            found |= each;
        }
        return found != 0;
    }
    // Whether all are 0.
    [[nodiscard]] bool none() const {
        std::uint64_t found = 0;
        for (std::uint64_t const word : words_) found |= word;
        return found == 0;
    }

    // Without a branch, and without the call to memcmp that a defaulted one is.
    bool operator==(TwoBitCodes const& other) const {
        std::uint64_t different = 0;
        for (std::size_t i = 0; i < words_.size(); ++i) different |= words_[i] ^ other.words_[i];
        return different == 0;
    }

  private:
    static_assert(capacity % per_word == 0);
    static constexpr std::uint64_t bit_of_each = 0x5555'5555'5555'5555;
    static constexpr std::uint64_t used(std::size_t count) {
        return count == per_word ? ~std::uint64_t{0} : (std::uint64_t{1} << 2 * count) - 1;
    }

    std::array<std::uint64_t, capacity / per_word> words_{};
};

} // namespace mxk
