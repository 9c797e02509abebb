// Keys that programs have: multiples of a page or a record, addresses, times, grids, counters in any byte. In every
// table that places by a hash of its own, a find looks at no more lines than with random keys, or hardly.
#include <gtest/gtest.h>

#include <bit>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "hashtable/bulk/bulk_region.hpp"
#include "hashtable/hash.hpp"
#include "hashtable/layout/cuckoo_slots.hpp"
#include "hashtable/layout/open_slots.hpp"
#include "hashtable/layout/pair_line.hpp"
#include "hashtable/partition/multiplicative_cut.hpp"
#include "hashtable/table/extendible.hpp"
#include "kernel/memory/node_vector.hpp"
#include "tests/unit/long_tests.hpp"
#include "tests/unit/memory_fixture.hpp"

namespace mxk::test {
namespace {

struct Pattern {
    std::string name;
    std::function<std::uint64_t(std::uint64_t)> key; // of numbers from 1 on, different ones
};

Pattern steps(std::uint64_t step, std::uint64_t first = 0) {
    return {std::to_string(first) + " in steps of " + std::to_string(step),
            [=](std::uint64_t i) { return first + i * step; }};
}

constexpr std::uint64_t byte_swapped(std::uint64_t i) {
    return __builtin_bswap64(i);
}
std::uint64_t decimal_digits(std::uint64_t i) {
    std::uint64_t text = 0;
    for (int digit = 0; digit < 8; ++digit, i /= 10) text = text << 8 | ('0' + i % 10);
    return text;
}

std::vector<Pattern> fixed_patterns() {
    return {
        steps(1),
        steps(2),
        steps(24),
        steps(40),
        steps(56),
        steps(64),
        steps(100),
        steps(1000),
        steps(1853),    // piled up by one product
        steps(2031616), // the same
        steps(4096),
        steps(65536),
        steps(65537),
        steps(2 << 20),
        steps(1 << 30),
        steps(1'000'000'000),
        steps(832'040), // numbers of Fibonacci, and one times a power of two
        steps(1'346'269),
        steps(14'930'352),
        steps(433'494'437),
        steps(10'946UL << 24),
        steps(std::uint64_t{1} << 32),
        steps((std::uint64_t{1} << 32) + 1),
        steps(std::uint64_t{1} << 40),
        steps(0x9e37'79b9'7f4a'7c15), // 2^64 by the golden ratio, and what it gives 1 with
        steps(0xf1de'83e1'9937'733d),
        steps(0x4f74'430c'22a5'4005), // what the hash's factors give 1 with
        steps(0x9cb4'b2f8'1293'37db),
        steps(16, 0x7fff'1234'5000), // addresses
        steps(64, 0xffff'8000'1234'0000),
        steps(1'000'000, 1'700'000'000'000'000'000), // times
        steps(~std::uint64_t{0}),                    // downwards
        steps(1, std::uint64_t{1} << 63),
        {"bytes backwards", byte_swapped},
        {"i << 48, and the rest below", [](std::uint64_t i) { return i << 48 | i >> 16; }},
        {"a grid of 1024 columns", [](std::uint64_t i) { return i / 1024 << 32 | i % 1024; }},
        {"both halves the same", [](std::uint64_t i) { return i << 32 | (i ^ i >> 1); }},
        {"squares", [](std::uint64_t i) { return i * i; }},
        {"floating-point numbers", [](std::uint64_t i) { return std::bit_cast<std::uint64_t>(double(i)); }},
        {"digits", decimal_digits},
    };
}

std::vector<Pattern> random_steps(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<Pattern> patterns;
    while (patterns.size() < 100) {
        std::uint64_t const step = random() >> random() % 40; // short ones, too
        patterns.push_back(steps(step | 1 << random() % 4));
    }
    return patterns;
}

// Lines that a find looks at, for all keys together. Each of another layout.

template <typename Key> std::uint64_t lines_in_bulk_table(std::vector<std::uint64_t> const& numbers) {
    using Region = BulkRegion<Key, std::uint64_t>;
    auto const key_of = [](std::uint64_t number) {
        Key key{};
        std::memcpy(&key, &number, sizeof number);
        return key;
    };
    constexpr unsigned bits = 4;
    auto regions = NodeVector<Region>::create(1 << bits, node_id(0)).value();
    for (int i = 0; i < 1 << bits; ++i) EXPECT_TRUE(regions.emplace(node_id(0), bits).reserve(0));
    auto const probe_of = [](Key const& key) {
        std::uint64_t const word = TableKey<Key>::word(key);
        return typename Region::Probe{word, TableKey<Key>::hash(word)};
    };
    for (std::uint64_t const number : numbers) {
        Key const key = key_of(number);
        auto const probe = probe_of(key);
        EXPECT_TRUE(regions[probe.hash >> (64 - bits)].put(probe, key, number));
    }
    std::uint64_t lines = 0;
    for (std::uint64_t const number : numbers) {
        Key const key = key_of(number);
        auto const probe = probe_of(key);
        Region& region = regions[probe.hash >> (64 - bits)];
        auto* bucket = region.home(probe.hash);
        for (++lines; Region::place_in(*bucket, probe, key) < 0; ++lines) bucket = region.next(bucket);
    }
    return lines;
}

// Of buckets that go on in lines behind the first, so many keys in each line.
std::uint64_t lines_in_buckets(std::vector<std::uint32_t> const& keys_in, std::uint32_t places) {
    std::uint64_t lines = 0;
    for (std::uint32_t const keys : keys_in)
        for (std::uint32_t at = 0; at < keys; ++at) lines += at / places + 1;
    return lines;
}
std::uint64_t lines_of_bucketed(std::vector<std::uint64_t> const& keys) {
    MultiplicativeCut const cut(keys.size() / 2, 3);
    std::vector<std::uint32_t> keys_in(cut.bucket_count() + 3);
    std::vector<MultiplicativePlacement> placements;
    for (std::size_t region = 0; region < 3; ++region) placements.push_back(cut.placement(region));
    for (std::uint64_t const key : keys) {
        std::size_t const region = cut.owner(key);
        ++keys_in[region * (cut.bucket_count() / 3 + 1) + placements[region](key)];
    }
    return lines_in_buckets(keys_in, PairLine::places);
}
// The concurrent table's chains, a key in each.
std::uint64_t nodes_of_chains(std::vector<std::uint64_t> const& keys) {
    std::vector<std::uint32_t> keys_in(std::bit_ceil(keys.size()));
    for (std::uint64_t const key : keys) ++keys_in[high_product(MixedHash()(key), keys_in.size())];
    return lines_in_buckets(keys_in, 1);
}

template <typename Cells> std::uint64_t lines_in_blocks(std::vector<std::uint64_t> const& keys) {
    using Growing = Extendible<Cells>;
    auto table = Growing::create({.slots = 1000}, node_id(0), MixedHash()).value();
    for (std::uint64_t const key : keys) {
        EXPECT_EQ(table.insert(key, 1), Insert::Inserted);
        while (table.has_work()) table.work();
    }
    std::uint64_t lines = 0;
    for (std::uint64_t const key : keys) {
        auto const at = table.position(key);
        if constexpr (requires { Cells::displaces; }) {
            lines += at.cell->slots_of(key) != 0 ? 1U : 2U;
        } else {
            auto* const cells = at.block->template cells<typename Cells::Cell>();
            auto* cell = at.cell;
            for (++lines; cell->slots_of(key) == 0; ++lines)
                cell = cell + 1 == cells + at.block->cell_count() ? cells : cell + 1;
        }
    }
    return lines;
}

struct Layout {
    char const* name;
    std::uint64_t (*lines)(std::vector<std::uint64_t> const& keys);
};
struct Pair {
    std::uint64_t first;
    std::uint64_t second;
};
constexpr Layout layouts[] = {{"mxk::Table", &lines_in_bulk_table<std::uint64_t>},
                              {"mxk::Table of longer keys", &lines_in_bulk_table<Pair>},
                              {"bucketed", &lines_of_bucketed},
                              {"chains", &nodes_of_chains},
                              {"open", &lines_in_blocks<OpenSlots<>>},
                              {"cuckoo", &lines_in_blocks<CuckooSlots<>>}};

class StructuredKeys : public MemoryTest {
  protected:
    void SetUp() override { configure({tests_are_long() ? 16 * GiB : 256 * MiB}); }

    static void expect_as_with_random_keys(std::vector<Pattern> const& patterns, std::size_t count) {
        std::mt19937_64 random(count);
        std::vector<std::uint64_t> keys(count);
        for (std::uint64_t& key : keys) key = random();
        for (Layout const& layout : layouts) {
            std::uint64_t const with_random = layout.lines(keys);
            for (Pattern const& pattern : patterns) {
                std::vector<std::uint64_t> structured(count);
                for (std::size_t i = 0; i < count; ++i) structured[i] = pattern.key(i + 1);
                double const ratio = static_cast<double>(layout.lines(structured)) / static_cast<double>(with_random);
                EXPECT_LT(ratio, 1.1) << layout.name << ", " << count << " keys: " << pattern.name;
            }
        }
    }
};

TEST_F(StructuredKeys, are_found_like_random_ones) {
    std::uint64_t const seed = std::random_device()();
    SCOPED_TRACE("seed " + std::to_string(seed));
    expect_as_with_random_keys(fixed_patterns(), 10'000);
    expect_as_with_random_keys(random_steps(seed), 10'000);
    std::vector<Pattern> const all = fixed_patterns();
    if (!tests_are_long()) return expect_as_with_random_keys({all.begin() + 8, all.begin() + 10}, 200'000);
    for (std::size_t const count : {1U << 20, 16U << 20}) {
        expect_as_with_random_keys(all, count);
        expect_as_with_random_keys(random_steps(seed), count);
    }
}

} // namespace
} // namespace mxk::test
