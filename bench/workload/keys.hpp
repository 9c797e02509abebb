// Which keys a run uses: numbers that look `random`, 1, 2, 3 ... (`sequential`), N, 2 N, 3 N ... (`strided:N`), or
// those that a file lists (`file:PATH`), all different; or numbers of so many bits that are drawn by chance for each
// operation (`random:BITS`), so that some come again. None is 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/result.hpp"
#include "base/text.hpp"
#include "bench/workload/random.hpp"
#include "hashtable/hash.hpp"
#include "kernel/console/completion.hpp"

namespace mxk::bench {

struct Keys {
    enum class Kind : std::uint8_t { Random, Strided, File, Repeated };

    static constexpr unsigned min_bits = 8;
    static constexpr unsigned max_bits = 62;

    // Some tables mark what they have erased by the one number above.
    static constexpr std::uint64_t max = ~std::uint64_t{0} - 1;
    static constexpr std::size_t max_path = 240; // what the records of a run have room for

    Kind kind = Kind::Random;
    std::uint64_t stride = 1;                   // 1: sequential
    unsigned bits = 0;                          // of Repeated
    std::string_view path = {};                 // valid while the command runs
    std::span<std::uint64_t const> listed = {}; // what the file at `path` says, once read_keys() has read it
};

// What kernel/console/options.hpp asks of an option's type.
Result<void> parse_value(std::string_view text, Keys& keys);
void print_value(TextSink& out, Keys const& keys);
void describe_value(TextSink& out, Keys const& keys);
void complete_value(console::Candidates& candidates, Keys const& keys);

// Other keys for keys, by which a table that mixes their bits places them as ModuloHash would place the keys
// themselves: so such a table needs no second hash. All different, and none is 0 or the number that is no key.
class ModuloKeys {
  public:
    // `places` > 0: of the table, as it begins.
    explicit ModuloKeys(std::uint64_t places)
        : hash_(places) {}
    std::uint64_t operator()(std::uint64_t key) const {
        std::uint64_t const other = MixedHash::inverse(hash_(key));
        return other <= Keys::max ? other : MixedHash::inverse(hash_(other));
    }

  private:
    ModuloHash hash_;
};

// The keys of a run by their number, all different and never 0. It holds nothing, so that every slice may have one.
class KeySequence {
  public:
    static constexpr std::uint64_t max_keys = std::uint64_t{1} << 62;

    // Keys that look random: a bijection of numbers that never reach 0.
    explicit KeySequence(std::uint64_t seed)
        : start_(std::uint64_t{1} << 63 | splitmix(seed) >> 2) {}
    // What `keys` says; random ones by `seed`. Those of a file must have been read, and outlive this. `others`: these
    // in place of them.
    KeySequence(Keys const& keys, std::uint64_t seed, std::optional<ModuloKeys> const& others = {})
        : KeySequence(seed) {
        others_ = others;
        if (keys.kind == Keys::Kind::Strided) stride_ = keys.stride;
        if (keys.kind == Keys::Kind::File) listed_ = keys.listed.data();
    }

    // `index` < max_keys, and below the number of keys in the file, or that check() has allowed for this stride.
    std::uint64_t operator()(std::uint64_t index) const { return others_ ? (*others_)(plain(index)) : plain(index); }

  private:
    [[nodiscard]] std::uint64_t plain(std::uint64_t index) const {
        if (listed_ != nullptr) return listed_[index];
        return stride_ != 0 ? stride_ * (index + 1) : splitmix(start_ + index);
    }

    std::uint64_t start_;
    std::uint64_t stride_ = 0;              // 0: random
    std::uint64_t const* listed_ = nullptr; // null: not of a file
    std::optional<ModuloKeys> others_{};
};

} // namespace mxk::bench
