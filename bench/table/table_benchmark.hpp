// The experiment behind `bench table`, and behind the figures that are made of its rows (bench/figures). Its
// configurations are numbers of cores, with --sweep for each size of the table, its phases those of --mix.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "bench/frame/core_choice.hpp"
#include "bench/frame/experiment.hpp"
#include "bench/table/engine.hpp"
#include "bench/table/table_experiment.hpp"
#include "bench/table/table_options.hpp"
#include "bench/table/table_report.hpp"
#include "bench/trace/trace_replay.hpp"
#include "kernel/memory/node_array.hpp"
#include "kernel/memory/node_vector.hpp"

namespace mxk::bench {

class TableBenchmark final : public Experiment {
  public:
    using Options = TableOptions;
    static constexpr std::string_view name = "table";

    // All that can be known before a run. Errors: what was typed is wrong, or contradicts itself; no memory.
    static Result<TableBenchmark> create(TableOptions const& options);

    [[nodiscard]] Unit unit() const override { return Unit::OperationsPerSecond; }
    [[nodiscard]] std::size_t configurations() const override { return run_.sizes.count() * core_sets_.size(); }
    [[nodiscard]] std::size_t phases() const override { return run_.mix.size(); }
    [[nodiscard]] bool may_be_wrong(Row const& /*row*/) const override { return run_.may_lose(); }
    [[nodiscard]] bool has_speed_up() const override { return true; }
    [[nodiscard]] std::size_t baseline(std::size_t configuration) const override {
        return size_of(configuration) * core_sets_.size();
    }
    [[nodiscard]] std::size_t cores_of(Row const& row) const override {
        return core_sets_.cores(set_of(row.configuration)).size();
    }

    Result<void> run(std::size_t configuration, std::span<Sample> samples, Progress& progress) override;
    void keep(std::size_t configuration) override;
    void warn_of_placement(std::size_t configuration, Mix const& mix, TableExperiment::Outcome const& outcome) const;
    // Gives back the memory of the table and the instructions until the next run.
    void release() { experiment_.reset(); }

    void print_head(TextSink& out) const override { print_table_head(out, run_); }
    void print_label_heading(TextSink& out) const override;
    void print_label(TextSink& out, Row const& row) const override;
    void print_title(TextSink& out, Row const& row) const override;
    void print_verdict(TextSink& out, Row const& row) const override;
    void print_details(TextSink& out, Row const& row) const override;
    void write_settings(JsonWriter& json, Row const& row) const override;
    void write_details(JsonWriter& json, Row const& row) const override;

    // What the row's runs have found besides their throughput.
    [[nodiscard]] TableFindings const& found_of(Row const& row) const {
        return found_[row.configuration * phases() + row.phase];
    }

  private:
    explicit TableBenchmark(TableRun const& run)
        : run_(run) {}

    [[nodiscard]] std::size_t size_of(std::size_t configuration) const { return configuration / core_sets_.size(); }
    [[nodiscard]] std::size_t set_of(std::size_t configuration) const { return configuration % core_sets_.size(); }
    // The first cache that what a core works on fits into; empty where that is not known.
    [[nodiscard]] std::string_view level_of_row(Row const& row) const;

    using Speeds = std::array<double, Phases::max>; // operations per second, by phase

    // Where --rate is a share: what it is a share of, as fast as the same run is when all its operations are due at
    // once. Else 0.
    Result<Speeds> max_speeds(std::size_t configuration, Progress& progress);
    // 0: no set rate.
    [[nodiscard]] double offered_rate(double max_speed) const;
    [[nodiscard]] Mix const& mix_of(Row const& row) const { return run_.mix.list()[row.phase]; }

    TableRun run_;                       // operations: those of the latest run
    CoreSetList core_sets_;              // for each of the sizes
    NodeArray<std::uint64_t> file_keys_; // that run_ refers to
    NodeVector<TraceReplay> trace_;      // the same; empty without one
    NodeVector<TableFindings> found_;    // by row
    NodeVector<TableFindings> latest_;   // of the latest run, by phase
    std::optional<TableExperiment> experiment_{};
    std::size_t prepared_for_ = 0; // the configuration that experiment_ is of
};

} // namespace mxk::bench
