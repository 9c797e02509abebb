// The benchmarks whose requests are one graph (graph_shape.hpp). What differs between them is data, a GraphScenario
// (graph_scenarios.cpp), and in which of a few ways their requests come (graph_runs.cpp).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "bench/dataflow/dataflow_experiment.hpp"
#include "bench/dataflow/graph_shape.hpp"
#include "bench/dataflow/request_stream.hpp"
#include "bench/heap/heap_names.hpp"
#include "tasks/dataflow/graph/model.hpp"

namespace mxk::bench {

enum class SortWay : std::uint8_t { OnArrival, Collected, Tasks };
constexpr auto value_names(SortWay) {
    using Named = console::NamedValue<SortWay>;
    return std::array{Named{SortWay::OnArrival, "on-arrival"}, Named{SortWay::Collected, "collected"},
                      Named{SortWay::Tasks, "tasks"}};
}

enum class SweepWay : std::uint8_t { InSequence, AllCores };
constexpr auto value_names(SweepWay) {
    using Named = console::NamedValue<SweepWay>;
    return std::array{Named{SweepWay::InSequence, "in-sequence"}, Named{SweepWay::AllCores, "all-cores"}};
}

// What can be chosen besides the shape.
struct GraphChoices {
    console::CountList list{}; // the values of the scenario's axis
    RequestPlans plans{};
    NameSet<SortWay> sort_ways{};
    NameSet<SweepWay> sweep_ways{};
    std::uint32_t requests = 1;
    std::uint32_t min_rows = 0; // of a request, which has as many envelopes as that takes; 0: envelopes are chosen
    std::uint32_t interval = 0;
    HeapNames others_heap{}; // empty: ours
};

struct GraphOptions : DataflowOptions, GraphShape, GraphChoices {
    constexpr GraphOptions(GraphShape const& its_shape, GraphChoices const& choices)
        : GraphShape(its_shape)
        , GraphChoices(choices) {}
};

class GraphBench;

struct GraphScenario {
    enum class List : std::uint8_t { None, Requests, Envelopes, Rows, Kibibytes };
    enum class Ways : std::uint8_t { None, Sort, Sweep };
    enum class Judged : std::uint8_t { Everywhere, MinRows, MaxAtOnce };
    enum class Tail : std::uint8_t { Sink, CollectedSort, Sort, PipeAndSort }; // behind the shape's boxes

    BenchmarkHelp help;
    DataflowPlan plan;
    GraphShape shape{}; // where no option says another
    GraphChoices choices{};
    List list = List::None;
    Ways ways = Ways::None;
    Judged judged = Judged::Everywhere;
    Tail tail = Tail::Sink;
    Result<void> (*run)(GraphBench const& bench, DataflowRun const& run);
    void (*print_what)(TextSink& out, GraphOptions const& options); // the rows of an envelope are known
    std::array<std::string_view, 8> fields{};                       // of JSON, behind those of axes
};

class GraphBench : public DataflowExperiment {
  public:
    [[nodiscard]] GraphOptions const& options() const { return options_; }
    [[nodiscard]] HeapKind const* others_heap() const { return others_heap_; }
    [[nodiscard]] GraphShape shape_at(Point const& point) const;
    // What a number of the list is at that point, and how requests come there.
    [[nodiscard]] std::size_t value_at(Point const& point) const { return values_[point[values_axis_]]; }
    [[nodiscard]] RequestPlan plan_at(Point const& point) const;
    Result<void> make_model(dataflow::Model& model, Point const& point) const;
    // Whether that came to the sink which has to come.
    [[nodiscard]] bool is_right(GraphShape const& shape, GraphResult const& done) const;

  protected:
    GraphBench(GraphScenario const& scenario, GraphOptions const& options)
        : DataflowExperiment(scenario.plan, options_)
        , scenario_(scenario)
        , options_(options) {}
    ~GraphBench() = default;

  private:
    Result<void> complete() final;
    void add_axes() final;
    [[nodiscard]] bool is_judged(Claim const& claim, Point const& point) const final;
    Result<void> run_flow(DataflowRun const& run) final { return scenario_.run(*this, run); }
    void print_what(TextSink& out) const final;
    void print_value(TextSink& out, std::size_t axis, std::size_t at) const final;
    void write_value(JsonWriter& json, std::size_t axis, std::size_t at) const final;
    void write_options(JsonWriter& json, Point const& point) const final;
    // How good the recommended size is.
    void conclude_points(TextSink& out, std::span<Row const> rows) const final;

    [[nodiscard]] std::span<std::size_t const> values() const { return std::span(values_).first(value_count_); }
    [[nodiscard]] bool has_sizes() const { return scenario_.list == GraphScenario::List::Kibibytes; }

    GraphScenario const& scenario_;
    GraphOptions options_;
    HeapKind const* others_heap_ = nullptr;
    std::array<std::size_t, console::CountList::capacity + 1> values_{};
    std::size_t value_count_ = 0;
    std::size_t values_axis_ = first_axis; // of the list, or of plans
};

template <GraphScenario const& scenario> class ScenarioBench final : public GraphBench {
  public:
    struct Options : GraphOptions {
        constexpr Options()
            : GraphOptions(scenario.shape, scenario.choices) {}
    };
    static constexpr std::string_view name = scenario.plan.name;
    explicit ScenarioBench(Options const& options)
        : GraphBench(scenario, options) {}
};

// In which ways requests come. Each runs a scenario at one point, and fills in the sample. Errors: no memory,
// cancelled, what a request ends with. The console's task; its core works meanwhile.

// One request alone, ours or a peer's: rows per second.
Result<void> run_alone(GraphBench const& bench, DataflowRun const& run);
// Some, one after the other, and one whose boxes are timed: the time of one, by what no schedule can beat.
Result<void> run_in_turn(GraphBench const& bench, DataflowRun const& run);
// A number of them is under way at any time: rows per second.
Result<void> run_streamed(GraphBench const& bench, DataflowRun const& run);
// As mix does, with what the scheduler has counted.
Result<void> run_mixed(GraphBench const& bench, DataflowRun const& run);
// All at once: the time of one, memory at the peak, and what is left.
Result<void> run_flood(GraphBench const& bench, DataflowRun const& run);
// One after the other, faster than they can be served: the time of one from the moment when it comes.
Result<void> run_staggered(GraphBench const& bench, DataflowRun const& run);

} // namespace mxk::bench
