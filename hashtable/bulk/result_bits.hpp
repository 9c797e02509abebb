// The results of a piece of a bulk call, on their way to a bit mask: written as bytes in any order, which no two
// operations share, then sixteen at a time as bits.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace mxk {

template <std::size_t capacity> class ResultBits {
    static_assert(capacity % 64 == 0);

  public:
    void set(std::size_t at, bool result) { bytes_[at] = result ? 0xff : 0; }

    // The first `count` results, all of which were set, to as many bits from the span's first on, and zeros up to the
    // end of the last word; to nowhere if the span is empty. Gives how many are true.
    std::size_t write(std::span<std::uint64_t> mask, std::size_t count) {
        std::fill(bytes_.begin() + static_cast<std::ptrdiff_t>(count),
                  bytes_.begin() + static_cast<std::ptrdiff_t>((count + 63) / 64 * 64), std::uint8_t{0});
        std::size_t sum = 0;
        for (std::size_t from = 0; from < count; from += 64) {
            std::uint64_t word = 0;
            for (std::size_t part = 0; part < 4; ++part) word |= sixteen(from + 16 * part) << 16 * part;
            sum += static_cast<std::size_t>(std::popcount(word));
            if (!mask.empty()) mask[from / 64] = word;
        }
        return sum;
    }

  private:
    using Bytes [[gnu::vector_size(16)]] = char;

    [[nodiscard]] std::uint64_t sixteen(std::size_t from) const {
        auto const& bytes = *reinterpret_cast<Bytes const*>(bytes_.data() + from);
        return static_cast<std::uint64_t>(static_cast<unsigned>(__builtin_ia32_pmovmskb128(bytes)));
    }

    alignas(16) std::array<std::uint8_t, capacity> bytes_; // not set beforehand
};

} // namespace mxk
