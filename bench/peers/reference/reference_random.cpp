// The bound for any data structure of this size whose keys are random: one cache line per operation, at random places
// of an array as large as the keys and values are, each line prefetched. No core touches another's lines. An insert
// adds 1 to what its line counts, a find looks, an erase subtracts 1; every line knows its place, which is checked.
#include "bench/peers/node_storage.hpp"
#include "bench/peers/reference/private_parts.hpp"
#include "hashtable/fraction.hpp"

namespace mxk::bench {
namespace {

struct alignas(cache_line_bytes) Line {
    std::uint64_t place;
    std::uint64_t keys;
};

// One core's lines.
class Lines {
  public:
    Lines(std::size_t core, std::size_t capacity)
        : lines_(zeroed_near<Line>(core, capacity * bytes_per_key / sizeof(Line) + 1)) {
        for (std::size_t at = 0; at < lines_.size(); ++at) lines_[at].place = at;
    }

    bool insert(std::uint64_t key, std::uint64_t) {
        std::size_t const place = place_of(key);
        ++lines_[place].keys;
        return lines_[place].place == place;
    }
    std::optional<std::uint64_t> find(std::uint64_t key) {
        std::size_t const place = place_of(key);
        if (lines_[place].place != place || lines_[place].keys == 0) return std::nullopt;
        return value_of(key);
    }
    bool erase(std::uint64_t key) {
        std::size_t const place = place_of(key);
        return lines_[place].place == place && lines_[place].keys-- > 0;
    }
    void prefetch(std::uint64_t key) { __builtin_prefetch(&lines_[place_of(key)]); }

    [[nodiscard]] std::size_t size() const {
        std::size_t sum = 0;
        for (Line const& line : lines_.span()) sum += line.keys;
        return sum;
    }

  private:
    static constexpr std::size_t bytes_per_key = 16; // a key and a value

    [[nodiscard]] std::size_t place_of(std::uint64_t key) const { return high_product(key, lines_.size()); }

    NodeArray<Line> lines_;
};

constexpr Peer reference_random{
    .name = "reference-random",
    .kind = Peer::Kind::Reference,
    .library = "none",
    .setup = "one random 64-byte access per operation to 16 bytes per key, prefetched 16 operations ahead",
    .no_repeats = "it holds no keys, and cannot tell whether one comes again",
    .create = &create_table<PrivateParts<Lines>>};
MXK_REGISTER(mxk_peers, Peer, reference_random);

} // namespace
} // namespace mxk::bench
