// A bucket of a Bucketed table that others read in place while its owner changes it. What each find says must be what
// some order of all operations on its key says, too; of erases, every second one brings the version back.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hashtable/layout/bucketed.hpp"
#include "tests/model/atomic.hpp"
#include "tests/model/operation_order.hpp"
#include "tests/model/protocol.hpp"

namespace mxk::test {
namespace {

enum class Does : std::uint8_t {
    Insert,
    Update,
    Erase,
    Find,
    Forget // no memory can be had from here on
};

struct Step {
    Does does;
    std::uint64_t key = 0;
};

class BucketUse {
  public:
    // The first thread is the owner's; `keys` were inserted before, one after the other.
    ProtocolUse use(std::string name, std::uint64_t keys, std::vector<std::vector<Step>> threads,
                    bool is_long = false) {
        ModelProgram program;
        program.begin = [this, keys, count = threads.size()] { begin(keys, count); };
        for (std::size_t i = 0; i < threads.size(); ++i)
            program.threads.emplace_back([this, i, steps = threads[i]] {
                for (Step const& step : steps) run(i, step);
            });
        program.end = [this, keys] { end(keys); };
        return {std::move(name), std::move(program), 0, is_long};
    }

  private:
    // What is kept under the number that is a key's value: a race for who finds it before it is published.
    using Content = ModelPlain<std::uint64_t>;
    struct Done {
        Step step;
        std::uint64_t result; // the value that was found, or whether the key was there; 0: it was not
        std::uint64_t value;  // the one that was put
        bool is_full = false;
    };

    void begin(std::uint64_t keys, std::size_t count) {
        make_model_node(model_node_bytes);
        model_blocks = 100;
        done_.assign(count, {});
        contents_.fill(nullptr);
        auto& line = *ModelMemory::make<PairLine>();
        MultiplicativePlacement const placement(MultiplicativePlacement::min_buckets);
        table_ = ModelMemory::make<Bucketed>(std::span(&line, 1), placement, NodeId{});
        line_ = &line;
        for (std::uint64_t key = 1; key <= keys; ++key) table_->insert(key, put(key), at(key));
    }
    [[nodiscard]] Bucketed::Position at(std::uint64_t key) const { return {key, line_}; }
    std::uint64_t put(std::uint64_t value) {
        contents_.at(value) = ModelMemory::make<Content>(value);
        return value;
    }
    [[nodiscard]] std::uint64_t got(std::optional<std::uint64_t> value) const {
        if (!value) return 0;
        bool const was_put = *value < contents_.size() && contents_[*value] != nullptr;
        WeakMemory::current().check(was_put, "a value that nobody has put");
        return contents_[*value]->read();
    }

    void run(std::size_t thread, Step step) {
        std::uint64_t const value = 20 * (thread + 1) + done_[thread].size();
        std::uint64_t result = 0;
        bool is_full = false;
        switch (step.does) {
        case Does::Insert: {
            Insert const said = table_->insert(step.key, put(value), at(step.key));
            result = said == Insert::Present ? 1 : 0;
            is_full = said == Insert::Full;
            break;
        }
        case Does::Forget: model_blocks = 0; return;
        case Does::Update: result = table_->update(step.key, put(value), at(step.key)) ? 1 : 0; break;
        case Does::Erase: result = table_->erase(step.key, at(step.key)) ? 1 : 0; break;
        case Does::Find: result = got(table_->read(at(step.key))); break;
        }
        note(result);
        done_[thread].push_back({step, result, value, is_full});
    }

    void end(std::uint64_t keys) {
        note(table_->size());
        note(table_->lines_behind());
        for (std::uint64_t key = 1; key < 16; ++key) check_key(key, key <= keys ? key : 0);
    }
    // Whether the operations have an order in which they give what they gave, and what is there at the end.
    void check_key(std::uint64_t key, std::uint64_t first) {
        std::vector<std::vector<Done>> by_thread;
        for (auto const& all : done_) {
            by_thread.emplace_back();
            std::ranges::copy_if(all, std::back_inserter(by_thread.back()),
                                 [&](Done const& done) { return done.step.key == key; });
        }
        std::uint64_t const last = got(table_->read(at(key)));
        auto const* const found = table_->find(key, at(key));
        WeakMemory::current().check((found != nullptr) == (last != 0), "the owner finds another one");
        note(last);
        check_order(by_thread, first, last, gives, after);
    }
    static bool gives(Done const& done, std::uint64_t now) {
        return done.step.does == Does::Find ? done.result == now : done.result == (now != 0 ? 1 : 0);
    }
    static std::uint64_t after(Done const& done, std::uint64_t now) {
        switch (done.step.does) {
        case Does::Insert: return now != 0 || done.is_full ? now : done.value;
        case Does::Update: return now != 0 ? done.value : 0;
        case Does::Erase: return 0;
        default: return now;
        }
    }

    Bucketed* table_ = nullptr;
    PairLine* line_ = nullptr;
    std::array<Content*, 100> contents_{};
    std::vector<std::vector<Done>> done_;
};

// As many erases as bring the version back.
std::vector<Step> around(std::uint64_t key, std::uint64_t other) {
    using enum Does;
    return {{Erase, key}, {Insert, other}, {Erase, other}, {Insert, key},
            {Erase, key}, {Insert, other}, {Erase, other}, {Insert, key}};
}

constexpr char const* no_line = "in no line nothing is found, and its address is 0";
constexpr char const* other_way = "the other way does the same";

TEST(Model, Bucket) {
    using enum Does;
    BucketUse bucket;
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
