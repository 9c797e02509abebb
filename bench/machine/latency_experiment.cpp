#include "bench/machine/latency_experiment.hpp"

#include <algorithm>

#include "arch/machine.hpp"
#include "bench/machine/byte_text.hpp"
#include "bench/machine/chase_measure.hpp"
#include "kernel/topology/system_topology.hpp"

namespace mxk::bench {

Result<MemoryPlace> MemoryPlace::choose(topology::Topology const& topology, MemoryOptions const& options) {
    auto const cores = options.cores.values();
    if (cores.size() > 1) return Error::of("--cores: expected one core, got {}", cores.size());
    std::size_t const core = cores.empty() ? 0 : cores[0];
    if (core >= topology.cores.size())
        return Error::of("--cores: expected a core from 0 to {}, those of this machine, got {}",
                         topology.cores.size() - 1, core);
    std::size_t const node = options.node ? *options.node : index(topology.cores[core].node);
    if (node >= topology.nodes.size())
        return Error::of("--node: expected a node from 0 to {}, those of this machine, got {}",
                         topology.nodes.size() - 1, node);
    return MemoryPlace{core_id(core), node_id(node)};
}

Result<LatencyExperiment> LatencyExperiment::create(MemoryOptions const& options) {
    auto const place = MXK_TRY(MemoryPlace::choose(system_topology(), options));
    std::size_t const largest = arch::describe_machine().is_emulated() ? emulated_latency_bytes : GiB;
    std::size_t const wanted = options.max.value_or(largest);
    // Small sets lie in the same large page as larger ones.
    std::size_t const room = std::max(wanted, NodeArray<std::byte>::large_page_bytes);
    return LatencyExperiment(options, place, wanted, MXK_TRY(MeasuredMemory::create_up_to(room, place.node)));
}

Result<void> LatencyExperiment::run(std::size_t configuration, std::span<Sample> samples, Progress& progress) {
    ChaseRoom const room{memory_.start(), sets_.bytes()[configuration] / cache_line_bytes};
    samples[0] = MXK_TRY(measure_chase(place_.core, room, options_.loads, progress));
    return {};
}

void LatencyExperiment::print_head(TextSink& out) const {
    std::size_t const largest = sets_.bytes().back();
    format(out, "memory latency: loads of core {}, each waits for the one before, memory of node {}; {} runs per row\n",
           place_.core, place_.node, options_.repeat);
    format(out, "pages: {}\n", arch::describe_machine().pages);
    if (memory_.bytes() < wanted_)
        format(out, "sets up to {}: node {} has no {} of free memory in one piece\n", byte_text(largest).view(),
               place_.node, byte_text(wanted_).view());
    print_emulated(out, largest, options_.max.has_value());
}

std::string_view LatencyExperiment::level_of_row(Row const& row) const {
    return level_of(system_topology().cores[index(place_.core)].levels, bytes_of(row));
}

void LatencyExperiment::print_label_heading(TextSink& out) const {
    format(out, "{:>12} {:<7}", "working set", "");
}

void LatencyExperiment::print_label(TextSink& out, Row const& row) const {
    FixedText<8> level;
    if (!level_of_row(row).empty()) format(level, "~{}", level_of_row(row));
    format(out, "{:>12} {:<7}", byte_text(bytes_of(row)).view(), level.view());
}

void LatencyExperiment::print_title(TextSink& out, Row const& row) const {
    format(out, "latency, {}", byte_text(bytes_of(row)).view());
}

void LatencyExperiment::write_settings(JsonWriter& json, Row const& row) const {
    json.field("measure", "latency");
    json.field("core", place_.core);
    json.field("memory_node", place_.node);
    json.field("bytes", bytes_of(row));
    if (!level_of_row(row).empty()) json.field("level", level_of_row(row));
}

} // namespace mxk::bench
