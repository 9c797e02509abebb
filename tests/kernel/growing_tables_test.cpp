// Tables that grow and shrink on real cores: each core owns some shards, fills them, and empties them again, while its
// tasks see to the blocks. One layout that keeps values and one that keeps nodes: all layouts are tested on the host
// (tests/unit/sequential/optimised/extendible_test.cpp) and by the benchmark's runs here.
#include <algorithm>
#include <type_traits>

#include "bench/workload/keys.hpp"
#include "hashtable/layout/chain_heads.hpp"
#include "hashtable/layout/open_slots.hpp"
#include "hashtable/table/linear_buckets.hpp"
#include "hashtable/table/sharded.hpp"
#include "kernel/clock.hpp"
#include "kernel/memory/node_array.hpp"
#include "kernel/test_remark.hpp"
#include "kernel/testing.hpp"
#include "tasks/run_on.hpp"
#include "tests/kernel/all_cores.hpp"

namespace mxk {
namespace {

constexpr std::size_t keys_used = 100'000;

std::size_t used_bytes() {
    std::size_t used = 0;
    for (std::size_t i = 0; i < memory::node_count(); ++i) used += memory::use(node_id(i)).used;
    return used;
}

// What a table of any layout is given with the i-th key, and shows of it.
struct Items {
    Items(bench::KeySequence const& keys, NodeId node)
        : nodes(NodeArray<ChainNode>::create(keys_used, node)) {
        if (!nodes) return;
        for (std::size_t i = 0; i < keys_used; ++i) nodes.value()[i] = {keys(i), nullptr};
    }
    template <typename Item> Item of(std::size_t i) {
        if constexpr (std::is_pointer_v<Item>)
            return &nodes.value()[i];
        else
            return i;
    }
    template <typename Found> bool is(Found const* found, std::size_t i) {
        if constexpr (std::is_same_v<Found, ChainNode>)
            return found == &nodes.value()[i];
        else
            return found != nullptr && *found == i;
    }
    Result<NodeArray<ChainNode>> nodes;
};

// One core's part of the test, some keys each time, so that others of its tasks come between.
template <typename Table> class Part {
  public:
    using Item = typename Table::Item;

    Part(Sharded<Table>& table, std::size_t place, bench::KeySequence const& keys, Items& items)
        : table_(table)
        , place_(place)
        , keys_(keys)
        , items_(items) {}

    Step step() {
        std::size_t const end = std::min(next_ + 500, keys_used);
        for (; next_ < end; ++next_)
            if (table_.owner(keys_(next_)) == place_) process(next_);
        if (next_ < keys_used) return Step::Again;
        next_ = 0;
        return ++round_ == rounds ? Step::Done : Step::Again;
    }

    static bool stays(std::size_t i) { return i % 3 == 0; }

  private:
    static constexpr unsigned rounds = 4;

    // Round by round: all come, two of three go, these come, and go again.
    void process(std::size_t i) {
        OwnedShards<Table>& owned = table_.region(place_);
        std::uint64_t const key = keys_(i);
        bool const is_there = round_ == 1 || round_ == 3 || (round_ == 2 && stays(i));
        MXK_CHECK((owned.find(key) != nullptr) == is_there);
        if (is_there) MXK_CHECK(items_.is(owned.find(key), i));
        if (round_ % 2 == 0) {
            Insert const expected = is_there ? Insert::Present : Insert::Inserted;
            MXK_CHECK(owned.insert(key, items_.of<Item>(i)) == expected);
            if (i % 7 == 0) MXK_CHECK(owned.insert(key, items_.of<Item>(i)) == Insert::Present);
        } else if (!stays(i)) {
            MXK_CHECK(owned.erase(key));
            if (i % 7 == 0) MXK_CHECK(!owned.erase(key));
        }
    }

    Sharded<Table>& table_;
    std::size_t place_;
    bench::KeySequence const& keys_;
    Items& items_;
    std::size_t next_ = 0;
    unsigned round_ = 0;
};

template <typename Table> void grow_and_shrink(TableSize size) {
    auto const cores = all_cores();
    // The cores' pools keep the memory that their first tasks make them take.
    MXK_CHECK(run_on(cores.span(), [](Worker&, std::size_t) { return Step::Done; }));
    std::size_t const used = used_bytes();
    {
        NodeId const node = Worker::current().node();
        auto owners = NodeVector<Owner>::create(cores.size(), node);
        auto parts = NodeVector<Part<Table>>::create(cores.size(), node);
        bench::KeySequence const keys(11);
        Items items(keys, node);
        MXK_CHECK(owners.ok() && parts.ok() && items.nodes.ok());
        if (!owners.ok() || !parts.ok() || !items.nodes.ok()) return;
        for (CoreId const core : cores) owners.value().emplace(core, workers::of(core).node());
        auto created = Sharded<Table>::create(size, owners.value().span(), cores.size());
        MXK_CHECK(created.ok());
        if (!created.ok()) return;
        Sharded<Table>& table = created.value();
        for (std::size_t place = 0; place < cores.size(); ++place) parts.value().emplace(table, place, keys, items);
        std::size_t const slots = table.slot_count();

        MXK_CHECK(run_on(cores.span(), [&](Worker&, std::size_t place) { return parts.value()[place].step(); }));
        table.settle();
        std::size_t expected = 0;
        for (std::size_t i = 0; i < keys_used; ++i) {
            auto const found = table.region(table.owner(keys(i))).find(keys(i));
            MXK_CHECK(Part<Table>::stays(i) ? items.is(found, i) : found == nullptr);
            expected += Part<Table>::stays(i) ? 1U : 0U;
        }
        MXK_CHECK_EQUAL(table.size(), expected);
        std::size_t visited = 0;
        table.for_each([&](std::uint64_t, auto) { ++visited; });
        MXK_CHECK_EQUAL(visited, expected);
        std::size_t moves = 0;
        for (std::size_t place = 0; place < cores.size(); ++place) moves += table.region(place).moves();
        MXK_CHECK(moves > cores.size());
        MXK_CHECK(table.slot_count() > slots);
    }
    MXK_CHECK_EQUAL(used_bytes(), used);
}

MXK_TEST(tables, growing_tables) {
    grow_and_shrink<Extendible<OpenSlots<>>>({.slots = 16});
    grow_and_shrink<Extendible<ChainHeads<>>>({.slots = 16});
    grow_and_shrink<LinearBuckets<>>({.slots = 16, .load = 0.05});
}

// 24 M keys, or as many as there is memory for, in a table that has grown block by block: what giving all of its blocks
// back takes stands behind the verdict.
template <typename Table> void give_back_a_large_table() {
    NodeId const node = Worker::current().node();
    memory::NodeUse const use = memory::use(node);
    std::size_t const count = std::min<std::size_t>(24'000'000, (use.total - use.used) / 64);
    Nanoseconds start{};
    {
        auto table = Table::create({.slots = 1024}, node, MixedHash{});
        MXK_CHECK(table.ok());
        if (!table) return;
        bench::KeySequence const keys(11);
        for (std::size_t i = 0; i < count; ++i) {
            MXK_CHECK(table.value().insert(keys(i), i) == Insert::Inserted);
            if (i % 64 == 0) table.value().work();
        }
        MXK_CHECK_EQUAL(table.value().size(), count);
        start = clock::now();
    }
    inner_tests::remark((raw(clock::now()) - raw(start)) / 1000, "us to give the blocks back");
    MXK_CHECK_EQUAL(memory::use(node).used, use.used);
}

MXK_LONG_TEST(tables, blocks_of_a_large_open_table_are_given_back) {
    give_back_a_large_table<Extendible<OpenSlots<>>>();
}

MXK_LONG_TEST(tables, blocks_of_a_large_bucketed_table_are_given_back) {
    give_back_a_large_table<LinearBuckets<>>();
}

} // namespace
} // namespace mxk
