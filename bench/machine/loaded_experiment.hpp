// `bench memory --part loaded`: what a load costs while other cores read from the same memory, at increasing rates.
#pragma once

#include <array>

#include "bench/frame/experiment.hpp"
#include "bench/machine/latency_experiment.hpp"
#include "bench/machine/load_reader.hpp"
#include "bench/machine/measured_memory.hpp"
#include "bench/machine/memory_options.hpp"
#include "kernel/memory/node_vector.hpp"

namespace mxk::bench {

// A configuration is a load: the share of its time that each other core of the node reads.
class LoadedExperiment final : public Experiment {
  public:
    static Result<LoadedExperiment> create(MemoryOptions const& options);

    [[nodiscard]] Unit unit() const override { return Unit::NanosecondsPerOperation; }
    [[nodiscard]] std::size_t configurations() const override { return readers() == 0 ? 1 : loads.size(); }
    [[nodiscard]] std::span<Skipped const> skipped() const override { return skipped_.span(); }
    Result<void> run(std::size_t configuration, std::span<Sample> samples, Progress& progress) override;
    void keep(std::size_t configuration) override;
    [[nodiscard]] std::string_view failure() const override {
        return "the chain did not visit each line once, or other cores read other words than were there";
    }

    void print_head(TextSink& out) const override;
    void print_label_heading(TextSink& out) const override;
    void print_label(TextSink& out, Row const& row) const override;
    void print_title(TextSink& out, Row const& row) const override;
    void write_settings(JsonWriter& json, Row const& row) const override;
    void write_details(JsonWriter& json, Row const& row) const override;
    void print_details(TextSink& out, Row const& row) const override;

  private:
    static constexpr std::array loads{0.0, 0.125, 0.25, 0.5, 0.75, 1.0};

    LoadedExperiment(MemoryOptions const& options, MemoryPlace place)
        : options_(options)
        , place_(place) {}

    [[nodiscard]] std::size_t readers() const { return cores_.size() - 1; }
    // What the readers of a configuration have read per second, of the runs that count.
    [[nodiscard]] Summary read_of(std::size_t configuration) const;
    Result<void> prepare(Progress const& progress);

    MemoryOptions options_;
    MemoryPlace place_;
    std::size_t set_ = 0;      // bytes of each of the two
    NodeVector<CoreId> cores_; // the first one waits for its loads, the others read
    NodeVector<Skipped> skipped_;
    MeasuredMemory chain_;
    MeasuredMemory words_;                         // that are read
    NodeVector<double> bandwidths_;                // by configuration, then by run
    std::array<std::size_t, loads.size()> kept_{}; // runs of a configuration
    double last_ = 0;                              // bytes per second, of the run that has just ended
};

} // namespace mxk::bench
