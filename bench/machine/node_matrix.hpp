// What is measured between each node that has cores and each node that has memory: a cell for each pair.
#pragma once

#include <optional>
#include <span>

#include "bench/frame/experiment.hpp"
#include "bench/machine/matrix.hpp"
#include "bench/machine/measured_memory.hpp"
#include "kernel/memory/node_vector.hpp"
#include "kernel/topology/topology.hpp"

namespace mxk::bench {

class NodeMatrix {
  public:
    struct Pair {
        NodeId from; // whose cores
        NodeId to;   // whose memory
    };

    // Of this machine. Errors: no memory for the lists.
    static Result<NodeMatrix> create(topology::Topology const& topology);

    [[nodiscard]] std::span<NodeId const> rows() const { return rows_.span(); }
    [[nodiscard]] std::span<NodeId const> columns() const { return columns_.span(); }
    [[nodiscard]] std::size_t size() const { return rows_.size() * columns_.size(); }
    // Row by row.
    [[nodiscard]] Pair pair(std::size_t at) const { return {rows_[at / columns_.size()], columns_[column(at)]}; }
    [[nodiscard]] std::size_t column(std::size_t at) const { return at % columns_.size(); }

    // `cells`: the rows of a result, as many as pairs.
    void print(TextSink& out, std::span<Row const> cells, double unit) const;
    // The fields "core_node", "memory_node", "slit", and what the firmware's HMAT says.
    static void write(JsonWriter& json, Pair pair);

  private:
    NodeVector<NodeId> rows_;
    NodeVector<NodeId> columns_;
};

// Memory to be measured on each column's node, or why there is none.
class MatrixMemory {
  public:
    // So many bytes on each. Errors: no memory for the list.
    static Result<MatrixMemory> create(NodeMatrix const& matrix, std::size_t bytes);

    [[nodiscard]] MeasuredMemory const& of(std::size_t column) const { return memories_[column]; }
    [[nodiscard]] std::optional<Error> lacking(std::size_t column) const { return errors_[column]; }

  private:
    NodeVector<MeasuredMemory> memories_; // empty where there is an error
    NodeVector<std::optional<Error>> errors_;
};

} // namespace mxk::bench
