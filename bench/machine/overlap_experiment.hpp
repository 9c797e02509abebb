// `bench memory --part overlap`: what a load costs while others are under way: by the number of chains that are
// followed at a time, and by how far ahead places are prefetched.
#pragma once

#include <array>
#include <cstdint>
#include <utility>

#include "bench/frame/experiment.hpp"
#include "bench/machine/latency_experiment.hpp"
#include "bench/machine/measured_memory.hpp"
#include "bench/machine/memory_options.hpp"

namespace mxk::bench {

// A configuration is a number of chains, or a distance.
class OverlapExperiment final : public Experiment {
  public:
    static Result<OverlapExperiment> create(MemoryOptions const& options);

    [[nodiscard]] Unit unit() const override { return Unit::NanosecondsPerOperation; }
    [[nodiscard]] std::size_t configurations() const override { return cases.size(); }
    Result<void> run(std::size_t configuration, std::span<Sample> samples, Progress& progress) override;
    [[nodiscard]] std::string_view failure() const override { return "a chain did not visit each line once"; }

    void print_head(TextSink& out) const override;
    void print_label_heading(TextSink& out) const override;
    void print_label(TextSink& out, Row const& row) const override;
    void print_title(TextSink& out, Row const& row) const override;
    void write_settings(JsonWriter& json, Row const& row) const override;

  private:
    enum class Way : std::uint8_t { Chains, Prefetch };
    struct Case {
        Way way;
        std::size_t count; // of chains; of loads between a prefetch and its use
    };
    static constexpr std::array<Case, 14> cases{{
        {Way::Chains, 1},
        {Way::Chains, 2},
        {Way::Chains, 4},
        {Way::Chains, 8},
        {Way::Chains, 16},
        {Way::Chains, 32},
        {Way::Prefetch, 0},
        {Way::Prefetch, 1},
        {Way::Prefetch, 2},
        {Way::Prefetch, 4},
        {Way::Prefetch, 8},
        {Way::Prefetch, 16},
        {Way::Prefetch, 32},
        {Way::Prefetch, 64},
    }};

    OverlapExperiment(MemoryOptions const& options, MemoryPlace place, MeasuredMemory memory)
        : options_(options)
        , place_(place)
        , memory_(std::move(memory)) {}

    static Case const& case_of(Row const& row) { return cases[row.configuration]; }
    // The laps of a run, timed; `group`: what is followed. On the core that is measured.
    template <typename Group, typename Follow>
    [[nodiscard]] Result<Sample> measure(Group& group, Progress const& progress, Follow follow) const;

    MemoryOptions options_;
    MemoryPlace place_;
    MeasuredMemory memory_;
};

} // namespace mxk::bench
