#include "bench/frame/core_set_list.hpp"

#include <algorithm>

#include "kernel/topology/system_topology.hpp"
#include "tasks/worker.hpp"

namespace mxk::bench {
namespace {

void print_right(TextSink& out, std::string_view text, std::size_t width) {
    for (std::size_t i = text.size(); i < width; ++i) out.write(" ");
    out.write(text);
}

} // namespace

Result<CoreSetList> CoreSetList::create(topology::CoreSets const& sets) {
    auto resolved = topology::resolve(sets, system_topology(), Worker::current().node());
    if (!resolved) return Error::of("--cores: {}", resolved.error().message());
    CoreSetList list;
    list.sets_ = std::move(resolved).value();
    for (topology::CoreSet const& set : list.sets_) list.width_ = std::max(list.width_, set.label.view().size());
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

} // namespace mxk::bench
