#include "bench/fork/tree_search.hpp"

#include <bit>

namespace mxk::bench {
namespace {

using Block = std::array<std::uint32_t, 16>;

// SHA-1 of a message that fits into one block: FIPS 180-4, section 6.1. `words` are the message's, padded.
std::array<std::uint32_t, 5> sha1(Block words) {
    constexpr std::array<std::uint32_t, 5> start{0x6745'2301, 0xefcd'ab89, 0x98ba'dcfe, 0x1032'5476, 0xc3d2'e1f0};
    auto [a, b, c, d, e] = start;
    auto const round = [&](std::uint32_t mixed, std::uint32_t constant, std::size_t t) {
        std::uint32_t& word = words[t % 16];
        if (t >= 16) word = std::rotl(words[(t - 3) % 16] ^ words[(t - 8) % 16] ^ words[(t - 14) % 16] ^ word, 1);
        std::uint32_t const next = std::rotl(a, 5) + mixed + e + constant + word;
        e = d;
        d = c;
        c = std::rotl(b, 30);
        b = a;
        a = next;
    };
#pragma GCC unroll 20
    for (std::size_t t = 0; t < 20; ++t) round((b & c) | (~b & d), 0x5a82'7999, t);
#pragma GCC unroll 20
    for (std::size_t t = 20; t < 40; ++t) round(b ^ c ^ d, 0x6ed9'eba1, t);
#pragma GCC unroll 20
    for (std::size_t t = 40; t < 60; ++t) round((b & c) | (b & d) | (c & d), 0x8f1b'bcdc, t);
#pragma GCC unroll 20
    for (std::size_t t = 60; t < 80; ++t) round(b ^ c ^ d, 0xca62'c1d6, t);
    return {start[0] + a, start[1] + b, start[2] + c, start[3] + d, start[4] + e};
}

constexpr std::uint32_t end_of_message = 0x8000'0000; // a bit 1, then bits 0

// 2^31 times 0.8^k, for k from 1 on.
constexpr auto thresholds = [] {
    std::array<double, GeometricTree::max_children> result{};
    double power = 0x1p31;
    for (double& threshold : result) threshold = power *= 0.8;
    return result;
}();

} // namespace

TreeNode TreeNode::root(std::uint32_t seed) {
    return {sha1({0, 0, 0, 0, seed, end_of_message, 0, 0, 0, 0, 0, 0, 0, 0, 0, 20 * 8}), 0};
}

TreeNode TreeNode::child(std::uint32_t number) const {
    return {sha1({state[0], state[1], state[2], state[3], state[4], number, end_of_message, 0, 0, 0, 0, 0, 0, 0, 0,
                  24 * 8}),
            depth + 1};
}

std::size_t GeometricTree::children(TreeNode const& node) {
    constexpr std::uint32_t depth = 10;
    if (node.depth >= depth) return 0;
    // Published as the logarithm of 1 - draw / 2^31 by that of 0.8, rounded down: the powers need no library.
    double const left = 0x1p31 - node.draw();
    std::size_t count = 0;
    while (count < thresholds.size() && left <= thresholds[count]) ++count;
    return count;
}

} // namespace mxk::bench
