#include "bench/machine/node_matrix.hpp"

#include <utility>

#include "kernel/memory/memory.hpp"
#include "kernel/topology/system_topology.hpp"
#include "tasks/worker.hpp"

namespace mxk::bench {

Result<NodeMatrix> NodeMatrix::create(topology::Topology const& topology) {
    NodeId const here = Worker::current().node();
    NodeMatrix matrix;
    matrix.rows_ = MXK_TRY(NodeVector<NodeId>::create(topology.nodes.size(), here));
    matrix.columns_ = MXK_TRY(NodeVector<NodeId>::create(topology.nodes.size(), here));
    for (topology::Node const& node : topology.nodes) {
        if (!node.cores.empty()) matrix.rows_.emplace(node.id);
        if (memory::use(node.id).total != 0) matrix.columns_.emplace(node.id);
    }
    return matrix;
}

void NodeMatrix::print(TextSink& out, std::span<Row const> cells, double unit) const {
    print_matrix(out, "cores\\memory", rows(), columns(), [&](std::size_t row, std::size_t column) {
        return cell_of(cells[row * columns_.size() + column], unit);
    });
}

void NodeMatrix::write(JsonWriter& json, Pair pair) {
    topology::Topology const& topology = system_topology();
    json.field("core_node", pair.from);
    json.field("memory_node", pair.to);
    json.field("slit", topology.distance(pair.from, pair.to));
    if (topology.performance.empty()) return;
    auto const& hmat = topology.performance[index(pair.from) * topology.nodes.size() + index(pair.to)];
    auto const write_known = [&](std::string_view name, std::uint64_t value, double unit) {
        if (value != topology::unknown_performance && value != topology::unreachable)
            json.field(name, static_cast<double>(value) * unit);
    };
    write_known("hmat_read_nanoseconds", hmat.read_latency, 1e-3);
    write_known("hmat_write_nanoseconds", hmat.write_latency, 1e-3);
    write_known("hmat_read_bytes_per_second", hmat.read_bandwidth, 1e6);
    write_known("hmat_write_bytes_per_second", hmat.write_bandwidth, 1e6);
}

Result<MatrixMemory> MatrixMemory::create(NodeMatrix const& matrix, std::size_t bytes) {
    NodeId const here = Worker::current().node();
    MatrixMemory all;
    all.memories_ = MXK_TRY(NodeVector<MeasuredMemory>::create(matrix.columns().size(), here));
    all.errors_ = MXK_TRY(NodeVector<std::optional<Error>>::create(matrix.columns().size(), here));
    for (NodeId const node : matrix.columns()) {
        auto memory = MeasuredMemory::create(bytes, node);
        if (memory) {
            all.memories_.emplace(std::move(memory).value());
            all.errors_.emplace();
        } else {
            all.memories_.emplace();
            all.errors_.emplace(memory.error());
        }
    }
    return all;
}

} // namespace mxk::bench
