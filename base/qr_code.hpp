// A text as a QR code (ISO/IEC 18004): alphanumeric mode, error correction level M (a code is read with 15 % of it
// damaged, as by a reflection), versions 1 to 25. Always mask 0, the chessboard: what is drawn here is compressed, as
// if by chance, so that none of the eight masks is better for it, and padding becomes stripes, not areas. Allocates
// nothing, never blocks; one core at a time.
//
//     modules(version) = 17 + 4 * version on each side; around them a reader needs four that are light
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace mxk {

class QrCode {
  public:
    static constexpr unsigned max_version = 25;
    static constexpr std::size_t quiet_zone = 4; // modules
    // What a text may consist of, and in the order of its values.
    static constexpr std::string_view alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:";

    static constexpr std::size_t modules(unsigned version) { return 17 + 4 * std::size_t{version}; }
    // How many characters a code of this version holds.
    static std::size_t room(unsigned version);

    // `text`: up to room(version) characters of the alphabet.
    void draw(std::string_view text, unsigned version);
    // Of the last one drawn.
    [[nodiscard]] std::size_t size() const { return modules(version_); }
    [[nodiscard]] bool is_dark(std::size_t column, std::size_t row) const { return dark_[at(column, row)]; }

    // What stands in a code beside the text: 15 bits that say level and mask, 18 bits that say the version.
    static std::uint32_t format_bits(unsigned level_and_mask);
    static std::uint32_t version_bits(unsigned version);
    // The check bytes behind `data`: a Reed-Solomon code over GF(256), as long as `check`.
    static void make_check_bytes(std::string_view data, std::uint8_t* check, std::size_t count);

  private:
    static constexpr std::size_t max_modules = 17 + 4 * max_version;
    static constexpr std::size_t max_codewords = 1588; // of version 25

    static constexpr std::size_t at(std::size_t column, std::size_t row) { return row * max_modules + column; }
    void fix(std::size_t column, std::size_t row, bool is_dark);
    void draw_patterns();
    void draw_finder(std::size_t column, std::size_t row);
    void draw_alignments();
    void draw_format();
    void draw_version();
    void encode(std::string_view text);
    void interleave();
    void draw_codewords();

    unsigned version_ = 0;                        // none yet
    std::array<char, max_codewords> data_{};      // block by block
    std::array<char, max_codewords> codewords_{}; // as they are drawn
    std::array<bool, max_modules * max_modules> dark_{};
    std::array<bool, max_modules * max_modules> fixed_{}; // is no part of the text
};

} // namespace mxk
