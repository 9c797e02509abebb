#include "bench/frame/cost_experiment.hpp"

#include "kernel/topology/system_topology.hpp"

namespace mxk::bench {

void print_cost_label_heading(TextSink& out) {
    format(out, "{:<18} {:>5}", "cycles", "cores");
}

void print_cost_label(TextSink& out, std::string_view what, CorePair cores) {
    FixedText<16> ids;
    format(ids, "{}", cores.first);
    if (cores.second != cores.first) format(ids, ",{}", cores.second);
    format(out, "{:<18} {:>5}", what, ids.view());
}

void write_cost_settings(JsonWriter& json, std::string_view measure, CorePair cores, Settings const& settings) {
    bool const alone = cores.first == cores.second;
    auto const& all = system_topology().cores;
    json.field("measure", measure);
    json.begin_array("cores");
    json.element(cores.first);
    if (!alone) json.element(cores.second);
    json.end_array();
    json.begin_array("core_nodes");
    json.element(all[index(cores.first)].node);
    if (!alone) json.element(all[index(cores.second)].node);
    json.end_array();
    for (auto const& setting : settings.entries()) json.field(setting.name, setting.value);
}

} // namespace mxk::bench
