#include "kernel/testing.hpp"
#include "kernel/topology/system_topology.hpp"
#include "tasks/run_on.hpp"
#include "tests/kernel/all_cores.hpp"

namespace mxk {
namespace {

MXK_TEST(topology, ids_are_dense_and_consistent) {
    topology::Topology const& topology = system_topology();
    MXK_CHECK_EQUAL(topology.cores.size(), workers::count());
    std::size_t cores_in_nodes = 0;
    for (std::size_t i = 0; i < topology.nodes.size(); ++i) {
        topology::Node const& node = topology.nodes[i];
        MXK_CHECK_EQUAL(index(node.id), i);
        MXK_CHECK(node.memory_bytes() > 0 || !node.cores.empty());
        cores_in_nodes += node.cores.size();
        for (CoreId const core : node.cores) MXK_CHECK_EQUAL(index(topology.cores[index(core)].node), i);
    }
    MXK_CHECK_EQUAL(cores_in_nodes, topology.cores.size());
    for (std::size_t i = 0; i < topology.cores.size(); ++i) MXK_CHECK_EQUAL(index(topology.cores[i].id), i);
}

MXK_TEST(topology, the_own_node_is_the_nearest) {
    topology::Topology const& topology = system_topology();
    for (topology::Node const& from : topology.nodes)
        for (topology::Node const& to : topology.nodes)
            MXK_CHECK(topology.distance(from.id, from.id) <= topology.distance(from.id, to.id));
}

// What cores share narrows from the package to the physical core: who shares the narrower shares the wider, too.
MXK_TEST(topology, levels_nest) {
    auto const cores = system_topology().cores;
    for (topology::Core const& a : cores) {
        for (topology::Core const& b : cores) {
            CoreLevels const& one = a.levels;
            CoreLevels const& other = b.levels;
            bool const are_siblings = one.physical_core != unknown_domain && one.physical_core == other.physical_core;
            if (!are_siblings) continue;
            MXK_CHECK_EQUAL(one.package, other.package);
            MXK_CHECK_EQUAL(index(a.node), index(b.node));
            for (std::size_t i = 0; i < CoreLevels::cache_levels; ++i) MXK_CHECK(one.caches[i] == other.caches[i]);
        }
        for (CacheDomain const& cache : a.levels.caches)
            MXK_CHECK_EQUAL(cache.domain == unknown_domain, cache.bytes == 0);
    }
}

MXK_TEST(topology, every_core_is_who_it_should_be) {
    bool const ran = run_on(all_cores().span(), [](Worker& worker, std::size_t place) {
        MXK_CHECK_EQUAL(index(worker.core()), place);
        MXK_CHECK(&Worker::current() == &worker);
        MXK_CHECK_EQUAL(index(arch::core_local().id), place);
        return Step::Done;
    });
    MXK_CHECK(ran);
}

} // namespace
} // namespace mxk
