// Keys of a few buckets of a table, changed by its owner again and again, and read in place by others meanwhile: what
// each reader finds of a key is right for some moment of its look. For the host and the kernel.
//
//     key 0..stable-1 of a bucket     always there; its value only grows
//     the next ones                   come and go; the value says which key it is, and how often it has come
//     the ones behind                 never there
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "bench/workload/random.hpp"
#include "hashtable/hash.hpp"
#include "hashtable/insert.hpp"

namespace mxk::test {

// Table: Bucketed, or one that grows. Its keys' hashes are the caller's.
template <typename Table> class ReadInPlace {
  public:
    // Of the number of a bucket's key, with neighbours, where it is one of a Bucketed's first buckets.
    using HashOf = std::uint64_t (*)(std::uint64_t bucket, std::uint64_t number);
    static std::uint64_t neighbours(std::uint64_t bucket, std::uint64_t number) { return bucket << 48 | (number + 1); }

    static constexpr std::uint64_t buckets = 3; // of them the keys are
    static constexpr std::uint64_t stable = 3;
    static constexpr std::uint64_t passing = 12; // three lines behind the first one, now and then
    static constexpr std::uint64_t never = 3;

    // `table` has one region, and none of these keys.
    explicit ReadInPlace(Table& table, HashOf hash_of = &neighbours)
        : table_(table)
        , hash_of_(hash_of) {
        for (std::uint64_t bucket = 0; bucket < buckets; ++bucket)
            for (std::uint64_t number = 0; number < stable; ++number) put(bucket, number);
    }

    [[nodiscard]] std::uint64_t key(std::uint64_t bucket, std::uint64_t number) const {
        return MixedHash::inverse(hash_of_(bucket, number));
    }

    // The owner: one change, of a random key.
    void change(bench::Random& random) {
        std::uint64_t const bucket = random.below(buckets);
        std::uint64_t const number = random.below(stable + passing);
        std::uint64_t const at = key(bucket, number);
        if (number < stable) return put(bucket, number);
        if (table_.erase(at)) return;
        wrong_by_owner += table_.insert(at, value(number, next_)) == Insert::Inserted ? 0U : 1U;
        ++next_;
    }

    // Another core or thread, with what it has seen itself.
    struct Reader {
        std::array<std::uint64_t, buckets * stable> last{};
        std::uint64_t wrong = 0;
        std::uint64_t found = 0;

        void look(ReadInPlace const& all, bench::Random& random) {
            std::uint64_t const bucket = random.below(buckets);
            std::uint64_t const number = random.below(stable + passing + never);
            std::optional<std::uint64_t> const seen = all.table_.read(all.key(bucket, number));
            if (number >= stable + passing) return count(!seen);
            if (number >= stable) {
                if (!seen) return;
                ++found;
                return count(number_in(*seen) == number);
            }
            if (!seen) return count(false);
            std::uint64_t& before = last[bucket * stable + number];
            count(number_in(*seen) == number && *seen >= before);
            before = *seen;
        }
        void count(bool is_right) { wrong += is_right ? 0U : 1U; }
    };

    std::uint64_t wrong_by_owner = 0;

  private:
    static constexpr std::uint64_t value(std::uint64_t number, std::uint64_t times) { return number << 56 | times; }
    static constexpr std::uint64_t number_in(std::uint64_t value) { return value >> 56; }
    void put(std::uint64_t bucket, std::uint64_t number) {
        table_.upsert(key(bucket, number), value(number, next_));
        ++next_;
    }

    Table& table_;
    HashOf hash_of_;
    std::uint64_t next_ = 0;
};

} // namespace mxk::test
