#include "bench/workload/workload.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <limits>
#include <optional>
#include <string_view>

#include "arch/files.hpp"
#include "base/units.hpp"
#include "hashtable/fraction.hpp"
#include "hashtable/hash.hpp"
#include "kernel/memory/scratch_memory.hpp"

namespace mxk::bench {
namespace {

constexpr std::size_t max_bytes = 256 * GiB;

// A line as part of a message: short, and nothing that a terminal would obey.
FixedText<24> shown(std::string_view line) {
    FixedText<24> text;
    for (char const c : line) text.append(c >= ' ' && c <= '~' ? std::string_view(&c, 1) : "?");
    return text;
}

// 16 and more: none.
unsigned digit_of(char c) {
    if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
    auto const letter = static_cast<unsigned char>(c | 0x20);
    return letter >= 'a' && letter <= 'z' ? letter - 'a' + 10U : 16U;
}

std::optional<std::uint64_t> parse_key(std::string_view text) {
    unsigned const base = text.starts_with("0x") || text.starts_with("0X") ? 16 : 10;
    if (base == 16) text.remove_prefix(2);
    std::uint64_t key = 0;
    for (char const c : text) {
        unsigned const digit = digit_of(c);
        if (digit >= base || key > (Keys::max - digit) / base) return {};
        key = key * base + digit;
    }
    return key == 0 ? std::nullopt : std::optional(key); // 0 also where there is no digit
}

// Which keys there are already: an open hash table of their numbers.
class Seen {
  public:
    // For as many keys as `keys` has room for.
    static Result<Seen> create(NodeArray<std::uint64_t> const& keys, std::size_t max, NodeId node) {
        Seen result(keys);
        result.places_ = MXK_TRY(NodeArray<std::uint32_t>::create_zeroed(2 * max, node));
        return result;
    }

    // The number of the same key, or none: then it is remembered that `number` is.
    std::optional<std::size_t> remember(std::size_t number) {
        std::size_t place = high_product(MixedHash()(keys_[number]), places_.size());
        for (; places_[place] != 0; place = place + 1 == places_.size() ? 0 : place + 1)
            if (keys_[places_[place] - 1] == keys_[number]) return places_[place] - 1;
        places_[place] = static_cast<std::uint32_t>(number + 1);
        return {};
    }

  private:
    explicit Seen(NodeArray<std::uint64_t> const& keys)
        : keys_(keys.data()) {}

    std::uint64_t const* keys_;
    NodeArray<std::uint32_t> places_; // 1 more than the number; 0: none
};

// Cuts the next line off `rest`.
std::string_view next_line(std::string_view& rest) {
    std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
}

Result<NodeArray<std::uint64_t>> parse_keys(std::string_view text, std::uint64_t count, NodeId node) {
    auto keys = MXK_TRY(NodeArray<std::uint64_t>::create(count, node));
    Seen seen = MXK_TRY(Seen::create(keys, count, node));
    for (std::size_t i = 0; i < count; ++i) {
        if (text.empty()) return Error::of("expected {} keys, one for each of --ops, got {}", count, i);
        std::string_view const line = next_line(text);
        auto const key = parse_key(line);
        if (!key)
            return Error::of("line {}: expected a key from 1 to {}, decimal or 0x and hexadecimal, got '{}'", i + 1,
                             Keys::max, shown(line).view());
        keys[i] = *key;
        if (auto const before = seen.remember(i))
            return Error::of("line {}: expected a key that is on no line before, got '{}' as on line {}", i + 1,
                             shown(line).view(), *before + 1);
    }
    return keys;
}

Result<NodeArray<std::uint64_t>> read_file(std::string_view path, std::uint64_t count, NodeId node) {
    memory::ScratchMemory memory(node);
    Arena arena(memory);
    auto const bytes = MXK_TRY(arch::read_file(path, max_bytes, arena));
    return parse_keys({reinterpret_cast<char const*>(bytes.data()), bytes.size()}, count, node);
}

} // namespace

Result<NodeArray<std::uint64_t>> read_keys(Workload& workload, NodeId node) {
    static_assert(Workload::max_operations < std::numeric_limits<std::uint32_t>::max(),
                  "Seen keeps numbers in 32 bits");
    if (workload.keys.kind != Keys::Kind::File) return NodeArray<std::uint64_t>();
    auto keys = read_file(workload.keys.path, workload.operations, node);
    if (!keys) return Error::of("--keys file: {}", keys.error().message());
    workload.keys.listed = keys.value().span().first(workload.operations);
    return keys;
}

} // namespace mxk::bench
