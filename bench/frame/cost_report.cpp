#include "bench/frame/cost_report.hpp"

#include "kernel/clock.hpp"
#include "kernel/topology/system_topology.hpp"

namespace mxk::bench {

double CostRow::nanoseconds() const {
    return cycles.median * 1e9 / static_cast<double>(clock::frequency());
}

void print_cost_head(TextSink& out) {
    format(out, "{:<18} {:>5} {:>9} {:>9} {:>9} {:>19} {:>9} {:>10}  {}\n", "cycles", "cores", "median", "min", "max",
           "95 % interval", "p99", "ns", "verified");
}

void print_cost_row(TextSink& out, std::string_view who, CostRow const& row) {
    FixedText<16> cores;
    format(cores, "{}", row.cores.first);
    if (row.cores.second != row.cores.first) format(cores, ",{}", row.cores.second);
    FixedText<32> interval("-");
    if (row.cycles.has_confidence) {
        interval.clear();
        format(interval, "{:.1} - {:.1}", row.cycles.confidence_low, row.cycles.confidence_high);
    }
    FixedText<16> p99("-");
    if (row.p99) {
        p99.clear();
        format(p99, "{:.1}", *row.p99);
    }
    format(out, "{:<18} {:>5} {:9.1} {:9.1} {:9.1} {:>19} {:>9} {:10.1}  {}\n", who, cores.view(), row.cycles.median,
           row.cycles.minimum, row.cycles.maximum, interval.view(), p99.view(), row.nanoseconds(),
           row.verified ? "yes" : "NO");
    for (auto const& found : row.findings.entries()) format(out, "  {}: {:.3}\n", found.name, found.value);
    if (row.woken.value_or(0) * 100 > row.operations)
        format(out, "  {} of {} round trips found a core asleep\n", *row.woken, row.operations);
}

void write_cost_row(JsonWriter& json, CostRow const& row) {
    bool const alone = row.cores.first == row.cores.second;
    auto const& cores = system_topology().cores;
    json.field("measure", row.measure);
    json.field("unit", "cycles");
    json.begin_array("cores");
    json.element(row.cores.first);
    if (!alone) json.element(row.cores.second);
    json.end_array();
    json.begin_array("core_nodes");
    json.element(cores[index(row.cores.first)].node);
    if (!alone) json.element(cores[index(row.cores.second)].node);
    json.end_array();
    json.field("count", row.operations / row.cycles.n); // per run
    for (auto const& setting : row.settings.entries()) json.field(setting.name, setting.value);
    if (row.p99 || row.left_out > 0) json.field("left_out", row.left_out);
    if (row.woken) json.field("woken", *row.woken);
    json.begin_object("cycles");
    json.field("n", row.cycles.n);
    json.field("median", row.cycles.median);
    json.field("min", row.cycles.minimum);
    json.field("max", row.cycles.maximum);
    json.field("mean", row.cycles.mean);
    if (row.cycles.has_confidence) {
        json.field("ci95_low", row.cycles.confidence_low);
        json.field("ci95_high", row.cycles.confidence_high);
    }
    json.end_object();
    json.field("nanoseconds", row.nanoseconds());
    if (row.p99) json.field("p99", *row.p99);
    for (auto const& found : row.findings.entries()) json.field(found.name, found.value);
    json.field("verified", row.verified);
}

} // namespace mxk::bench
