// `bench memory --part matrix`, its first half: what a load costs between each node with cores and each node with
// memory.
#pragma once

#include <cstdint>
#include <utility>

#include "bench/machine/matrix.hpp"
#include "bench/machine/memory_options.hpp"
#include "bench/machine/node_matrix.hpp"

namespace mxk::bench {

// A configuration is a pair of nodes; the first core of the one waits for its loads from the other's memory.
class LatencyMatrixExperiment final : public MatrixExperiment {
  public:
    static Result<LatencyMatrixExperiment> create(MemoryOptions const& options);

    [[nodiscard]] Unit unit() const override { return Unit::NanosecondsPerOperation; }
    [[nodiscard]] std::size_t configurations() const override { return matrix_.size(); }
    [[nodiscard]] std::optional<Error> unsupported(std::size_t configuration, std::size_t phase) const override;
    Result<void> run(std::size_t configuration, std::span<Sample> samples, Progress& progress) override;
    [[nodiscard]] std::string_view failure() const override { return "the chain did not visit each line once"; }

    // The matrix; warns where the firmware's distances are in another order.
    void conclude(TextSink& out, std::span<Row const> rows) override;
    void print_head(TextSink& out) const override;
    void print_title(TextSink& out, Row const& row) const override;
    void write_settings(JsonWriter& json, Row const& row) const override;

  private:
    LatencyMatrixExperiment(MemoryOptions const& options, std::size_t set, NodeMatrix matrix, MatrixMemory memory)
        : options_(options)
        , set_(set)
        , matrix_(std::move(matrix))
        , memory_(std::move(memory)) {}

    void compare_with_slit(std::span<Row const> rows) const;

    MemoryOptions options_;
    std::size_t set_; // bytes
    NodeMatrix matrix_;
    MatrixMemory memory_;
};

} // namespace mxk::bench
