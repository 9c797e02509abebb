// Compresses a text into the DEFLATE format (RFC 1951), one block with fixed codes: what Python reads by
// zlib.decompress(data, -15). For lines that repeat each other, as rows of results do: a tenth of their size. Allocates
// nothing, never blocks; one core at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace mxk {

class Deflate {
  public:
    static constexpr std::size_t max_text = 65535;

    // How many bytes of `out` it takes; nothing where it does not fit. `text`: up to `max_text` characters.
    std::optional<std::size_t> compress(std::string_view text, std::span<std::uint8_t> out);

  private:
    static constexpr std::size_t min_match = 3;
    static constexpr std::size_t hash_bits = 12;

    struct Match {
        std::size_t length = 0; // below min_match: none
        std::size_t distance = 0;
    };
    [[nodiscard]] std::size_t bucket_of(std::size_t position) const;
    void remember(std::size_t position);
    [[nodiscard]] Match best_match(std::size_t position) const;
    void put(std::uint32_t bits, unsigned count);
    void put_code(std::uint32_t code, unsigned count);
    void put_symbol(unsigned symbol);
    void put_match(Match match);

    std::string_view text_;
    std::span<std::uint8_t> out_;
    std::size_t bits_ = 0; // written, or that would have been
    // Places of equal beginnings, plus one, newest first; 0: the end.
    std::array<std::uint16_t, std::size_t{1} << hash_bits> newest_{};
    std::array<std::uint16_t, max_text> before_{};
};

} // namespace mxk
