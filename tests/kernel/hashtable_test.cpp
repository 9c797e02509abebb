// The tables on real cores. What they promise one core alone is tested on the host; here, that every core can own a
// region and that all of them together are one table.
#include "bench/instructions.hpp"
#include "hashtable/chained.hpp"
#include "hashtable/modulo.hpp"
#include "hashtable/partitioned.hpp"
#include "kernel/testing.hpp"
#include "tasks/parallel.hpp"
#include "tests/kernel/all_cores.hpp"

namespace mxk {
namespace {

using Table = Partitioned<Chained<RegionModulo>>;
constexpr std::size_t keys_used = 20000;

MXK_TEST(hashtable, every_core_owns_a_region) {
    auto const cores = all_cores();
    NodeId const node = Worker::current().node();
    auto owners = NodeVector<Owner>::create(cores.size(), node);
    MXK_CHECK(owners.ok());
    if (!owners.ok()) return;
    for (CoreId const core : cores) owners.value().emplace(core, workers::of(core).node());
    auto table = Table::create(keys_used / 10 + cores.size(), owners.value().span());
    auto nodes = NodeArray<ChainNode>::create(keys_used, node);
    MXK_CHECK(table.ok() && nodes.ok());
    if (!table.ok() || !nodes.ok()) return;
    bench::KeySequence const keys(7);

    // Each core inserts the keys that are its own, erases every third, and looks for all of its own.
    bool const ran = run_on(cores.span(), [&](Worker&, std::size_t place) {
        auto& region = table.value().region(place);
        for (std::size_t i = 0; i < keys_used; ++i) {
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
    for (std::size_t i = 0; i < keys_used; ++i) {
        bool const there = i % 3 != 0;
        expected += there ? 1 : 0;
        MXK_CHECK(table.value().region(table.value().owner(keys(i))).find(keys(i)) == there);
    }
    MXK_CHECK_EQUAL(table.value().size(), expected);
}

} // namespace
} // namespace mxk
