// The topology as people read it: ids as runs ("0-3,8", "0-14:2" for every second), so that 300 cores take a few lines
// and not 300.
#include <algorithm>
#include <utility>

#include "base/format.hpp"
#include "kernel/topology/topology.hpp"

namespace mxk::topology {
namespace {

constexpr std::size_t line_width = 100;
constexpr std::size_t label_columns = 10; // as wide as a label and what stands before it

double mebibytes(std::uint64_t bytes) {
    return static_cast<double>(bytes) / static_cast<double>(MiB);
}

// Values, given one by one, as runs; a run is passed on as text when it is complete. Values that follow one another, or
// three or more at the same distance.
template <typename Emit> class Runs {
  public:
    explicit Runs(Emit emit)
        : emit_(emit) {}

    void add(std::uint64_t value) {
        if (count_ > 0 && value > last_ && (count_ == 1 || value - last_ == step_)) {
            step_ = value - last_;
            last_ = value;
            ++count_;
            return;
        }
        if (is_pair()) { // the second of them may begin a run with what comes
            emit_single(first_);
            first_ = last_;
            count_ = 1;
            return add(value);
        }
        finish();
        first_ = last_ = value;
        count_ = 1;
    }
    // The last run.
    void finish() {
        if (count_ == 0) return;
        if (is_pair()) emit_single(first_);
        if (is_pair() || count_ == 1) {
            emit_single(last_);
        } else {
            FixedText<64> run;
            format(run, "{}-{}", first_, last_);
            if (step_ > 1) format(run, ":{}", step_);
            emit_(run.view());
        }
        count_ = 0;
    }

  private:
    // Two that do not follow one another are no run.
    [[nodiscard]] bool is_pair() const { return count_ == 2 && step_ > 1; }
    void emit_single(std::uint64_t value) {
        FixedText<32> single;
        format(single, "{}", value);
        emit_(single.view());
    }

    Emit emit_;
    std::uint64_t first_ = 0;
    std::uint64_t last_ = 0;
    std::uint64_t step_ = 0;
    std::size_t count_ = 0; // of the run that is not yet complete
};

// Words in lines of bounded width, the further ones indented.
class WrappedLine {
  public:
    WrappedLine(TextSink& sink, std::size_t column)
        : sink_(sink)
        , indent_(column)
        , column_(column) {}

    // `separator`: between this word and the one before it; left out at the beginning of a line, but for a comma.
    void add(std::string_view separator, std::string_view word) {
        bool const is_comma = separator == ",";
        if (is_comma) write(separator);
        if (column_ != indent_ && column_ + word.size() + 1 > line_width) break_line();
        if (!is_comma && column_ != indent_) write(separator);
        write(word);
    }
    // What is written next has so many characters that belong together.
    void keep_together(std::size_t characters) {
        if (column_ != indent_ && column_ + characters > line_width && indent_ + characters <= line_width) break_line();
    }

  private:
    void write(std::string_view text) {
        sink_.write(text);
        column_ += text.size();
    }
    void break_line() {
        sink_.write("\n");
        for (column_ = 0; column_ < indent_; ++column_) sink_.write(" ");
    }

    TextSink& sink_;
    std::size_t indent_;
    std::size_t column_;
};

// add_all(add) calls add(value) for all values.
template <typename AddAll> std::size_t width_of_runs(AddAll add_all) {
    std::size_t width = 0;
    Runs runs([&](std::string_view run) { width += run.size() + 1; });
    add_all([&](std::uint64_t value) { runs.add(value); });
    runs.finish();
    return width;
}

// value_at(i), i < count, in this order, as runs.
template <typename ValueAt>
void print_runs(TextSink& sink, std::string_view label, std::size_t count, ValueAt value_at) {
    format(sink, "  {:8}{}", label, count == 0 ? "none" : "");
    WrappedLine line(sink, label_columns);
    std::string_view separator;
    Runs runs([&](std::string_view run) {
        line.add(separator, run);
        separator = ",";
    });
    for (std::size_t i = 0; i < count; ++i) runs.add(value_at(i));
    runs.finish();
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

// The cores of one group, those with this domain: add(id) for each.
template <typename DomainOf, typename Add>
void for_each_of(std::span<Core const> cores, DomainOf domain_of, std::uint32_t domain, Add add) {
    for (Core const& core : cores)
        if (domain_of(core) == domain) add(index(core.id));
}

// Whether each group consists of the cores of the one before it, moved on by the same number. `firsts_differ_by`: from
// the first core of the first group to that of the second.
template <typename DomainOf, typename IsFirst>
bool is_regular(std::span<Core const> cores, DomainOf domain_of, IsFirst is_first, std::size_t firsts_differ_by) {
    std::size_t next_first = 0;
    std::size_t size = 0; // of the first group
    for_each_of(cores, domain_of, domain_of(cores[0]), [&](std::size_t) { ++size; });
    for (std::size_t first = 0; first < cores.size(); ++first) {
        std::uint32_t const domain = domain_of(cores[first]);
        if (domain == unknown_domain) return false;
        if (!is_first(cores[first])) continue;
        if (first != next_first) return false;
        next_first = first + firsts_differ_by;
        bool is_moved = true;
        std::size_t count = 0;
        for_each_of(cores, domain_of, domain, [&](std::size_t id) {
            ++count;
            is_moved = is_moved && (first == 0 || domain_of(cores[id - firsts_differ_by]) ==
                                                      domain_of(cores[first - firsts_differ_by]));
        });
        if (!is_moved || count != size) return false;
    }
    return true;
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
    constexpr std::size_t label_width = 20;
    format(sink, "  {:17} ", label);
    WrappedLine line(sink, label_width);
    constexpr std::size_t listed_groups = 8; // of regular ones more than these are not listed one by one
    std::size_t second_first = 1;
    while (second_first < cores.size() && !is_first(cores[second_first])) ++second_first;
    bool const abbreviates = groups > listed_groups && is_regular(cores, domain_of, is_first, second_first);
    std::size_t group = 0;
    for (Core const& core : cores) {
        if (domain_of(core) == unknown_domain || !is_first(core)) continue;
        ++group;
        if (abbreviates && group == 3) line.add(" ", "...");
        if (abbreviates && group > 2 && group < groups) continue;
        auto const for_each = [&](auto add) { for_each_of(cores, domain_of, domain_of(core), add); };
        line.keep_together(width_of_runs(for_each));
        std::string_view separator = " ";
        Runs runs([&](std::string_view run) {
            line.add(separator, run);
            separator = ",";
        });
        for_each([&](std::size_t id) { runs.add(id); });
        runs.finish();
    }
    if (abbreviates) format(sink, " ({} groups)", groups);
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
        print_matrix(sink, topology.distances_are_known ? "distance" : "distance, assumed,", topology.nodes,
                     [&](NodeId from, NodeId to) {
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
