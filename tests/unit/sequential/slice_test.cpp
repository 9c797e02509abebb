#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "bench/workload/instruction_queue.hpp"
#include "bench/workload/keys.hpp"
#include "bench/workload/random.hpp"
#include "tests/unit/memory_fixture.hpp"

namespace mxk::bench {
namespace {

TEST(KeySequence, keys_are_distinct_and_never_zero) {
    for (std::uint64_t const seed : {std::uint64_t{0}, std::uint64_t{1}, ~std::uint64_t{0}}) {
        KeySequence const keys(seed);
        std::unordered_set<std::uint64_t> seen;
        for (std::uint64_t i = 0; i < 100000; ++i) {
            EXPECT_NE(keys(i), 0U);
            EXPECT_TRUE(seen.insert(keys(i)).second);
        }
        EXPECT_NE(keys(KeySequence::max_keys - 1), 0U);
    }
}

class SliceTest : public test::MemoryTest {
  protected:
    Slice make(std::size_t size) {
        configure({64 * MiB}, {10});
        room.resize(size);
        auto slice = Slice::create(room, keys, 1000, node_id(0));
        EXPECT_TRUE(slice.ok());
        EXPECT_TRUE(slice.value().prepare_mixed(node_id(0)));
        return std::move(slice).value();
    }

    // As the cores do it: in pieces.
    template <typename Step> static void in_pieces(std::size_t size, Step step) {
        for (std::size_t from = 0; from < size; from += 777) step(from, std::min<std::size_t>(from + 777, size));
    }

    // Replays all instructions on the model: every result must be the expected one, and the keys that are live in the
    // end the model's. Gives the results that were false.
    std::size_t expect_as_on(std::unordered_set<std::uint64_t>& model, Slice const& slice) {
        std::size_t refused = 0;
        for (Instruction const& instruction : slice.instructions()) {
            bool result = false;
            switch (instruction.operation) {
            case Operation::Insert: result = model.insert(instruction.key).second; break;
            case Operation::Find: result = model.contains(instruction.key); break;
            case Operation::Erase: result = model.erase(instruction.key) == 1; break;
            default: ADD_FAILURE() << "only a workload of YCSB overwrites";
            }
            EXPECT_EQ(result, instruction.expected);
            refused += result ? 0U : 1U;
        }
        for (std::size_t at = 0; at < slice.size(); ++at)
            EXPECT_EQ(slice.is_live(at), model.contains(slice.key(at))) << at;
        EXPECT_EQ(slice.live_count(), model.size());
        return refused;
    }

    static constexpr std::size_t count = 50000;
    KeySequence keys{3};
    std::vector<Instruction> room;
};

TEST_F(SliceTest, inserts_every_key_once) {
    Slice slice = make(count);
    in_pieces(count, [&](std::size_t from, std::size_t to) { slice.fill_inserts(from, to); });
    for (std::size_t i = 0; i < count; ++i) {
        EXPECT_EQ(slice.instructions()[i].key, keys(1000 + i));
        EXPECT_EQ(slice.instructions()[i].operation, Operation::Insert);
    }
    std::unordered_set<std::uint64_t> model;
    EXPECT_EQ(expect_as_on(model, slice), 0U);
}

TEST_F(SliceTest, neighbours_of_every_kind_share_no_key) {
    configure({64 * MiB}, {10});
    std::vector<std::uint64_t> listed(2 * count);
    for (std::size_t i = 0; i < listed.size(); ++i) listed[i] = 5 * i + 1;
    for (Keys const& kind :
         {Keys{.kind = Keys::Kind::Random}, Keys{.kind = Keys::Kind::Strided, .stride = 1},
          Keys{.kind = Keys::Kind::Strided, .stride = 4096}, Keys{.kind = Keys::Kind::File, .listed = listed}}) {
        KeySequence const sequence(kind, 1);
        std::unordered_set<std::uint64_t> seen;
        for (std::size_t const first : {std::size_t{0}, count}) {
            room.resize(count);
            auto slice = Slice::create(room, sequence, first, node_id(0));
            ASSERT_TRUE(slice.ok());
            slice.value().fill_inserts(0, count);
            for (Instruction const& instruction : slice.value().instructions()) {
                EXPECT_NE(instruction.key, 0U);
                EXPECT_TRUE(seen.insert(instruction.key).second);
            }
        }
    }
}

// A core without operations has no first key in a file.
TEST_F(SliceTest, behind_the_last_key_of_a_file_is_an_empty_one) {
    configure({64 * MiB}, {10});
    std::vector<std::uint64_t> const listed;
    auto slice = Slice::create({}, KeySequence({.kind = Keys::Kind::File, .listed = listed}, 1), 0, node_id(0));
    ASSERT_TRUE(slice.ok());
    EXPECT_EQ(slice.value().size(), 0U);
}

TEST_F(SliceTest, turning_shuffles_and_keeps_every_key) {
    Slice slice = make(count);
    Random random(1);
    std::unordered_set<std::uint64_t> model;
    in_pieces(count, [&](std::size_t from, std::size_t to) { slice.fill_inserts(from, to); });
    expect_as_on(model, slice);
    for (Operation const operation : {Operation::Find, Operation::Erase}) {
        in_pieces(count, [&](std::size_t from, std::size_t to) { slice.turn_into(operation, from, to, random); });
        std::unordered_set<std::uint64_t> seen;
        std::size_t at_its_old_place = 0;
        for (std::size_t i = 0; i < count; ++i) {
            Instruction const& instruction = slice.instructions()[i];
            EXPECT_TRUE(seen.insert(instruction.key).second);
            EXPECT_EQ(instruction.operation, operation);
            at_its_old_place += instruction.key == keys(1000 + i) ? 1U : 0U;
        }
        EXPECT_LT(at_its_old_place, 20U);
        EXPECT_EQ(expect_as_on(model, slice), 0U);
    }
    EXPECT_TRUE(model.empty());
}

TEST_F(SliceTest, mixed_instructions_know_their_results) {
    Slice slice = make(count);
    Random random(5);
    Mix const mix{Mix::Kind::Mixed, 50, 30, 20};
    std::unordered_set<std::uint64_t> model;
    in_pieces(count, [&](std::size_t from, std::size_t to) { slice.fill_mixed(from, to, mix, random); });
    EXPECT_EQ(expect_as_on(model, slice), 0U);
    std::unordered_map<Operation, double> operations;
    for (Instruction const& instruction : slice.instructions()) ++operations[instruction.operation];
    EXPECT_NEAR(operations[Operation::Find] / static_cast<double>(count), 0.3, 0.02);
    EXPECT_NEAR(operations[Operation::Erase] / static_cast<double>(count), 0.2, 0.02);
}

TEST_F(SliceTest, mixed_without_inserts_still_begins_with_one) {
    Slice slice = make(1000);
    Random random(5);
    slice.fill_mixed(0, 1000, {Mix::Kind::Mixed, 0, 50, 50}, random);
    EXPECT_EQ(slice.instructions()[0].operation, Operation::Insert);
}

TEST_F(SliceTest, mixed_instructions_on_a_loaded_table_know_their_results) {
    Slice slice = make(count);
    ASSERT_TRUE(slice.prepare_mixed(node_id(0)));
    Random random(5);
    std::unordered_set<std::uint64_t> model;
    for (Mix const mix : {Mix{Mix::Kind::Loaded, 5, 90, 5},
                          {Mix::Kind::Loaded, 10, 90, 0},
                          {Mix::Kind::Loaded, 0, 10, 90},
                          {Mix::Kind::Loaded, 50, 0, 50}}) {
        slice.forget();
        model.clear();
        in_pieces(count, [&](std::size_t from, std::size_t to) { slice.fill_inserts(from, to); });
        EXPECT_EQ(expect_as_on(model, slice), 0U);
        EXPECT_EQ(model.size(), count);
        in_pieces(count, [&](std::size_t from, std::size_t to) { slice.fill_loaded(from, to, mix, random); });
        EXPECT_EQ(expect_as_on(model, slice), 0U);
        EXPECT_EQ(model.size(), slice.live_count());
        std::unordered_map<Operation, double> operations;
        std::unordered_set<std::uint64_t> found;
        for (Instruction const& instruction : slice.instructions()) {
            ++operations[instruction.operation];
            found.insert(instruction.key);
        }
        EXPECT_NEAR(operations[Operation::Find] / static_cast<double>(count), mix.find / 100.0, 0.02);
        EXPECT_GT(found.size(), count / 4) << "not only those that were erased";
    }
}

// Phase after phase on one table, as a run has them.
TEST_F(SliceTest, drawn_instructions_know_their_results) {
    Slice slice = make(count);
    Random random(7);
    KeyDraw const ranks(Distribution::zipf(0.99), count, 11);
    std::unordered_set<std::uint64_t> model;
    auto const draw = [&](Mix const& phase) {
        in_pieces(count, [&](std::size_t from, std::size_t to) { slice.draw(from, to, phase, ranks, random); });
        return expect_as_on(model, slice);
    };
    for (int run = 0; run < 2; ++run) {
        slice.forget();
        model.clear();
        EXPECT_GT(draw({Mix::Kind::Insert}), count / 4); // the frequent keys are there already
        std::size_t const inserted = model.size();
        EXPECT_GT(draw({Mix::Kind::Find}), 0U); // the rare ones need not be
        EXPECT_EQ(model.size(), inserted);
        EXPECT_GT(draw({Mix::Kind::Erase}), count / 4);
        EXPECT_LT(model.size(), inserted);
        EXPECT_GT(draw({Mix::Kind::Mixed, 50, 30, 20}), 0U);
    }
}

TEST_F(SliceTest, finds_drawn_among_all_keys_are_hits) {
    Slice slice = make(count);
    Random random(7);
    KeyDraw const ranks(Distribution::zipf(0.99), count, 11);
    std::unordered_set<std::uint64_t> model;
    slice.fill_inserts(0, count);
    expect_as_on(model, slice);
    slice.draw(0, count, {Mix::Kind::Find}, ranks, random);
    EXPECT_EQ(expect_as_on(model, slice), 0U);
    EXPECT_EQ(model.size(), count);
}

// The key of the highest frequency gets the share of rank 1, the next that of rank 2, and where they stand among the
// inserts says nothing about their rank.
TEST_F(SliceTest, drawn_keys_have_their_ranks_shares_at_random_places) {
    Slice slice = make(count);
    Random random(7);
    slice.draw(0, count, {Mix::Kind::Find}, KeyDraw(Distribution::zipf(0.99), count, 11), random);
    std::unordered_map<std::uint64_t, std::size_t> times;
    for (Instruction const& instruction : slice.instructions()) ++times[instruction.key];
    std::vector<std::pair<std::size_t, std::size_t>> by_times; // times, place of the key
    for (std::size_t at = 0; at < count; ++at)
        if (times.contains(slice.key(at))) by_times.emplace_back(times[slice.key(at)], at);
    EXPECT_EQ(by_times.size(), times.size()) << "keys of other slices";
    std::sort(by_times.rbegin(), by_times.rend());
    double sum = 0;
    for (std::size_t k = 1; k <= count; ++k) sum += std::pow(static_cast<double>(k), -0.99);
    for (std::size_t rank = 1; rank <= 3; ++rank) {
        double const expected = count * std::pow(static_cast<double>(rank), -0.99) / sum;
        EXPECT_NEAR(static_cast<double>(by_times[rank - 1].first), expected, 5 * std::sqrt(expected)) << rank;
    }
    std::size_t early = 0;
    for (std::size_t i = 0; i < 100; ++i) early += by_times[i].second < count / 2 ? 1U : 0U;
    EXPECT_GT(early, 20U);
    EXPECT_LT(early, 80U);
}

TEST(Permutation, gives_every_number_once) {
    for (std::uint64_t const size : {1U, 2U, 3U, 4U, 6U, 64U, 97U, 1000U, 65536U}) {
        for (std::uint64_t seed = 0; seed < 5; ++seed) {
            Permutation const permutation(size, seed);
            std::vector<bool> seen(size);
            for (std::uint64_t i = 0; i < size; ++i) {
                ASSERT_LT(permutation(i), size);
                EXPECT_FALSE(seen[permutation(i)]);
                seen[permutation(i)] = true;
            }
        }
    }
}

// i times the factor must not overflow.
TEST(Permutation, of_the_largest_size_gives_neighbours_different_places) {
    constexpr std::uint64_t size = 4'000'000'000;
    Permutation const permutation(size, 1);
    std::unordered_set<std::uint64_t> seen;
    for (std::uint64_t i = size - 1000; i < size; ++i) {
        EXPECT_LT(permutation(i), size);
        EXPECT_TRUE(seen.insert(permutation(i)).second);
    }
}

TEST(Permutation, of_nothing_exists) {
    Permutation const permutation(0, 1);
    EXPECT_EQ(permutation(0), 0U);
}

} // namespace
} // namespace mxk::bench
