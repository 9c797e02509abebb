// The tables on real cores. What they promise one core alone is tested on the host; here, that every core can own a
// region and that all of them together are one table.
#include <atomic>

#include "bench/workload/instructions.hpp"
#include "hashtable/hash.hpp"
#include "hashtable/layout/bucketed.hpp"
#include "hashtable/layout/chained.hpp"
#include "hashtable/modulo.hpp"
#include "hashtable/table/partitioned.hpp"
#include "kernel/testing.hpp"
#include "tasks/run_on.hpp"
#include "tests/delays.hpp"
#include "tests/kernel/all_cores.hpp"
#include "tests/read_in_place.hpp"

namespace mxk {
namespace {

using Table = Partitioned<Chained<RegionModulo>>;
constexpr std::size_t key_count = 20000;

NodeVector<Owner> owners_of(NodeVector<CoreId> const& cores) {
    auto owners = NodeVector<Owner>::create(cores.size(), Worker::current().node());
    expect(owners.ok(), "a test needs some bytes of memory");
    for (CoreId const core : cores) owners.value().emplace(core, workers::of(core).node());
    return std::move(owners).value();
}

MXK_TEST(tables, every_core_owns_a_region) {
    auto const cores = all_cores();
    NodeId const node = Worker::current().node();
    auto const owners = owners_of(cores);
    auto table = Table::create(key_count / 10 + cores.size(), owners.span());
    auto nodes = NodeArray<ChainNode>::create(key_count, node);
    MXK_CHECK(table.ok() && nodes.ok());
    if (!table.ok() || !nodes.ok()) return;
    bench::KeySequence const keys(7);

    // Each core inserts the keys that are its own, erases every third, and looks for all of its own.
    bool const ran = run_on(cores.span(), [&](Worker&, std::size_t place) {
        auto& region = table.value().region(place);
        for (std::size_t i = 0; i < key_count; ++i) {
            if (table.value().owner(keys(i)) != place) continue;
            nodes.value()[i] = {keys(i), nullptr};
            MXK_CHECK(!region.find(keys(i)));
            MXK_CHECK(region.insert(nodes.value()[i]));
            MXK_CHECK(!region.insert(nodes.value()[i]));
            if (i % 3 == 0) MXK_CHECK(region.erase(keys(i)));
        }
        return Step::Done;
    });
    MXK_CHECK(ran);
    std::size_t expected = 0;
    for (std::size_t i = 0; i < key_count; ++i) {
        bool const there = i % 3 != 0;
        expected += there ? 1 : 0;
        MXK_CHECK(table.value().region(table.value().owner(keys(i))).find(keys(i)) == there);
    }
    MXK_CHECK_EQUAL(table.value().size(), expected);
}

// The same with values, and with lines made in advance.
MXK_TEST(tables, every_core_owns_a_bucketed_region) {
    auto const cores = all_cores();
    auto const owners = owners_of(cores);
    auto created = Partitioned<Bucketed>::create(cores.size(), owners.span()); // 65536 buckets or some more
    MXK_CHECK(created.ok());
    if (!created.ok()) return;
    auto& table = created.value();
    bench::KeySequence const keys(8);

    bool const ran = run_on(cores.span(), [&](Worker&, std::size_t place) {
        Bucketed& region = table.region(place);
        MXK_CHECK(region.reserve(key_count / cores.size()).ok());
        for (std::size_t i = 0; i < key_count; ++i) {
            std::uint64_t const key = keys(i);
            if (table.owner(key) != place) continue;
            MXK_CHECK(region.find(key) == nullptr);
            MXK_CHECK(region.insert(key, i) == Insert::Inserted);
            MXK_CHECK(region.insert(key, 0) == Insert::Present);
            if (i % 3 == 0) MXK_CHECK(region.erase(key));
        }
        return Step::Done;
    });
    MXK_CHECK(ran);
    std::size_t expected = 0;
    for (std::size_t i = 0; i < key_count; ++i) {
        std::uint64_t const* const value = table.region(table.owner(keys(i))).find(keys(i));
        MXK_CHECK((value != nullptr) == (i % 3 != 0));
        MXK_CHECK(value == nullptr || *value == i);
        expected += i % 3 != 0 ? 1U : 0U;
    }
    MXK_CHECK_EQUAL(table.size(), expected);
    for (std::size_t place = 0; place < cores.size(); ++place) {
        table.region(place).for_each([&](std::size_t, std::uint64_t key, std::uint64_t value) {
            MXK_CHECK(table.owner(key) == place && keys(value) == key);
            --expected;
        });
    }
    MXK_CHECK_EQUAL(expected, std::size_t{0});
}

// One core changes a region, all others read it where it is, with delays inside both.
MXK_TEST(tables, a_bucketed_region_is_read_while_its_owner_changes_it) {
    auto const cores = all_cores();
    auto lines = NodeArray<PairLine>::create(MultiplicativePlacement::min_buckets, Worker::current().node());
    auto readers =
        NodeArray<test::ReadInPlace<Bucketed>::Reader>::create_zeroed(cores.size(), Worker::current().node());
    MXK_CHECK(lines.ok() && readers.ok());
    if (!lines.ok() || !readers.ok()) return;
    Bucketed table(lines.value().span(), MultiplicativePlacement(lines.value().size()), Worker::current().node());
    test::ReadInPlace all(table);
    InjectDelays const delays;
    constexpr std::size_t turns = 400; // of 50 changes each
    std::atomic<std::size_t> changed{0};
    bool const ran = run_on(cores.span(), [&](Worker&, std::size_t place) {
        // relaxed: only says when it is over
        std::size_t const turn = changed.load(std::memory_order_relaxed);
        bench::Random random(turn * cores.size() + place);
        for (int i = 0; i < 50; ++i) {
            if (place == 0)
                all.change(random);
            else
                readers.value()[place].look(all, random);
        }
        if (place == 0) changed.store(turn + 1, std::memory_order_relaxed);
        return turn + 1 < turns ? Step::Again : Step::Done;
    });
    MXK_CHECK(ran);
    MXK_CHECK_EQUAL(all.wrong_by_owner, std::uint64_t{0});
    for (std::size_t place = 0; place < cores.size(); ++place)
        MXK_CHECK_EQUAL(readers.value()[place].wrong, std::uint64_t{0});
}

// Chains of many lines: the supply grows on a real node, and gives everything back.
MXK_TEST(tables, long_chains_come_and_go) {
    NodeId const node = Worker::current().node();
    std::size_t const used = memory::use(node).used;
    {
        auto lines = NodeArray<PairLine>::create(MultiplicativePlacement::min_buckets, node);
        MXK_CHECK(lines.ok());
        if (!lines.ok()) return;
        Bucketed table(lines.value().span(), MultiplicativePlacement(lines.value().size()), node);
        // Of three buckets: their keys' hashes are neighbours.
        auto const key = [](std::uint64_t i) { return MixedHash::inverse(i % 3 << 48 | (i + 1)); };
        for (int round = 0; round < 2; ++round) {
            for (std::uint64_t i = 0; i < key_count / 8; ++i) MXK_CHECK(table.insert(key(i), i) == Insert::Inserted);
            MXK_CHECK(table.lines_behind() > key_count / 8 / 4 - 6);
            for (std::uint64_t i = 0; i < key_count / 8; ++i) {
                std::uint64_t const* const value = table.find(key(i));
                MXK_CHECK(value != nullptr && *value == i);
                MXK_CHECK(table.erase(key(i)));
            }
            MXK_CHECK_EQUAL(table.size() + table.lines_behind(), std::size_t{0});
        }
    }
    MXK_CHECK_EQUAL(memory::use(node).used, used);
}

} // namespace
} // namespace mxk
