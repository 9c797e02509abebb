// Operations that a batch puts off, on a table of which the test says what stands behind its line, and what brings it
// to the front. Three batches each time, which run one after another: whatever the order in which their operations run,
// those on one key keep theirs.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "base/spin_wait.hpp"
#include "hashtable/batch/batch_client.hpp"
#include "main/library/runtime.hpp"
#include "tests/unit/hold_up.hpp"

namespace mxk::test {
namespace {

// Keys with their places, all behind their lines until something brings them to the front.
class ScriptedRegion {
  public:
    static constexpr std::size_t lines = 64;
    struct Key {
        std::size_t line;
        bool is_behind = true;
        bool is_there = true;
        std::function<void(ScriptedRegion&)> after{}; // an insertion or an erasure
    };
    std::map<std::uint64_t, Key> keys;
    std::vector<std::uint64_t> order; // in which operations ran: their keys

    void bring_to_front(std::uint64_t key) { keys.at(key).is_behind = false; }
    void displace(std::uint64_t key) {
        bring_to_front(key);
        ++displacements_;
    }
    void move_all() {
        for (auto& [key, place] : keys) place.is_behind = false;
        ++moves_;
    }

    struct Position {
        void const* line;
    };
    [[nodiscard]] Position position(std::uint64_t key) const { return {&memory_[keys.at(key).line]}; }
    void prefetch(std::uint64_t) const {}
    void prefetch(Position const&) const {}
    [[nodiscard]] bool is_behind(std::uint64_t key, Position const&) const { return keys.at(key).is_behind; }
    void prefetch_behind(std::uint64_t, Position const&) const {}
    static void const* first_line(Position const& at) { return at.line; }
    [[nodiscard]] std::uint64_t moves() const { return moves_; }
    [[nodiscard]] std::uint64_t displacements() const { return displacements_; }

    TableResult insert(std::uint64_t key, std::uint64_t) {
        return change(key, true) ? TableResult::Yes : TableResult::No;
    }
    TableResult insert(std::uint64_t key, std::uint64_t value, Position const&) { return insert(key, value); }
    bool erase(std::uint64_t key) { return change(key, false); }
    bool erase(std::uint64_t key, Position const&) { return erase(key); }
    bool update(std::uint64_t key, std::uint64_t, Position const& = {}) { return find(key) != nullptr; }
    TableResult upsert(std::uint64_t key, std::uint64_t value, Position const& = {}) { return insert(key, value); }
    template <typename Change> std::optional<std::uint64_t> modify(std::uint64_t key, Change, Position const& = {}) {
        return find(key) != nullptr ? std::optional(value_) : std::nullopt;
    }
    std::uint64_t const* find(std::uint64_t key) {
        order.push_back(key);
        return keys.at(key).is_there ? &value_ : nullptr;
    }
    std::uint64_t const* find(std::uint64_t key, Position const&) { return find(key); }

  private:
    bool change(std::uint64_t key, bool is_there) {
        order.push_back(key);
        Key& place = keys.at(key);
        bool const changes = std::exchange(place.is_there, is_there) != is_there;
        if (place.after) place.after(*this);
        return changes;
    }

    struct alignas(cache_line_bytes) Line {};
    std::array<Line, lines> memory_;
    std::uint64_t moves_ = 0;
    std::uint64_t displacements_ = 0;
    std::uint64_t value_ = 1;
};
static_assert(DisplacingTable<ScriptedRegion> && MovingTable<ScriptedRegion>);

class ScriptedRegions {
  public:
    static constexpr std::size_t owner(std::uint64_t) { return 0; }
    static CoreId core(std::size_t) { return core_id(1); }
    static constexpr std::size_t region_count() { return 1; }
    ScriptedRegion& region(std::size_t) { return region_; }

  private:
    ScriptedRegion region_;
};

class BatchedPutOffTest : public testing::Test {
  protected:
    struct Operated {
        Operation operation;
        std::uint64_t key;
    };
    using Batches = std::vector<std::vector<Operated>>;

    static void with_runtime(std::function<void(Worker&)> const& body) {
        auto runtime = Runtime::start({.cores = 2, .nodes = 1, .memory_bytes = 64 * MiB});
        ASSERT_TRUE(runtime.ok()) << runtime.error().message();
        runtime.value().run([&](Worker& worker) { body(worker); });
    }

    // What the operations found, in the order of their submission. All batches arrive before the first one runs.
    static std::vector<TableResult> results_of(Worker& worker, ScriptedRegions& regions, Batches const& batches) {
        std::vector<TableResult> results;
        auto const completed = [&](Worker&, Batch const& batch) {
            for (std::size_t i = 0; i < batch.size(); ++i) results.push_back(batch.result(i));
        };
        using Client = BatchClient<ScriptedRegions, std::function<void(Worker&, Batch const&)>>;
        auto batched = Batched<ScriptedRegions>::create(regions);
        auto memory = Client::Memory::create(batched.value(), worker.node(), 8);
        Client client(worker, batched.value(), std::move(memory).value(), completed);
        HoldUp hold_up;
        worker.append(hold_up, core_id(1));
        worker.flush();
        for (SpinWait wait; !hold_up.is_held.load();) wait.turn();
        for (auto const& batch : batches) {
            for (auto const& [operation, key] : batch) EXPECT_TRUE(client.submit(operation, key, 1));
            client.flush();
        }
        worker.flush();
        hold_up.is_held.store(false);
        worker.run_until([&] { return client.at_rest(); });
        return results;
    }
};

using enum Operation;
using enum TableResult;

constexpr std::uint64_t first_key = 1;
constexpr std::uint64_t second_key = 2;
constexpr std::uint64_t other_key = 3;

// So that what is put off can be seen to be.
TEST_F(BatchedPutOffTest, operations_in_front_of_their_line_overtake_those_behind) {
    with_runtime([](Worker& worker) {
        ScriptedRegions regions;
        auto& region = regions.region(0);
        region.keys = {{second_key, {.line = 0}}, {other_key, {.line = 1, .is_behind = false}}};
        EXPECT_EQ(results_of(worker, regions, {{{Find, second_key}}, {{Find, other_key}}, {{Find, other_key}}}),
                  (std::vector{Yes, Yes, Yes}));
        EXPECT_EQ(region.order, (std::vector{other_key, second_key, other_key}));
    });
}

// As cuckoo hashing does: an insertion that is behind itself makes a key move to its first line, which may be any.
TEST_F(BatchedPutOffTest, an_erase_is_not_overtaken_when_its_key_is_displaced_to_the_front) {
    with_runtime([](Worker& worker) {
        for (std::size_t line = 0; line < ScriptedRegion::lines; ++line) {
            ScriptedRegions regions;
            regions.region(0).keys = {
                {first_key,
                 {.line = line, .is_there = false, .after = [](auto& region) { region.displace(second_key); }}},
                {second_key, {.line = 0}}};
            EXPECT_EQ(results_of(worker, regions, {{{Insert, first_key}}, {{Erase, second_key}}, {{Find, second_key}}}),
                      (std::vector{Yes, Yes, No}))
                << "line " << line;
        }
    });
}

// As a tombstone that a key takes: what is behind one line comes to the front of it, which is not counted.
TEST_F(BatchedPutOffTest, an_erase_is_not_overtaken_when_one_behind_the_same_line_brings_its_key_to_the_front) {
    with_runtime([](Worker& worker) {
        ScriptedRegions regions;
        regions.region(0).keys = {
            {first_key, {.line = 5, .after = [](auto& region) { region.bring_to_front(second_key); }}},
            {second_key, {.line = 5}}};
        EXPECT_EQ(results_of(worker, regions, {{{Erase, first_key}}, {{Erase, second_key}}, {{Find, second_key}}}),
                  (std::vector{Yes, Yes, No}));
    });
}

// As a block that is rebuilt: keys have other positions then.
TEST_F(BatchedPutOffTest, an_erase_is_not_overtaken_when_positions_change) {
    with_runtime([](Worker& worker) {
        for (bool const together : {true, false}) {
            ScriptedRegions regions;
            regions.region(0).keys = {
                {first_key,
                 {.line = 9, .is_behind = false, .is_there = false, .after = [](auto& region) { region.move_all(); }}},
                {second_key, {.line = 0}}};
            Batches const batches = together
                                        ? Batches{{{Erase, second_key}}, {{Insert, first_key}, {Find, second_key}}}
                                        : Batches{{{Erase, second_key}}, {{Insert, first_key}}, {{Find, second_key}}};
            EXPECT_EQ(results_of(worker, regions, batches), (std::vector{Yes, Yes, No}));
        }
    });
}

} // namespace
} // namespace mxk::test
