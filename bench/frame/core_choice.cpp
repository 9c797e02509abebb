#include "bench/frame/core_choice.hpp"

#include <algorithm>

#include "kernel/topology/system_topology.hpp"
#include "tasks/worker.hpp"

namespace mxk::bench {
namespace {

std::optional<CoreId> next_of_node(topology::Topology const& topology, CoreId core) {
    auto const cores = topology.nodes[index(topology.cores[index(core)].node)].cores;
    if (cores.size() < 2) return std::nullopt;
    auto const behind = std::upper_bound(cores.begin(), cores.end(), core);
    return behind != cores.end() ? *behind : cores.front();
}

std::optional<CoreId> first_of_other_node(topology::Topology const& topology, CoreId core) {
    NodeId const here = topology.cores[index(core)].node;
    topology::Node const* nearest = nullptr;
    for (topology::Node const& node : topology.nodes) {
        if (node.id == here || node.cores.empty()) continue;
        if (nearest == nullptr || topology.distance(here, node.id) < topology.distance(here, nearest->id))
            nearest = &node;
    }
    if (nearest == nullptr) return std::nullopt;
    return nearest->cores.front();
}

void print_right(TextSink& out, std::string_view text, std::size_t width) {
    for (std::size_t i = text.size(); i < width; ++i) out.write(" ");
    out.write(text);
}

} // namespace

Result<CoreChoice> CoreChoice::choose(topology::Topology const& topology, std::span<std::uint32_t const> chosen) {
    if (chosen.size() > 2) return Error::of("--cores: expected one core or two, got {}", chosen.size());
    for (std::uint32_t const core : chosen) {
        if (core >= topology.cores.size())
            return Error::of("--cores: expected cores 0 to {}, those of this machine, got {}",
                             topology.cores.size() - 1, core);
    }
    CoreChoice result;
    if (!chosen.empty()) result.first_ = core_id(chosen[0]);
    result.other_node_ = first_of_other_node(topology, result.first_);
    if (chosen.size() < 2) {
        result.same_node_ = next_of_node(topology, result.first_);
        return result;
    }
    if (chosen[0] == chosen[1]) return Error::of("--cores: expected two different cores, got {} twice", chosen[0]);
    CoreId const second = core_id(chosen[1]);
    bool const same = topology.cores[index(result.first_)].node == topology.cores[index(second)].node;
    (same ? result.same_node_ : result.other_node_) = second;
    return result;
}

Result<CorePair> CoreChoice::cores_for(Placement placement) const {
    switch (placement) {
    case Placement::OneCore: return CorePair{first_, first_};
    case Placement::SameNode:
        if (same_node_) return CorePair{first_, *same_node_};
        return Error::of("needs another core of core {}'s node", first_);
    case Placement::OtherNode:
        if (other_node_) return CorePair{first_, *other_node_};
        return Error::of("needs a core of another node than core {}'s", first_);
    case Placement::TwoCores: break;
    }
    if (same_node_) return CorePair{first_, *same_node_};
    if (other_node_) return CorePair{first_, *other_node_};
    return Error("needs two cores");
}

Result<CoreSetList> CoreSetList::create(topology::CoreSets const& sets, std::size_t min_cores) {
    NodeId const here = Worker::current().node();
    auto resolved = topology::resolve(sets, system_topology(), here);
    if (!resolved) return Error::of("--cores: {}", resolved.error().message());
    CoreSetList list;
    list.sets_ = MXK_TRY(NodeVector<topology::CoreSet>::create(resolved.value().size(), here));
    for (topology::CoreSet& set : resolved.value()) {
        list.width_ = std::max(list.width_, set.label.view().size());
        if (set.cores.size() >= min_cores) list.sets_.emplace(std::move(set));
    }
    return list;
}

void CoreSetList::print_heading(TextSink& out) const {
    print_right(out, "cores", width_);
}

void CoreSetList::print(TextSink& out, std::size_t at) const {
    print_right(out, label(at), width_);
}

void CoreSetList::write(JsonWriter& json, std::size_t at) const {
    json.field("cores", cores(at).size());
    json.field("core_set", label(at));
    json.begin_array("core_ids");
    for (CoreId const core : cores(at)) json.element(core);
    json.end_array();
}

Result<NodeVector<CoreId>> one_set_or_all(topology::CoreSets const& chosen) {
    NodeId const here = Worker::current().node();
    auto const& all = system_topology().cores;
    auto cores = MXK_TRY(NodeVector<CoreId>::create(all.size(), here));
    if (chosen.empty()) {
        for (topology::Core const& core : all) cores.emplace(core.id);
        return cores;
    }
    auto const sets = MXK_TRY(CoreSetList::create(chosen));
    if (sets.size() != 1) return Error::of("--cores: expected one set of cores, got {}", sets.size());
    for (CoreId const core : sets.cores(0)) cores.emplace(core);
    return cores;
}

} // namespace mxk::bench
