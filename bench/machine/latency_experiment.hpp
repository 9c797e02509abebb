// `bench memory --part latency`: what a load costs by the size of what is loaded from: each cache, then memory.
#pragma once

#include "bench/frame/experiment.hpp"
#include "bench/machine/measured_memory.hpp"
#include "bench/machine/memory_options.hpp"
#include "bench/machine/working_sets.hpp"
#include "kernel/topology/topology.hpp"

namespace mxk::bench {

// The core and the node that options choose. Errors: no such one.
struct MemoryPlace {
    CoreId core;
    NodeId node;

    static Result<MemoryPlace> choose(topology::Topology const& topology, MemoryOptions const& options);
};

// A configuration is a working set.
class LatencyExperiment final : public Experiment {
  public:
    static Result<LatencyExperiment> create(MemoryOptions const& options);

    [[nodiscard]] Unit unit() const override { return Unit::NanosecondsPerOperation; }
    [[nodiscard]] std::size_t configurations() const override { return sets_.bytes().size(); }
    Result<void> run(std::size_t configuration, std::span<Sample> samples, Progress& progress) override;
    [[nodiscard]] std::string_view failure() const override { return "the chain did not visit each line once"; }

    void print_head(TextSink& out) const override;
    void print_label_heading(TextSink& out) const override;
    void print_label(TextSink& out, Row const& row) const override;
    void print_title(TextSink& out, Row const& row) const override;
    void write_settings(JsonWriter& json, Row const& row) const override;

  private:
    LatencyExperiment(MemoryOptions const& options, MemoryPlace place, std::size_t wanted, MeasuredMemory memory)
        : options_(options)
        , place_(place)
        , wanted_(wanted)
        , memory_(std::move(memory))
        , sets_(WorkingSets::up_to(std::min(wanted, memory_.bytes()))) {}

    [[nodiscard]] std::size_t bytes_of(Row const& row) const { return sets_.bytes()[row.configuration]; }
    [[nodiscard]] std::string_view level_of_row(Row const& row) const;

    MemoryOptions options_;
    MemoryPlace place_;
    std::size_t wanted_; // bytes, the largest set
    MeasuredMemory memory_;
    WorkingSets sets_;
};

} // namespace mxk::bench
