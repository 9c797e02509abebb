// The benchmarks of the dataflow scheduler: a grid (bench/frame/grid.hpp) of disciplines and peers, sets of cores, and
// the axes of a benchmark. What differs between the benchmarks is data, a DataflowScenario, and the function that runs
// it at one point.
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
#include "tasks/dataflow/graph/model.hpp"

namespace mxk::bench {

// What is measured: a discipline of ours, or a peer.
struct DataflowSystem {
    std::string_view name;
    Discipline discipline{};
    DataflowPeer const* peer = nullptr; // null: ours
};

class DataflowExperiment;

// One run at one point.
struct DataflowRun {
    DataflowExperiment const& bench;
    DataflowOptions const& options;
    DataflowSystem const& system;
    dataflow::SchedulerOptions scheduler; // of ours
    std::span<CoreId const> cores;
    Point point;
    GraphShape shape; // of a request that is such a graph
    Sample& sample;
    Progress& progress;
};

// What the cores of a scheduler have counted since it was made.
struct SchedulerCounts {
    explicit SchedulerCounts(dataflow::Scheduler const& scheduler);

    std::uint64_t bound = 0;
    std::uint64_t unbound = 0;
    std::uint64_t stolen = 0;
    std::uint64_t reruns = 0;
    std::uint64_t locks = 0;
    std::uint64_t sleeps = 0;
    [[nodiscard]] double locks_per_unbound() const;
    // Of tasks run, in per cent, how many were stolen.
    [[nodiscard]] double stolen_percent() const;
};

struct DataflowScenario {
    enum class List : std::uint8_t { None, Requests, Envelopes, Rows, Kibibytes };
    enum class Tail : std::uint8_t { Sink, CollectedSort, Sort, PipeAndSort }; // behind the shape's boxes

    std::string_view name;
    std::string_view summary;
    std::string_view notes;
    Unit unit = Unit::NanosecondsPerOperation;
    DisciplineSet disciplines{Discipline::Requests}; // where none was typed
    bool has_peers = false;
    std::span<Claim const> claims{};
    GraphShape shape{}; // where no option says another
    DataflowChoices choices{};
    List list = List::None; // what the numbers of its axis are
    // The axis in front of that one; all ways, where none was typed. Null: it has no such axis.
    Axis (*ways)(DataflowOptions& options) = nullptr;
    bool (*is_judged)(DataflowExperiment const& bench, Point const& point) = nullptr; // null: everywhere
    Tail tail = Tail::Sink;
    std::optional<Error> (*cannot_run)(DataflowExperiment const& bench, Discipline discipline,
                                       Point const& point) = nullptr;
    Result<void> (*run)(DataflowRun const& run); // fills in the sample
    void (*print_what)(TextSink& out, DataflowOptions const& options);
    std::array<std::string_view, 8> fields{}; // of JSON, behind those of axes
    void (*write)(JsonWriter& json, DataflowOptions const& options, Point const& point) = nullptr; // or these
    // What rows say together: of each system, on each set of cores, those of all points.
    void (*conclude)(TextSink& out, DataflowExperiment const& bench, std::span<Row const> rows) = nullptr;
};

class DataflowExperiment : public GridExperiment {
  public:
    static constexpr std::size_t ways_axis = 2; // behind those of systems and cores

    Result<void> set_up() final;
    Result<void> run_at(Point const& point, std::span<Sample> samples, Progress& progress) final;
    [[nodiscard]] Unit unit() const final { return scenario_.unit; }
    [[nodiscard]] bool continues_after_failure() const final { return true; }
    [[nodiscard]] std::optional<Error> unsupported_at(Point const& point) const final;
    void print_head(TextSink& out) const final;
    // And what each other system does, or takes, by the first one, where several are measured.
    void conclude(TextSink& out, std::span<Row const> rows) final;

    using GridExperiment::cores;
    using GridExperiment::name_at;
    [[nodiscard]] DataflowOptions const& options() const { return options_; }
    [[nodiscard]] HeapKind const* others_heap() const { return others_heap_; }
    // The numbers of the list, and the one at a point.
    [[nodiscard]] std::span<std::size_t const> values() const { return std::span(values_).first(value_count_); }
    [[nodiscard]] std::size_t value_at(Point const& point) const { return values_[point[values_axis_]]; }
    // Which request there is at a point, and how many are under way.
    [[nodiscard]] GraphShape shape_at(Point const& point) const;
    [[nodiscard]] RequestPlan plan_at(Point const& point) const;
    Result<void> make_model(dataflow::Model& model, Point const& point) const;
    // Whether that came to the sink which has to come.
    [[nodiscard]] bool is_right(GraphShape const& shape, GraphResult const& done) const;

  protected:
    DataflowExperiment(DataflowScenario const& scenario, DataflowOptions const& options)
        : scenario_(scenario)
        , options_(options) {}
    ~DataflowExperiment() = default;

  private:
    static constexpr std::size_t max_systems = 16;

    [[nodiscard]] bool is_judged(Claim const& /*claim*/, Point const& point) const final {
        return scenario_.is_judged == nullptr || scenario_.is_judged(*this, point);
    }
    void print_value(TextSink& out, std::size_t axis, std::size_t at) const final;
    void write_value(JsonWriter& json, std::size_t axis, std::size_t at) const final;
    void write_options(JsonWriter& json, Point const& point) const final;

    Result<void> complete();
    // The disciplines in their order, then the peers by name.
    void choose_systems();
    void add_axes();
    [[nodiscard]] bool has_plans(std::size_t axis) const { return axis == values_axis_ && options_.plans.size() != 0; }
    [[nodiscard]] bool has_sizes() const { return scenario_.list == DataflowScenario::List::Kibibytes; }

    DataflowScenario const& scenario_;
    DataflowOptions options_;
    std::array<DataflowSystem, max_systems> systems_{};
    std::size_t system_count_ = 0;
    NodeDistances distances_; // none: the firmware's
    HeapKind const* others_heap_ = nullptr;
    std::array<std::size_t, console::CountList::capacity + 1> values_{};
    std::size_t value_count_ = 0;
    std::size_t values_axis_ = ways_axis; // of the list, or of plans
};

template <DataflowScenario const& scenario> class DataflowBench final : public DataflowExperiment {
  public:
    struct Options : DataflowOptions {
        constexpr Options()
            : DataflowOptions(scenario.shape, scenario.choices) {}
    };
    static constexpr std::string_view name = scenario.name;
    explicit DataflowBench(Options const& options)
        : DataflowExperiment(scenario, options) {}
};

// Of a scenario whose axis has those ways; and which one there is at a point.
template <auto set, std::size_t width> Axis all_ways(DataflowOptions& options) {
    options.*set = or_all(options.*set);
    return Axis::chosen("way", width, options.*set);
}
template <auto set> auto way_at(DataflowOptions const& options, Point const& point) {
    return chosen_at(options.*set, point[DataflowExperiment::ways_axis]);
}

// Options of all, around those of a benchmark, with the scheduler's of which some have fewer.
template <DataflowScenario const& scenario, typename... Own> consteval auto dataflow_schema_with(Own const&... own) {
    return console::schema<typename DataflowBench<scenario>::Options>(
        dataflow_option::disciplines, core_set_option::cores, own..., dataflow_option::seed, run_option::all);
}
template <DataflowScenario const& scenario, typename... Own> consteval auto dataflow_schema(Own const&... own) {
    return dataflow_schema_with<scenario>(own..., dataflow_option::sleep_rule, dataflow_option::reruns_bound,
                                          dataflow_option::steals_first, dataflow_option::patience);
}
template <DataflowScenario const& scenario, auto const& schema> consteval console::Command dataflow_benchmark() {
    return benchmark<DataflowBench<scenario>, schema>(
        {.summary = scenario.summary, .notes = scenario.notes, .parent = "bench dataflow"});
}

// How many of this machine's nodes have a core among these.
std::size_t count_nodes(std::span<CoreId const> cores);
// Whether the discipline has bound tasks that are stolen, requests that lie on nodes, and locks of these.
bool is_of_thesis(Discipline discipline);

} // namespace mxk::bench
