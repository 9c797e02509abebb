// Hashes of a bulk table: of a word that of all tables here; of longer keys products of 128 bits whose halves are
// folded together, by the scheme of wyhash (Wang Yi, final version 4), two words for each. Not keyed: who may choose
// the keys can choose many of one hash, which makes a table slow, not wrong.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "hashtable/hash.hpp"

namespace mxk {

constexpr std::uint64_t folded_product(std::uint64_t a, std::uint64_t b) {
    __extension__ using Wide = unsigned __int128;
    Wide const product = static_cast<Wide>(a) * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

constexpr std::uint64_t hash_of_word(std::uint64_t word) {
    return MixedHash()(word);
}

namespace key_hash {

inline constexpr std::uint64_t secrets[] = {0xa076'1d64'78bd'642f, 0xe703'7ed1'a0b4'28db, 0x8ebc'6af0'9c88'c6e3};

template <typename Word> std::uint64_t load(char const* at) {
    Word word{};
    std::memcpy(&word, at, sizeof word);
    return word;
}

} // namespace key_hash

inline std::uint64_t hash_of_bytes(char const* bytes, std::size_t size) {
    using namespace key_hash;
    std::uint64_t hash = secrets[0];
    std::size_t left = size;
    for (; left > 16; left -= 16, bytes += 16)
        hash = folded_product(load<std::uint64_t>(bytes) ^ secrets[1], load<std::uint64_t>(bytes + 8) ^ hash);
    std::uint64_t first = 0; // the last 16 bytes or less; the two may overlap
    std::uint64_t last = 0;
    if (left >= 8) {
        first = load<std::uint64_t>(bytes);
        last = load<std::uint64_t>(bytes + left - 8);
    } else if (left >= 4) {
        first = load<std::uint32_t>(bytes);
        last = load<std::uint32_t>(bytes + left - 4);
    } else if (left > 0) {
        first = load<std::uint8_t>(bytes) << 16 | load<std::uint8_t>(bytes + left / 2) << 8 |
                load<std::uint8_t>(bytes + left - 1);
    }
    return folded_product(secrets[1] ^ size, folded_product(first ^ secrets[1], last ^ hash) ^ secrets[2]);
}

} // namespace mxk
