// A table whose buckets are divided, and made one again, while others read it in place. It begins with two buckets, in
// one of which are the even keys; of these, every second one goes to the third bucket.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hashtable/shared/machine_grace.hpp"
#include "hashtable/table/linear_buckets.hpp"
#include "tests/model/bucket_use.hpp"

namespace mxk::test {
namespace {

struct ModelHash {
    std::uint64_t operator()(std::uint64_t key) const { return (key & 1) << 48 | (key >> 1 & 1) << 24 | key; }
};

class LinearTable {
    using Table = LinearBuckets<ModelHash>;

  public:
    explicit LinearTable(double load)
        : table_(*ModelMemory::make<Table>(Table::create({.slots = 1, .load = load}, NodeId{}, ModelHash()).value())) {
        model_periods = &periods_;
    }
    Insert insert(std::uint64_t key, std::uint64_t value) { return table_.insert(key, value); }
    bool update(std::uint64_t key, std::uint64_t value) { return table_.update(key, value); }
    bool erase(std::uint64_t key) { return table_.erase(key); }
    [[nodiscard]] auto* find(std::uint64_t key) { return table_.find(key); }
    [[nodiscard]] std::optional<std::uint64_t> read(std::uint64_t key) const {
        periods_.begin_section();
        auto const result = table_.read(key);
        periods_.end_section();
        return result;
    }
    [[nodiscard]] std::size_t size() const { return table_.size(); }
    [[nodiscard]] std::size_t lines() const { return table_.lines_behind() << 32 | table_.bytes(); }
    [[nodiscard]] std::size_t pairs() const {
        std::size_t pairs = 0;
        table_.for_each([&pairs](std::uint64_t, std::uint64_t) { ++pairs; });
        return pairs;
    }
    void work() { table_.work(); }
    void move() { table_.move_to(node_id(1)); }
    void pass(std::size_t threads) {
        periods_.pass(threads);
        periods_.run_callbacks();
    }

  private:
    ModelPeriods& periods_ = *ModelMemory::make<ModelPeriods>();
    Table& table_;
};

TEST(Model, Linear) {
    using enum Does;
    BucketUse<LinearTable> grows(0.0625); // a quarter of a key in a line: each step of work makes a bucket
    BucketUse<LinearTable> shrinks(0.8);  // the seventh key makes a third bucket; with one left it is unmade
    std::vector<Step> const three_buckets{{Work},     {Erase, 1}, {Erase, 3}, {Erase, 4},
                                          {Erase, 5}, {Erase, 6}, {Erase, 7}};
    // Keys of the bucket that is divided: the new one takes three, of which one is behind, or one of seven, or five.
    std::vector<Step> const halves{{Erase, 1}, {Erase, 3}, {Insert, 6}, {Insert, 8}, {Insert, 10}, {Insert, 12}};
    std::vector<Step> const few{{Erase, 1},   {Erase, 3},   {Insert, 8}, {Insert, 12},
                                {Insert, 16}, {Insert, 20}, {Insert, 24}};
    std::vector<Step> const many{{Erase, 1}, {Erase, 3}, {Insert, 6}, {Insert, 10}, {Insert, 14}, {Insert, 18}};
    std::vector<Step> const nine{{Insert, 8},  {Insert, 12}, {Insert, 16}, {Insert, 20}, {Insert, 24},
                                 {Insert, 28}, {Insert, 32}, {Insert, 36}, {Insert, 5}};
    Protocol("linear")
        .use(grows.use("alone", 6, {{{Work}, {Find, 3}, {Erase, 2}, {Erase, 30}, {Insert, 10}, {Work}}}))
        .use(grows.use("alone, lines behind", 4, {{{Insert, 12}, {Work}, {Erase, 8}, {Insert, 8}}}, false, halves))
        .use(grows.use("alone, of which one stays", 4, {{{Work}, {Erase, 12}, {Insert, 12}}}, false, few))
        .use(grows.use("alone, of which one goes", 4, {{{Work}, {Erase, 18}, {Insert, 18}}}, false, many))
        .use(shrinks.use("alone, of which two stay", 4, {{{Work}, {Erase, 36}, {Insert, 2}}}, false, nine))
        .use(grows.use("alone, no memory", 4, {{{Forget}, {Work}, {Erase, 18}, {Insert, 22}}}, false, many))
        .use(grows.use("a bucket is divided", 4, {{{Work}}, {{Find, 2}, {Find, 4}}}))
        .use(grows.use("and changed", 4, {{{Work}, {Update, 2}, {Erase, 4}}, {{Find, 2}, {Find, 4}}}))
        .use(grows.use("and a key comes, and goes", 2, {{{Work}, {Erase, 2}, {Insert, 6}}, {{Find, 2}, {Find, 6}}}))
        .use(grows.use("lines behind", 4, {{{Work}}, {{Find, 10}, {Find, 12}}}, false, halves))
        .use(grows.use("a line that stays", 4, {{{Work}, {Erase, 20}}, {{Find, 20}, {Find, 2}}}, false, few))
        .use(grows.use("a line that comes", 4, {{{Work}, {Erase, 18}}, {{Find, 18}, {Find, 4}}}, false, many))
        .use(shrinks.use("alone, shrinks", 7, {{{Work}, {Insert, 4}, {Erase, 2}, {Work}}}, false, three_buckets))
        .use(shrinks.use("is made one", 7, {{{Work}}, {{Find, 2}, {Find, 4}}}, false, three_buckets))
        .use(shrinks.use("is made one, and gone", 7, {{{Work}, {Erase, 2}, {Pass}}, {{Find, 2}}}, false, three_buckets))
        .use(shrinks.use("and another comes", 7, {{{Work}, {Insert, 6}, {Pass}}, {{Find, 6}}}, false, three_buckets))
        .use(shrinks.use("moves", 2, {{{Move}, {Work}, {Update, 2}, {Pass}}, {{Find, 2}}}))
        .use(shrinks.use("the version is back", 2, {around(2, 4), {{Find, 2}}}))
        .check({"line_segments, at()", "line_segments, set_address()", "linear_lines, position()",
                "linear_lines, bucket()", "linear_lines, read", "linear_lines, is_unchanged()", "linear_lines, add_",
                "linear_lines, remove_bucket()", "linear_lines, count_erase()", "linear_lines, erase()",
                "linear_lines, insert()", "pair_bucket, copy()", "pair_bucket, remove"},
               {{"linear_lines, add_bucket() condition 1: never", "no use has so many buckets"},
                {"linear_lines, add_bucket() condition 3: always", "a line that was one is empty, too"},
                {"linear_lines, add_bucket() condition 4: never", "no line: PairBucketsMemoryTest"},
                {"linear_lines, count_erase() condition: always", "more eras than are needed"},
                {"linear_lines, read() condition 1: never", "the position is computed anew"},
                {"linear_lines, read() condition 2: never", "here no memory is given out twice"},
                {"linear_lines, remove_bucket() condition: never", "not tried: erases have given lines back"},
                {"pair_bucket, remove() condition 1: always", "the other way does the same"}});
}

} // namespace
} // namespace mxk::test
