// The topology as people read it: ids as runs ("0-3,8"), so that 255 cores take a few lines and not 255.
#include "base/format.hpp"
#include "kernel/topology.hpp"

namespace mxk::topology {
namespace {

constexpr std::size_t line_width = 100;
constexpr std::string_view indent = "          "; // as wide as a label and what stands before it

double mebibytes(std::uint64_t bytes) {
    return static_cast<double>(bytes) / static_cast<double>(MiB);
}

// value_at(i), i < count, in this order; values that follow one another as a run. Long lists go on in further lines.
template <typename ValueAt>
void print_runs(TextSink& sink, std::string_view label, std::size_t count, ValueAt value_at) {
    format(sink, "  {:8}{}", label, count == 0 ? "none" : "");
    std::size_t column = indent.size();
    for (std::size_t i = 0; i < count;) {
        std::size_t last = i;
        while (last + 1 < count && value_at(last + 1) == value_at(last) + 1) ++last;
        FixedText<32> run;
        format(run, "{}", value_at(i));
        if (last != i) format(run, "-{}", value_at(last));
        if (last + 1 < count) run.append(",");
        if (column + run.view().size() > line_width) {
            format(sink, "\n{}", indent);
            column = indent.size();
        }
        sink.write(run.view());
        column += run.view().size();
        i = last + 1;
    }
    sink.write("\n");
}

void print_memory(TextSink& sink, Node const& node) {
    if (node.memory.empty()) sink.write("  memory  none\n");
    for (MemoryRange const& range : node.memory) {
        format(sink, "  {:8}0x{:016x}-0x{:016x} {:>12.1} MiB\n", &range == node.memory.data() ? "memory" : "",
               raw(range.start), raw(range.start) + range.bytes - 1, mebibytes(range.bytes));
    }
}

void print_node(TextSink& sink, Topology const& topology, Node const& node) {
    format(sink, "node {}: cores {}, memory {:.1} MiB, proximity domain {}\n", node.id, node.cores.size(),
           mebibytes(node.memory_bytes()), node.proximity_domain);
    print_memory(sink, node);
    print_runs(sink, "cores", node.cores.size(), [&](std::size_t i) { return index(node.cores[i]); });
    if (node.cores.empty()) return;
    print_runs(sink, "apic", node.cores.size(),
               [&](std::size_t i) { return raw(topology.cores[index(node.cores[i])].apic_id); });
}

void print_distances(TextSink& sink, Topology const& topology) {
    sink.write("distance from (row) to (column)\n      ");
    for (Node const& to : topology.nodes) format(sink, "{:4}", to.id);
    sink.write("\n");
    for (Node const& from : topology.nodes) {
        format(sink, "  {:4}", from.id);
        for (Node const& to : topology.nodes) format(sink, "{:4}", topology.distance(from.id, to.id));
        sink.write("\n");
    }
}

} // namespace

void print(TextSink& sink, Topology const& topology) {
    format(sink, "cores {} (listed by the firmware: {}), nodes {}, memory {:.1} MiB\n", topology.cores.size(),
           topology.listed_cores, topology.nodes.size(), mebibytes(topology.memory_bytes()));
    for (Node const& node : topology.nodes) print_node(sink, topology, node);
    if (topology.nodes.size() > 1) print_distances(sink, topology);
}

} // namespace mxk::topology
