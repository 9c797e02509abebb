// What the benchmarks of the dataflow scheduler have in common: disciplines and peers, sets of cores, and the points of
// a benchmark are its configurations.
//
//     struct PipeBench {                                       // what a benchmark gives
//         using Options = PipeOptions;                         // derived from DataflowOptions
//         static constexpr std::string_view name = "dataflow pipe";
//         static constexpr Unit unit = Unit::OperationsPerSecond;
//         static constexpr DisciplineSet default_disciplines{Discipline::Requests};
//         static constexpr bool has_peers = true;
//         explicit PipeBench(Options const& options);
//         Result<void> prepare();                              // errors: what was typed cannot be
//         std::size_t points() const;
//         static constexpr std::span<DataflowClaim const> claims();
//         bool is_judged(DataflowClaim const& claim, std::size_t point) const;
//         Result<void> run(DataflowRun const& run);            // fills in the sample
//         std::optional<Error> unsupported(Discipline, std::span<CoreId const> cores, std::size_t point) const;
//                                                              // the point may be left out
//         void print_head(TextSink& out) const;                // and heading, column and fields of a point
//         ...
//     };
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "bench/dataflow/dataflow_options.hpp"
#include "bench/dataflow/dataflow_peer.hpp"
#include "bench/frame/benchmark.hpp"
#include "bench/frame/grid.hpp"

namespace mxk::bench {

// What is measured: a discipline of ours, or a peer.
struct DataflowSystem {
    std::string_view name;
    Discipline discipline{};
    DataflowPeer const* peer = nullptr; // null: ours
};

class DataflowSystems {
  public:
    static constexpr std::size_t capacity = 16;

    // The disciplines in their order, then the peers by name.
    static DataflowSystems of(DisciplineSet disciplines, bool with_peers);
    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] DataflowSystem const& operator[](std::size_t at) const { return systems_[at]; }
    [[nodiscard]] std::optional<std::size_t> find(std::string_view name) const;

  private:
    std::array<DataflowSystem, capacity> systems_{};
    std::size_t size_ = 0;
};

// One run of one configuration.
struct DataflowRun {
    DataflowSystem const& system;
    dataflow::SchedulerOptions scheduler; // of ours
    std::span<CoreId const> cores;
    std::size_t point;
    Sample& sample;
    Progress& progress;
};

// What is said of the discipline Requests, compared with another system; or of something that it has counted.
struct DataflowClaim {
    enum class Kind : std::uint8_t { DoesNoLess, TakesNoMore, FindingIs, FindingIsUpTo };

    std::string_view statement;
    Kind kind;
    std::string_view of; // the other system, or the finding
    double bound;
    bool takes_others = false; // needs several cores
};

// `locks_per_unbound`, `stolen` and what else the cores of a scheduler have counted since it was made.
struct SchedulerCounts {
    explicit SchedulerCounts(dataflow::Scheduler const& scheduler);

    std::uint64_t bound = 0;
    std::uint64_t unbound = 0;
    std::uint64_t stolen = 0;
    std::uint64_t admitted = 0;
    std::uint64_t reruns = 0;
    std::uint64_t locks = 0;
    std::uint64_t sleeps = 0;
    std::uint64_t own_rises = 0;
    [[nodiscard]] double locks_per_unbound() const;
    // Of tasks run, in per cent, how many were stolen.
    [[nodiscard]] double stolen_percent() const;
};

void write_dataflow_system(JsonWriter& json, DataflowSystem const& system, DataflowOptions const& options);
void print_dataflow_head(TextSink& out, DataflowSystems const& systems, DataflowOptions const& options);

template <typename Bench> class DataflowExperiment final : public Experiment {
  public:
    using Options = typename Bench::Options;
    static constexpr std::string_view name = Bench::name;

    static Result<DataflowExperiment> create(Options const& options) {
        DataflowExperiment experiment(options);
        MXK_TRY(experiment.bench_.prepare());
        DisciplineSet const chosen = options.disciplines.empty() ? Bench::default_disciplines : options.disciplines;
        experiment.systems_ = DataflowSystems::of(chosen, Bench::has_peers && !options.no_peers);
        experiment.core_sets_ = MXK_TRY(CoreSetList::create(experiment.bench_.options.cores));
        for (DataflowClaim const& claim : Bench::claims())
            if (experiment.can_judge(claim)) experiment.claims_[experiment.claim_count_++] = &claim;
        return experiment;
    }

    [[nodiscard]] Unit unit() const override { return Bench::unit; }
    [[nodiscard]] std::size_t configurations() const override {
        return systems_.size() * core_sets_.size() * bench_.points();
    }
    [[nodiscard]] bool has_speed_up() const override { return Bench::unit == Unit::OperationsPerSecond; }
    // The same on the first set of cores.
    [[nodiscard]] std::size_t baseline(std::size_t configuration) const override {
        return configuration - set_of(configuration) * bench_.points();
    }
    [[nodiscard]] std::size_t cores_of(Row const& row) const override { return cores(row.configuration).size(); }
    [[nodiscard]] bool continues_after_failure() const override { return true; }
    [[nodiscard]] std::optional<Error> unsupported(std::size_t configuration, std::size_t) const override {
        DataflowSystem const& its = system(configuration);
        if (its.peer != nullptr)
            return its.peer->missing.empty() ? std::nullopt : std::optional(Error(its.peer->missing));
        if constexpr (requires { bench_.unsupported(its.discipline, cores(configuration), std::size_t{0}); })
            return bench_.unsupported(its.discipline, cores(configuration), point_of(configuration));
        else if constexpr (requires { bench_.unsupported(its.discipline, cores(configuration)); })
            return bench_.unsupported(its.discipline, cores(configuration));
        return std::nullopt;
    }

    Result<void> run(std::size_t configuration, std::span<Sample> samples, Progress& progress) override {
        if (bench_.options.distances == DistanceSource::Measured && distances_.span().empty())
            distances_ = MXK_TRY(NodeDistances::measure(progress));
        dataflow::SchedulerOptions scheduler = bench_.options.scheduler(system(configuration).discipline);
        scheduler.distances = distances_.span();
        return bench_.run({.system = system(configuration),
                           .scheduler = scheduler,
                           .cores = cores(configuration),
                           .point = point_of(configuration),
                           .sample = samples[0],
                           .progress = progress});
    }

    void print_head(TextSink& out) const override {
        format(out, "{}: ", name);
        bench_.print_head(out);
        format(out, "; {} runs per row\n", bench_.options.repeat);
        print_dataflow_head(out, systems_, bench_.options);
    }
    void print_label_heading(TextSink& out) const override {
        format(out, "{:<14} ", "discipline");
        core_sets_.print_heading(out);
        bench_.print_heading(out);
    }
    void print_label(TextSink& out, Row const& row) const override {
        format(out, "{:<14} ", system(row.configuration).name);
        core_sets_.print(out, set_of(row.configuration));
        bench_.print_point(out, point_of(row.configuration));
    }
    void print_title(TextSink& out, Row const& row) const override {
        format(out, "{}, {} cores", system(row.configuration).name, core_sets_.label(set_of(row.configuration)));
        bench_.print_point(out, point_of(row.configuration));
    }
    void write_settings(JsonWriter& json, Row const& row) const override {
        write_dataflow_system(json, system(row.configuration), bench_.options);
        bench_.write_point(json, point_of(row.configuration));
        core_sets_.write(json, set_of(row.configuration));
    }

    // What each other system does, or takes, by the first one, where several are measured.
    void conclude(TextSink& out, std::span<Row const> rows) override {
        if (!distances_.span().empty()) distances_.print(out);
        if constexpr (requires { bench_.conclude(out, rows); }) bench_.conclude(out, rows);
        if (systems_.size() < 2) return;
        for (std::size_t set = 0; set < core_sets_.size(); ++set)
            for (std::size_t point = 0; point < bench_.points(); ++point) print_ratios(out, rows, set, point);
    }

    [[nodiscard]] std::size_t conclusions() const override { return claim_count_; }
    [[nodiscard]] Conclusion conclusion(std::size_t at, std::span<Row const> rows) const override {
        DataflowClaim const& claim = *claims_[at];
        using Kind = DataflowClaim::Kind;
        Conclusion said{.statement = claim.statement};
        std::string_view const sign = claim.kind == Kind::FindingIs    ? ""
                                      : claim.kind == Kind::DoesNoLess ? ">= "
                                                                       : "<= ";
        format(said.expected, "{}{:.2}", sign, claim.bound);
        std::optional<double> worst;
        std::size_t judged = 0; // on how many cores
        for (std::size_t set = 0; set < core_sets_.size(); ++set) {
            bool const is_last = set + 1 == core_sets_.size();
            if (claim.takes_others && !is_last) continue;
            for (std::size_t point = 0; point < bench_.points(); ++point) {
                if (!bench_.is_judged(claim, point)) continue;
                auto const value = judged_value(claim, rows, set, point);
                if (!value) continue;
                judged = core_sets_.cores(set).size();
                if (!worst || (claim.kind == Kind::DoesNoLess ? *value < *worst : *value > *worst)) worst = value;
            }
        }
        if (!worst) {
            said.measured.append("not measured");
            return said;
        }
        format(said.measured, "{:.2} ({} cores)", *worst, judged);
        if (claim.takes_others && judged < 2) return said;
        switch (claim.kind) {
        case Kind::DoesNoLess: said.holds = *worst >= claim.bound; break;
        case Kind::TakesNoMore:
        case Kind::FindingIsUpTo: said.holds = *worst <= claim.bound; break;
        case Kind::FindingIs: said.holds = *worst == claim.bound; break;
        }
        return said;
    }

  private:
    explicit DataflowExperiment(Options const& options)
        : bench_(options) {}

    // One system after the other, each on all sets, on each of these all points.
    [[nodiscard]] std::size_t point_of(std::size_t configuration) const { return configuration % bench_.points(); }
    [[nodiscard]] std::size_t set_of(std::size_t configuration) const {
        return configuration / bench_.points() % core_sets_.size();
    }
    [[nodiscard]] DataflowSystem const& system(std::size_t configuration) const {
        return systems_[configuration / bench_.points() / core_sets_.size()];
    }
    [[nodiscard]] std::span<CoreId const> cores(std::size_t configuration) const {
        return core_sets_.cores(set_of(configuration));
    }
    [[nodiscard]] Row const& row_of(std::span<Row const> rows, std::size_t system, std::size_t set,
                                    std::size_t point) const {
        return rows[(system * core_sets_.size() + set) * bench_.points() + point];
    }

    [[nodiscard]] bool is_comparison(DataflowClaim const& claim) const {
        return claim.kind == DataflowClaim::Kind::DoesNoLess || claim.kind == DataflowClaim::Kind::TakesNoMore;
    }
    [[nodiscard]] bool can_judge(DataflowClaim const& claim) const {
        return systems_.find("requests") && (!is_comparison(claim) || systems_.find(claim.of));
    }
    [[nodiscard]] std::optional<double> judged_value(DataflowClaim const& claim, std::span<Row const> rows,
                                                     std::size_t set, std::size_t point) const {
        Row const& ours = row_of(rows, *systems_.find("requests"), set, point);
        if (ours.value.n == 0) return std::nullopt;
        if (!is_comparison(claim)) return finding_of(ours, claim.of);
        Row const& other = row_of(rows, *systems_.find(claim.of), set, point);
        if (other.value.n == 0 || other.value.median <= 0) return std::nullopt;
        return ours.value.median / other.value.median;
    }

    void print_ratios(TextSink& out, std::span<Row const> rows, std::size_t set, std::size_t point) const {
        Row const& first = row_of(rows, 0, set, point);
        if (first.value.n == 0 || first.value.median <= 0) return;
        format(out, "{} cores", core_sets_.label(set));
        bench_.print_point(out, point);
        format(out, ": {}", systems_[0].name);
        std::string_view separator = " by ";
        for (std::size_t other = 1; other < systems_.size(); ++other) {
            Row const& row = row_of(rows, other, set, point);
            if (row.value.n == 0 || row.value.median <= 0) continue;
            format(out, "{}{} {:.2}", separator, systems_[other].name, first.value.median / row.value.median);
            separator = ", ";
        }
        out.write("\n");
    }

    static constexpr std::size_t max_claims = 4;
    static_assert(Bench::claims().size() <= max_claims);

    Bench bench_;
    DataflowSystems systems_;
    CoreSetList core_sets_;
    NodeDistances distances_; // none: the firmware's
    std::array<DataflowClaim const*, max_claims> claims_{};
    std::size_t claim_count_ = 0;
};

} // namespace mxk::bench
