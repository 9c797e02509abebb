#include "bench/machine/latency_matrix.hpp"

#include <array>

#include "arch/machine.hpp"
#include "base/log.hpp"
#include "bench/machine/byte_text.hpp"
#include "bench/machine/chase_measure.hpp"
#include "bench/machine/slit_check.hpp"
#include "kernel/topology/system_topology.hpp"

namespace mxk::bench {

Result<LatencyMatrixExperiment> LatencyMatrixExperiment::create(MemoryOptions const& options) {
    std::size_t const set = align_down(options.set.value_or(default_set_bytes()), cache_line_bytes);
    auto matrix = MXK_TRY(NodeMatrix::create(system_topology()));
    auto memory = MXK_TRY(MatrixMemory::create(matrix, set));
    return LatencyMatrixExperiment(options, set, std::move(matrix), std::move(memory));
}

std::optional<Error> LatencyMatrixExperiment::unsupported(std::size_t configuration, std::size_t /*phase*/) const {
    return memory_.lacking(matrix_.column(configuration));
}

Result<void> LatencyMatrixExperiment::run(std::size_t configuration, std::span<Sample> samples, Progress& progress) {
    ChaseRoom const room{memory_.of(matrix_.column(configuration)).start(), set_ / cache_line_bytes};
    CoreId const core = system_topology().nodes[index(matrix_.pair(configuration).from)].cores.front();
    samples[0] = MXK_TRY(measure_chase(core, room, options_.loads, progress));
    return {};
}

void LatencyMatrixExperiment::print_head(TextSink& out) const {
    format(out, "memory latency, ns per load: first core of a node, memory of a node, {} each; {} runs\n",
           byte_text(set_).view(), options_.repeat);
    print_emulated(out, set_, options_.set.has_value());
}

void LatencyMatrixExperiment::conclude(TextSink& out, std::span<Row const> rows) {
    matrix_.print(out, rows, 1);
    for (std::size_t column = 0; column < matrix_.columns().size(); ++column)
        if (auto const error = memory_.lacking(column)) format(out, "not measured: {}\n", error->message());
    // An emulator has the distances that it was told, and one memory.
    if (!arch::describe_machine().is_emulated()) compare_with_slit(rows);
}

void LatencyMatrixExperiment::compare_with_slit(std::span<Row const> rows) const {
    auto const nodes = matrix_.columns();
    auto slit = NodeArray<std::uint8_t>::create(nodes.size(), Worker::current().node());
    auto measured = NodeArray<Range>::create(nodes.size(), Worker::current().node());
    if (!slit || !measured) return log::warn("memory: latencies are not compared with SLIT: no memory for that");
    for (std::size_t row = 0; row < matrix_.rows().size(); ++row) {
        NodeId const from = matrix_.rows()[row];
        for (std::size_t column = 0; column < nodes.size(); ++column) {
            slit.value()[column] = system_topology().distance(from, nodes[column]);
            Summary const& value = rows[row * nodes.size() + column].value;
            measured.value()[column] = {value.minimum, value.maximum}; // 0 where there is none
        }
        auto const found = find_slit_contradiction(slit.value().span(), measured.value().span());
        if (!found) continue;
        auto const [nearer, farther] = *found;
        log::warn("SLIT: node {} has node {} at distance {} and node {} at {}, but loads take {:.0} ns or more and "
                  "{:.0} ns or less",
                  from, nodes[nearer], slit.value()[nearer], nodes[farther], slit.value()[farther],
                  measured.value()[nearer].min, measured.value()[farther].max);
    }
}

void LatencyMatrixExperiment::print_title(TextSink& out, Row const& row) const {
    auto const [from, to] = matrix_.pair(row.configuration);
    format(out, "latency, cores of node {}, memory of node {}", from, to);
}

void LatencyMatrixExperiment::write_settings(JsonWriter& json, Row const& row) const {
    json.field("measure", "latency-matrix");
    NodeMatrix::write(json, matrix_.pair(row.configuration));
    json.field("bytes", set_);
}

} // namespace mxk::bench
