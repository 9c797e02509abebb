// Which keys a run uses: numbers that look `random`, 1, 2, 3 ... (`sequential`), N, 2 N, 3 N ... (`strided:N`), or
// those that a file lists (`file:PATH`). All are different, and none is 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/result.hpp"
#include "base/text.hpp"

namespace mxk::bench {

struct Keys {
    enum class Kind : std::uint8_t { Random, Strided, File };

    // Some tables mark what they have erased by the one number above.
    static constexpr std::uint64_t largest = ~std::uint64_t{0} - 1;
    static constexpr std::size_t longest_path = 240; // what the records of a run have room for

    Kind kind = Kind::Random;
    std::uint64_t stride = 1;                   // 1: sequential
    std::string_view path = {};                 // valid while the command runs
    std::span<std::uint64_t const> listed = {}; // what the file at `path` says, once read_keys() has read it
};

// What kernel/console/options.hpp asks of an option's type.
Result<void> parse_value(std::string_view text, Keys& keys);
void print_value(TextSink& out, Keys const& keys);
void describe_value(TextSink& out, Keys const& keys);

} // namespace mxk::bench
