// The experiment behind `bench figure`: all curves of a figure on all numbers of cores, interleaved.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "bench/figures/figure.hpp"
#include "bench/frame/core_choice.hpp"
#include "bench/frame/experiment.hpp"
#include "bench/frame/run_options.hpp"
#include "bench/table/table_benchmark.hpp"
#include "kernel/memory/node_vector.hpp"

namespace mxk::bench {

struct FigureOptions : CoreSetOptions {
    constexpr FigureOptions()
        : CoreSetOptions{{.repeat = 5}, {}} {}

    std::string_view figure{};                 // its number; empty: a list of all
    std::optional<std::uint64_t> operations{}; // none: the thesis'
    std::uint64_t seed = 1;
};

// Configurations: the curves, one after the other, each on all numbers of cores. The console's task.
class FigureExperiment final : public Experiment {
  public:
    using Options = FigureOptions;
    static constexpr std::string_view name = "figure";

    // Errors: no such figure, cores that are not there, no memory.
    static Result<FigureExperiment> create(FigureOptions const& options);

    [[nodiscard]] Unit unit() const override { return Unit::OperationsPerSecond; }
    [[nodiscard]] std::size_t configurations() const override { return series_.size() * core_counts_.size(); }
    [[nodiscard]] bool may_be_wrong(Row const& row) const override { return series_of(row).may_be_wrong(inner(row)); }
    [[nodiscard]] bool has_speed_up() const override { return true; }
    [[nodiscard]] std::size_t baseline(std::size_t configuration) const override {
        return series_at(configuration) * core_counts_.size();
    }
    [[nodiscard]] std::size_t cores_of(Row const& row) const override { return series_of(row).cores_of(inner(row)); }

    Result<void> run(std::size_t configuration, std::span<Sample> samples, Progress& progress) override;
    void keep(std::size_t configuration) override {
        series_[series_at(configuration)].keep(configuration % core_counts_.size());
    }

    void print_head(TextSink& out) const override;
    void print_label_heading(TextSink& out) const override;
    void print_label(TextSink& out, Row const& row) const override;
    void print_title(TextSink& out, Row const& row) const override;
    void print_verdict(TextSink& out, Row const& row) const override { series_of(row).print_verdict(out, inner(row)); }
    void print_details(TextSink& out, Row const& row) const override { series_of(row).print_details(out, inner(row)); }
    void write_subject(JsonWriter& json) const override;
    void write_settings(JsonWriter& json, Row const& row) const override;
    void write_details(JsonWriter& json, Row const& row) const override {
        series_of(row).write_details(json, inner(row));
    }

    [[nodiscard]] std::size_t conclusions() const override { return figure_->statements.size(); }
    [[nodiscard]] Conclusion conclude(std::size_t at, std::span<Row const> rows) const override;

  private:
    class Results;

    explicit FigureExperiment(Figure const& figure)
        : figure_(&figure) {}

    [[nodiscard]] std::size_t series_at(std::size_t configuration) const { return configuration / core_counts_.size(); }
    [[nodiscard]] TableBenchmark const& series_of(Row const& row) const {
        return series_[series_at(row.configuration)];
    }
    // As the curve's own benchmark counts.
    [[nodiscard]] Row inner(Row row) const {
        row.configuration %= core_counts_.size();
        return row;
    }

    Figure const* figure_;
    NodeVector<TableBenchmark> series_;
    NodeVector<std::uint32_t> core_counts_; // by set
    std::size_t latest_ = 0;                // of series_, which holds memory
};

} // namespace mxk::bench
