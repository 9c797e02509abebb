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

// Ids added in ascending order, as runs: "0-3,8".
class CoreRuns {
  public:
    explicit CoreRuns(TextSink& sink)
        : sink_(sink) {}
    void add(std::size_t id) {
        if (any_ && id == last_ + 1) {
            last_ = id;
            return;
        }
        finish();
        format(sink_, "{}{}", any_ ? "," : "", id);
        first_ = last_ = id;
        any_ = true;
    }
    void finish() {
        if (any_ && last_ != first_) format(sink_, "-{}", last_);
        first_ = last_;
    }

  private:
    TextSink& sink_;
    std::size_t first_ = 0;
    std::size_t last_ = 0;
    bool any_ = false;
};

// " 32 KiB", or " 32-48 KiB" where cores have different ones.
void print_sizes(TextSink& sink, std::span<Core const> cores, std::size_t level) {
    std::uint64_t smallest = UINT64_MAX;
    std::uint64_t largest = 0;
    for (Core const& core : cores) {
        CacheDomain const& cache = core.levels.caches[level];
        if (cache.domain == unknown_domain) continue;
        smallest = std::min(smallest, cache.bytes);
        largest = std::max(largest, cache.bytes);
    }
    if (largest == 0) return;
    format(sink, " {}", smallest / KiB);
    if (smallest != largest) format(sink, "-{}", largest / KiB);
    sink.write(" KiB");
}

// The groups of cores that share a level, in the order of their first cores: "L2  1024 KiB: 0-1 2-3".
// domain_of(core): unknown_domain where it shares nothing that is known.
template <typename DomainOf>
void print_level(TextSink& sink, std::string_view label, std::span<Core const> cores, DomainOf domain_of) {
    auto const is_first = [&](Core const& core) {
        return std::none_of(cores.begin(), cores.begin() + static_cast<std::ptrdiff_t>(index(core.id)),
                            [&](Core const& before) { return domain_of(before) == domain_of(core); });
    };
    std::size_t groups = 0;
    for (Core const& core : cores) groups += is_first(core) ? 1U : 0U;
    if (groups == cores.size() && cores.size() > 1) return format(sink, "  {:17} each core its own\n", label);
    constexpr std::size_t label_width = 19;
    format(sink, "  {:17}", label);
    std::size_t column = label_width;
    for (Core const& core : cores) {
        if (domain_of(core) == unknown_domain || !is_first(core)) continue;
        FixedText<line_width> group(" ");
        CoreRuns runs(group);
        for (Core const& other : cores) {
            if (domain_of(other) == domain_of(core)) runs.add(index(other.id));
        }
        runs.finish();
        if (column + group.view().size() > line_width) {
            format(sink, "\n  {:17}", "");
            column = label_width;
        }
        sink.write(group.view());
        column += group.view().size();
    }
    sink.write("\n");
}

bool knows_levels(Core const& core) {
    return core.levels != CoreLevels{};
}

// What cores share below their nodes. A preview knows nothing of it.
void print_levels(TextSink& sink, std::span<Core const> cores) {
    if (std::none_of(cores.begin(), cores.end(), knows_levels))
        return sink.write("levels: not known (packages, caches, SMT siblings)\n");
    sink.write("levels: cores that share a package, a cache, a physical core\n");
    auto const print_if_known = [&](std::string_view label, auto domain_of) {
        bool const is_known =
            std::any_of(cores.begin(), cores.end(), [&](Core const& c) { return domain_of(c) != unknown_domain; });
        if (is_known) print_level(sink, label, cores, domain_of);
    };
    print_if_known("package", [](Core const& core) { return core.levels.package; });
    for (std::size_t i = CoreLevels::cache_levels; i-- > 0;) {
        FixedText<32> label;
        format(label, "L{}", i + 1);
        print_sizes(label, cores, i);
        print_if_known(label.view(), [i](Core const& core) { return core.levels.caches[i].domain; });
    }
    print_if_known("physical core", [](Core const& core) { return core.levels.physical_core; });
}

using Cell = FixedText<24>;

// A square of nodes: cell_at(from, to) as text, all columns as wide as the widest cell.
template <typename CellAt>
void print_matrix(TextSink& sink, std::string_view title, std::span<Node const> nodes, CellAt cell_at) {
    constexpr std::size_t min_width = 4;
    std::size_t width = min_width;
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
    print_levels(sink, topology.cores);
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
