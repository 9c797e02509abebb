// A bucket of a Bucketed table that others read in place while its owner changes it; of erases, every second one brings
// the version back.
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hashtable/layout/bucketed.hpp"
#include "tests/model/bucket_use.hpp"

namespace mxk::test {
namespace {

// A table of one bucket, whose keys are their own hashes.
class OneBucket {
  public:
    explicit OneBucket(double) {}
    Insert insert(std::uint64_t key, std::uint64_t value) { return table_.insert(key, value, at(key)); }
    bool update(std::uint64_t key, std::uint64_t value) { return table_.update(key, value, at(key)); }
    bool erase(std::uint64_t key) { return table_.erase(key, at(key)); }
    [[nodiscard]] auto* find(std::uint64_t key) { return Bucketed::find(key, at(key)); }
    [[nodiscard]] std::optional<std::uint64_t> read(std::uint64_t key) const { return table_.read(at(key)); }
    [[nodiscard]] std::size_t size() const { return table_.size(); }
    [[nodiscard]] std::size_t lines() const { return table_.lines_behind(); }
    [[nodiscard]] std::size_t pairs() const {
        std::size_t pairs = 0;
        PairBucket::for_each(line_, [&pairs](std::uint64_t, std::uint64_t) { ++pairs; });
        return pairs;
    }
    static void work() {}
    static void move() {}
    static void pass(std::size_t) {}

  private:
    [[nodiscard]] Bucketed::Position at(std::uint64_t key) const { return {key, &line_}; }

    PairLine& line_ = *ModelMemory::make<PairLine>();
    Bucketed& table_ = *ModelMemory::make<Bucketed>(
        std::span(&line_, 1), MultiplicativePlacement(MultiplicativePlacement::min_buckets), NodeId{});
};

constexpr char const* no_line = "in no line nothing is found, and its address is 0";
constexpr char const* other_way = "the other way does the same";

TEST(Model, Bucket) {
    using enum Does;
    BucketUse<OneBucket> bucket(1);
    Protocol("bucket")
        .use(bucket.use("the owner alone", 3, {{{Insert, 3}, {Erase, 4}, {Erase, 3}, {Insert, 4}, {Update, 4}}}))
        .use(bucket.use("alone, full", 4, {{{Insert, 4}, {Update, 5}, {Erase, 5}, {Insert, 5}, {Insert, 5}}}))
        .use(bucket.use("alone, a line behind", 5,
                        {{{Insert, 5}, {Erase, 6}, {Erase, 1}, {Insert, 5}, {Insert, 6}, {Update, 5}, {Erase, 5}}}))
        .use(bucket.use("alone, two lines behind", 9,
                        {{{Insert, 9},
                          {Insert, 5},
                          {Erase, 2},
                          {Insert, 10},
                          {Insert, 11},
                          {Erase, 5},
                          {Erase, 9},
                          {Insert, 5},
                          {Erase, 11},
                          {Erase, 7},
                          {Update, 8}}}))
        .use(bucket.use("alone, no memory", 4, {{{Forget}, {Insert, 5}, {Erase, 1}, {Insert, 5}, {Insert, 6}}}))
        .use(bucket.use("alone, not there, but one like it", 6, {{{Erase, 13}, {Update, 14}}, {{Find, 13}}}))
        .use(bucket.use("comes", 0, {{{Insert, 1}}, {{Find, 1}}}))
        .use(bucket.use("comes behind", 4, {{{Insert, 5}, {Insert, 6}}, {{Find, 5}, {Find, 6}}}))
        .use(bucket.use("is overwritten", 1, {{{Update, 1}}, {{Find, 1}, {Find, 1}}}))
        .use(bucket.use("goes, and another comes", 1, {{{Erase, 1}, {Insert, 2}}, {{Find, 1}, {Find, 2}}}))
        .use(bucket.use("is back, and the version, too", 1, {around(1, 2), {{Find, 1}}}))
        .use(bucket.use("the other one, likewise", 1, {around(1, 2), {{Find, 2}}}))
        .use(bucket.use("behind, likewise", 5, {around(5, 6), {{Find, 5}}}, true))
        .use(bucket.use("goes from behind", 6, {{{Erase, 5}}, {{Find, 5}, {Find, 6}}}))
        .use(bucket.use("goes from behind, and a line with it", 5, {{{Erase, 5}, {Insert, 6}}, {{Find, 5}, {Find, 6}}}))
        .use(bucket.use("moves from line to line", 9, {{{Erase, 5}}, {{Find, 9}, {Find, 5}}}))
        .use(bucket.use("stays where lines go", 9, {{{Erase, 9}, {Erase, 8}}, {{Find, 7}}}))
        .check({"pair_line,", "pair_bucket,", "bucketed,"},
               {{"bucketed, erase() condition 2: always", "more eras than are needed"},
                {"pair_bucket, erase() condition 2: always", no_line},
                {"pair_bucket, erase_behind() condition 3: always", no_line},
                {"pair_bucket, find() condition 2: always", no_line},
                {"pair_bucket, find_behind() condition 1: never", "the filter saves work"},
                {"pair_bucket, has_place() condition: never", other_way},
                {"pair_bucket, insert() condition 2: always", other_way},
                {"pair_bucket, insert_behind() condition 2: always", no_line},
                {"pair_bucket, insert_behind() condition 8: never", no_line},
                {"pair_bucket, read_behind() condition 4: never", "it is looked at again in the end"},
                {"pair_bucket, read_first() condition 2: never", other_way}});
}

} // namespace
} // namespace mxk::test
