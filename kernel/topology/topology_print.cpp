// The topology as people read it: ids as runs ("0-3,8"), so that 255 cores take a few lines and not 255.
#include <algorithm>
#include <utility>

#include "base/format.hpp"
#include "kernel/topology/topology.hpp"

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

void print_memory(TextSink& sink, Topology const& topology, Node const& node) {
    if (!topology.memory_is_known) return sink.write("  memory  not known\n");
    if (node.memory.empty()) sink.write("  memory  none\n");
    for (MemoryRange const& range : node.memory) {
        format(sink, "  {:8}0x{:016x}-0x{:016x} {:>12.1} MiB\n", &range == node.memory.data() ? "memory" : "",
               raw(range.start), raw(range.start) + range.bytes - 1, mebibytes(range.bytes));
    }
}

// "memory 4096.0 MiB".
void print_memory_size(TextSink& sink, Topology const& topology, std::uint64_t bytes) {
    if (!topology.memory_is_known) return sink.write("memory not known");
    format(sink, "memory {:.1} MiB", mebibytes(bytes));
}

void print_node(TextSink& sink, Topology const& topology, Node const& node) {
    format(sink, "node {}: cores {}, ", node.id, node.cores.size());
    print_memory_size(sink, topology, node.memory_bytes());
    format(sink, ", proximity domain {}\n", node.proximity_domain);
    print_memory(sink, topology, node);
    print_runs(sink, "cores", node.cores.size(), [&](std::size_t i) { return index(node.cores[i]); });
    if (node.cores.empty()) return;
    print_runs(sink, "apic", node.cores.size(),
               [&](std::size_t i) { return raw(topology.cores[index(node.cores[i])].apic_id); });
}

using Cell = FixedText<24>;

// A square of nodes: cell_at(from, to) as text, all columns as wide as the widest cell.
template <typename CellAt>
void print_matrix(TextSink& sink, std::string_view title, std::span<Node const> nodes, CellAt cell_at) {
    constexpr std::size_t least_width = 4;
    std::size_t width = least_width;
    for (Node const& from : nodes) {
        for (Node const& to : nodes) width = std::max(width, cell_at(from.id, to.id).view().size() + 1);
    }
    auto const print_cell = [&](std::string_view text) {
        for (std::size_t filled = text.size(); filled < width; ++filled) sink.write(" ");
        sink.write(text);
    };
    auto const print_id = [&](NodeId id) {
        Cell cell;
        format(cell, "{}", id);
        print_cell(cell.view());
    };
    format(sink, "{} from (row) to (column)\n      ", title);
    for (Node const& to : nodes) print_id(to.id);
    sink.write("\n");
    for (Node const& from : nodes) {
        format(sink, "  {:4}", from.id);
        for (Node const& to : nodes) print_cell(cell_at(from.id, to.id).view());
        sink.write("\n");
    }
}

using Figure = std::uint64_t MemoryPerformance::*;

// In thousandths of what the firmware's figure counts, or as it is.
void print_figures(TextSink& sink, std::string_view title, Topology const& topology, Figure figure, bool thousandths) {
    print_matrix(sink, title, topology.nodes, [&](NodeId from, NodeId to) {
        std::uint64_t const value = topology.performance[index(from) * topology.nodes.size() + index(to)].*figure;
        if (value == unknown_performance) return Cell("-");
        if (value == unreachable) return Cell("no way");
        Cell cell;
        if (thousandths) {
            format(cell, "{:.1}", static_cast<double>(value) / 1000);
        } else {
            format(cell, "{}", value);
        }
        return cell;
    });
}

// One matrix where reads and writes are alike, else two; none where nothing is known.
void print_figures_of(TextSink& sink, Topology const& topology, std::string_view what, Figure read, Figure write,
                      bool thousandths) {
    auto const pairs = topology.performance;
    bool const are_alike =
        std::all_of(pairs.begin(), pairs.end(), [=](auto const& pair) { return pair.*read == pair.*write; });
    for (auto const& [kind, figure] : {std::pair("read ", read), std::pair("write ", write)}) {
        bool const is_known = std::any_of(pairs.begin(), pairs.end(),
                                          [=](auto const& pair) { return pair.*figure != unknown_performance; });
        if (!is_known || (are_alike && figure == write)) continue;
        FixedText<64> title;
        format(title, "{}{}", are_alike ? "" : kind, what);
        print_figures(sink, title.view(), topology, figure, thousandths);
    }
}

} // namespace

void print(TextSink& sink, Topology const& topology) {
    format(sink, "cores {} (listed by the firmware: {}), nodes {}, ", topology.cores.size(), topology.listed_cores,
           topology.nodes.size());
    print_memory_size(sink, topology, topology.memory_bytes());
    sink.write("\n");
    for (Node const& node : topology.nodes) print_node(sink, topology, node);
    if (topology.nodes.size() > 1) {
        print_matrix(sink, "distance", topology.nodes, [&](NodeId from, NodeId to) {
            Cell cell;
            format(cell, "{}", topology.distance(from, to));
            return cell;
        });
    }
    using P = MemoryPerformance;
    print_figures_of(sink, topology, "latency in ns", &P::read_latency, &P::write_latency, true);
    print_figures_of(sink, topology, "bandwidth in MB/s", &P::read_bandwidth, &P::write_bandwidth, false);
}

} // namespace mxk::topology
