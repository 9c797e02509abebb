// `bench memory --part matrix`, its second half: how many bytes a node's cores move per second, between each node with
// cores and each node with memory.
#pragma once

#include <cstdint>
#include <utility>

#include "bench/machine/matrix.hpp"
#include "bench/machine/memory_options.hpp"
#include "bench/machine/node_matrix.hpp"
#include "bench/machine/transfer.hpp"

namespace mxk::bench {

// A configuration is a transfer and a pair of nodes: all cores of the one at once, each a part of the other's memory.
class BandwidthMatrixExperiment final : public MatrixExperiment {
  public:
    static Result<BandwidthMatrixExperiment> create(MemoryOptions const& options);

    [[nodiscard]] Unit unit() const override { return Unit::BytesPerSecond; }
    [[nodiscard]] std::size_t configurations() const override { return transfers * matrix_.size(); }
    [[nodiscard]] std::optional<Error> unsupported(std::size_t configuration, std::size_t phase) const override;
    Result<void> run(std::size_t configuration, std::span<Sample> samples, Progress& progress) override;
    [[nodiscard]] std::string_view failure() const override { return "bytes that were moved are not what they were"; }

    void conclude(TextSink& out, std::span<Row const> rows) override;
    void print_head(TextSink& out) const override;
    void print_title(TextSink& out, Row const& row) const override;
    void write_settings(JsonWriter& json, Row const& row) const override;

  private:
    static constexpr std::size_t transfers = value_names(Transfer{}).size();

    BandwidthMatrixExperiment(MemoryOptions const& options, std::size_t set, NodeMatrix matrix, MatrixMemory sources,
                              MatrixMemory targets)
        : options_(options)
        , set_(set)
        , matrix_(std::move(matrix))
        , sources_(std::move(sources))
        , targets_(std::move(targets)) {}

    [[nodiscard]] Transfer transfer_of(std::size_t configuration) const {
        return static_cast<Transfer>(configuration / matrix_.size());
    }
    [[nodiscard]] NodeMatrix::Pair pair_of(std::size_t configuration) const {
        return matrix_.pair(configuration % matrix_.size());
    }
    [[nodiscard]] std::size_t passes() const;

    MemoryOptions options_;
    std::size_t set_; // bytes, of all cores of a node together
    NodeMatrix matrix_;
    MatrixMemory sources_; // read, written to, and what copies are made of
    MatrixMemory targets_; // of copies
    std::uint64_t run_ = 0;
};

} // namespace mxk::bench
