// Reads what base/deflate.hpp and base/base45.hpp have written, by their RFCs alone.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace mxk {

inline std::vector<std::uint8_t> from_base45(std::string_view text) {
    constexpr std::string_view alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:";
    std::vector<std::uint8_t> bytes;
    for (; !text.empty(); text.remove_prefix(text.size() < 3 ? text.size() : 3)) {
        std::size_t value = alphabet.find(text[0]) + 45 * alphabet.find(text.at(1));
        if (text.size() > 2) value += 45 * 45 * alphabet.find(text[2]);
        if (text.size() > 2) bytes.push_back(static_cast<std::uint8_t>(value >> 8));
        bytes.push_back(static_cast<std::uint8_t>(value));
    }
    return bytes;
}

// One block with fixed codes (RFC 1951), which must take all bytes.
class Inflater {
  public:
    explicit Inflater(std::span<std::uint8_t const> bytes)
        : bytes_(bytes) {}

    std::string text() {
        constexpr unsigned lengths[] = {3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
                                        31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
        if (bits(3) != 3) throw std::runtime_error("another kind of block");
        std::string text;
        while (true) {
            unsigned const symbol = next_symbol();
            if (symbol == 256) break;
            if (symbol < 256) {
                text += static_cast<char>(symbol);
                continue;
            }
            unsigned const code = symbol - 257;
            std::size_t const length = lengths[code] + bits(code < 8 || code == 28 ? 0 : code / 4 - 1);
            unsigned const far = code_bits(5);
            unsigned const extra = far < 4 ? 0 : far / 2 - 1;
            std::size_t const distance = (far < 4 ? far : (2 + far % 2) << extra) + 1 + bits(extra);
            if (distance > text.size()) throw std::runtime_error("a match before the beginning");
            for (std::size_t i = 0; i < length; ++i) text += text[text.size() - distance];
        }
        if ((at_ + 7) / 8 != bytes_.size()) throw std::runtime_error("more bytes than text");
        return text;
    }

  private:
    unsigned bits(unsigned count) {
        unsigned value = 0;
        for (unsigned i = 0; i < count; ++i, ++at_) value |= static_cast<unsigned>(bytes_[at_ / 8] >> at_ % 8 & 1) << i;
        return value;
    }
    unsigned code_bits(unsigned count) {
        unsigned value = 0;
        while (count-- > 0) value = value << 1 | bits(1);
        return value;
    }
    unsigned next_symbol() {
        unsigned code = code_bits(7);
        if (code < 0b001'1000) return 256 + code;
        code = code << 1 | bits(1);
        if (code < 0b1100'0000) return code - 0b0011'0000;
        if (code < 0b1100'1000) return code - 0b1100'0000 + 280;
        return (code << 1 | bits(1)) - 0b1'1001'0000 + 144;
    }

    std::span<std::uint8_t const> bytes_;
    std::size_t at_ = 0; // in bits
};

} // namespace mxk
