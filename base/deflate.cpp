#include "base/deflate.hpp"

#include <algorithm>

namespace mxk {
namespace {

constexpr std::size_t max_match = 258;
constexpr std::size_t window = 32768;
constexpr int max_tries = 256; // places that are looked at for each match
constexpr unsigned end_of_block = 256;

// Lengths and distances are a code for a range and extra bits for the place in it. Ranges of a group are as long; the
// next group's are twice as long (RFC 1951 section 3.2.5).
struct Range {
    unsigned code;
    unsigned extra_bits;
    std::uint32_t rest;
};

// `value` counts from 0; `ranges` is 4 for lengths and 2 for distances; the first two groups have no extra bits.
constexpr Range range_of(std::uint32_t value, unsigned ranges) {
    unsigned extra = 0;
    while (value >> extra >= 2 * ranges) ++extra;
    return {extra * ranges + (value >> extra), extra, value & ((1U << extra) - 1)};
}
static_assert(range_of(0, 4).code == 0 && range_of(8, 4).code == 8 && range_of(8, 4).extra_bits == 1);
static_assert(range_of(254, 4).code == 27 && range_of(32767, 2).code == 29);

} // namespace

std::optional<std::size_t> Deflate::compress(std::string_view text, std::span<std::uint8_t> out) {
    text_ = text;
    out_ = out;
    bits_ = 0;
    newest_.fill(0);
    put(1, 1); // the last block
    put(1, 2); // with fixed codes
    for (std::size_t at = 0; at < text.size();) {
        Match const match = best_match(at);
        std::size_t const length = match.length >= min_match ? match.length : 1;
        if (length > 1)
            put_match(match);
        else
            put_symbol(static_cast<unsigned char>(text[at]));
        for (std::size_t end = at + length; at < end; ++at) remember(at);
    }
    put_symbol(end_of_block);
    std::size_t const bytes = (bits_ + 7) / 8;
    return bytes <= out.size() ? std::optional(bytes) : std::nullopt;
}

std::size_t Deflate::bucket_of(std::size_t position) const {
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < min_match; ++i) bits = bits << 8 | static_cast<unsigned char>(text_[position + i]);
    return (bits * 0x9e37'79b1U) >> (32 - hash_bits);
}

void Deflate::remember(std::size_t position) {
    if (position + min_match > text_.size()) return;
    std::uint16_t& newest = newest_[bucket_of(position)];
    before_[position] = newest;
    newest = static_cast<std::uint16_t>(position + 1);
}

Deflate::Match Deflate::best_match(std::size_t position) const {
    Match found;
    if (position + min_match > text_.size()) return found;
    std::size_t const max = std::min(max_match, text_.size() - position);
    std::size_t place = newest_[bucket_of(position)];
    for (int tries = 0; place != 0 && tries < max_tries; place = before_[place - 1], ++tries) {
        std::size_t const start = place - 1;
        if (position - start > window) break;
        std::size_t length = 0;
        while (length < max && text_[start + length] == text_[position + length]) ++length;
        if (length > found.length) found = {length, position - start};
    }
    return found;
}

// The lowest bit first.
void Deflate::put(std::uint32_t bits, unsigned count) {
    for (; count > 0; --count, bits >>= 1, ++bits_) {
        std::size_t const byte = bits_ / 8;
        if (byte >= out_.size()) continue;
        if (bits_ % 8 == 0) out_[byte] = 0;
        out_[byte] = static_cast<std::uint8_t>(out_[byte] | (bits & 1) << bits_ % 8);
    }
}

// The highest bit first, as codes are.
void Deflate::put_code(std::uint32_t code, unsigned count) {
    while (count > 0) put(code >> --count & 1, 1);
}

// A character, a length, or the end, in its fixed code (RFC 1951 section 3.2.6).
void Deflate::put_symbol(unsigned symbol) {
    if (symbol < 144) return put_code(0b0011'0000 + symbol, 8);
    if (symbol < 256) return put_code(0b1'1001'0000 + symbol - 144, 9);
    if (symbol < 280) return put_code(symbol - 256, 7);
    put_code(0b1100'0000 + symbol - 280, 8);
}

void Deflate::put_match(Match match) {
    if (match.length == max_match) {
        put_symbol(285); // has a code of its own
    } else {
        Range const length = range_of(static_cast<std::uint32_t>(match.length - min_match), 4);
        put_symbol(257 + length.code);
        put(length.rest, length.extra_bits);
    }
    Range const distance = range_of(static_cast<std::uint32_t>(match.distance - 1), 2);
    put_code(distance.code, 5);
    put(distance.rest, distance.extra_bits);
}

} // namespace mxk
