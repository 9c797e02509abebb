// What the benchmarks of the dataflow scheduler have in common: a grid (bench/frame/grid.hpp) of disciplines and peers,
// sets of cores, and the axes of a benchmark.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "bench/dataflow/dataflow_options.hpp"
#include "bench/dataflow/dataflow_peer.hpp"
#include "bench/frame/grid.hpp"

namespace mxk::bench {

// What is measured: a discipline of ours, or a peer.
struct DataflowSystem {
    std::string_view name;
    Discipline discipline{};
    DataflowPeer const* peer = nullptr; // null: ours
};

// One run at one point.
struct DataflowRun {
    DataflowSystem const& system;
    dataflow::SchedulerOptions scheduler; // of ours
    std::span<CoreId const> cores;
    Point point;
    Sample& sample;
    Progress& progress;
};

// `locks_per_unbound`, `stolen` and what else the cores of a scheduler have counted since it was made.
struct SchedulerCounts {
    explicit SchedulerCounts(dataflow::Scheduler const& scheduler);

    std::uint64_t bound = 0;
    std::uint64_t unbound = 0;
    std::uint64_t stolen = 0;
    std::uint64_t reruns = 0;
    std::uint64_t locks = 0;
    [[nodiscard]] double locks_per_unbound() const;
    // Of tasks run, in per cent, how many were stolen.
    [[nodiscard]] double stolen_percent() const;
};

// What is not chosen by options.
struct DataflowPlan {
    std::string_view name;
    Unit unit = Unit::NanosecondsPerOperation;
    DisciplineSet disciplines{Discipline::Requests}; // where none was typed
    bool has_peers = false;
    std::span<Claim const> claims{};
};

class DataflowExperiment : public GridExperiment {
  public:
    Result<void> set_up() final;
    Result<void> run_at(Point const& point, std::span<Sample> samples, Progress& progress) final;
    [[nodiscard]] Unit unit() const final { return plan_.unit; }
    [[nodiscard]] bool continues_after_failure() const final { return true; }
    [[nodiscard]] std::optional<Error> unsupported_at(Point const& point) const final;
    void print_head(TextSink& out) const final;
    // What each other system does, or takes, by the first one, where several are measured.
    void conclude(TextSink& out, std::span<Row const> rows) final;

  protected:
    static constexpr std::size_t first_axis = 2; // of the benchmark's own, behind those of systems and cores

    // `options`: of the experiment, which outlive this.
    DataflowExperiment(DataflowPlan const& plan, DataflowOptions& options)
        : plan_(plan)
        , options_(options) {}
    ~DataflowExperiment() = default;

    // Makes complete what was typed, and adds axes. Errors: it cannot be measured.
    virtual Result<void> complete() { return {}; }
    virtual void add_axes() {}
    [[nodiscard]] virtual std::optional<Error> cannot_run(Discipline /*discipline*/, Point const& /*point*/) const {
        return std::nullopt;
    }
    virtual Result<void> run_flow(DataflowRun const& run) = 0; // fills in the sample
    virtual void print_what(TextSink& out) const = 0;
    // What rows say together: of each system, on each set of cores, `rows` of its points.
    virtual void conclude_points(TextSink& /*out*/, std::span<Row const> /*rows*/) const {}

    void write_value(JsonWriter& json, std::size_t axis, std::size_t at) const override;

  private:
    static constexpr std::size_t max_systems = 16;

    // The disciplines in their order, then the peers by name.
    void choose_systems();

    DataflowPlan plan_;
    DataflowOptions& options_;
    std::array<DataflowSystem, max_systems> systems_{};
    std::size_t system_count_ = 0;
    NodeDistances distances_; // none: the firmware's
};

// A benchmark with options of its own.
template <typename OwnOptions, DataflowPlan const& plan> class DataflowBench : public DataflowExperiment {
  public:
    using Options = OwnOptions;
    static constexpr std::string_view name = plan.name;
    explicit DataflowBench(Options const& options)
        : DataflowExperiment(plan, options_)
        , options_(options) {}

  protected:
    ~DataflowBench() = default;
    Options options_;
};

// What one row takes by another one; nothing where one of them was not measured.
void print_ratio(TextSink& out, std::string_view what, Row const* row, std::string_view other_name, Row const* other);

// The options of a benchmark, between those that all have.
template <typename Options, typename... Own> consteval auto dataflow_schema(Own const&... own) {
    return console::schema<Options>(dataflow_option::disciplines, core_set_option::cores, own...,
                                    dataflow_option::sleep_rule, dataflow_option::reruns_bound,
                                    dataflow_option::steals_first, dataflow_option::patience, dataflow_option::seed,
                                    run_option::repeat, run_option::warm_up, run_option::json);
}

} // namespace mxk::bench
