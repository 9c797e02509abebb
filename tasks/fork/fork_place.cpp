#include "tasks/fork/fork_place.hpp"

#include <atomic>
#include <optional>

#include "arch/memory_node.hpp"
#include "kernel/topology/system_topology.hpp"

namespace mxk {
namespace {

constinit std::atomic<std::uint32_t> turns{0};

// A task may be sent there and waited for.
bool can_run(CoreId core) {
    return workers::serves(core) || (arch::runs_task() && Worker::current().core() == core);
}

Result<CoreId> core_of_node(std::size_t number) {
    auto const nodes = system_topology().nodes;
    if (number >= nodes.size())
        return Error::of("expected a node from 0 to {}, got {}", nodes.empty() ? 0 : nodes.size() - 1, number);
    if (arch::runs_task() && index(Worker::current().node()) == number) return Worker::current().core();
    std::span<CoreId const> const cores = nodes[number].cores;
    std::uint32_t const turn = turns.fetch_add(1, std::memory_order_relaxed);
    for (std::size_t i = 0; i < cores.size(); ++i)
        if (CoreId const core = cores[(turn + i) % cores.size()]; workers::takes_part(core)) return core;
    return Error::of("expected a node with a core that runs tasks by itself, got {}", number);
}

std::optional<std::size_t> node_of(void const* data) {
    if (auto const own = memory::find_node(data)) return index(*own);
    auto const domain = arch::node_of_memory(data);
    if (!domain) return std::nullopt;
    for (topology::Node const& node : system_topology().nodes)
        if (node.proximity_domain == *domain) return index(node.id);
    return std::nullopt;
}

} // namespace

Result<CoreId> ForkPlace::core() const {
    if (workers::count() == 0) return Error("expected cores: there is no Runtime");
    switch (kind_) {
    case Kind::Core:
        if (number_ >= workers::count())
            return Error::of("expected a core from 0 to {}, got {}", workers::count() - 1, number_);
        if (!can_run(core_id(number_))) return Error::of("expected a core that runs tasks by itself, got {}", number_);
        return core_id(number_);
    case Kind::Node: return core_of_node(number_);
    case Kind::Data: break;
    }
    auto const node = node_of(data_);
    if (!node) return Error("expected memory of a node, or memory that was touched: nobody knows where this lies");
    return core_of_node(*node);
}

} // namespace mxk
