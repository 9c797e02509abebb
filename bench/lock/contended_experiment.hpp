// What benchmarks of contended locks have in common: locks, sets of cores and the points of a sweep are its
// configurations. A run makes the lock anew and times it; then it makes another one, which counts where the first one
// does not, and lets sections find out whether it keeps others out, for a quarter of the time.
//
//     struct EcsbSweep {                                      // what a benchmark gives
//         using Options = LockOptions;
//         static constexpr std::string_view name = "lock ecsb";
//         explicit EcsbSweep(Options const& options);
//         static constexpr std::span<LockOrder const> orders();
//         std::size_t points() const;                         // of the sweep
//         std::size_t judged_point() const;                   // that orders are about
//         std::uint32_t default_look_every() const;
//         std::size_t words(std::size_t workers) const;       // of each worker
//         template <...> Turn run(std::size_t point, T& team, UsedLock const& lock, Timing const& timing, W& words,
//                                 Sections& sections) const;
//         // of the sections' words: whether they hold what was done
//         bool is_right(std::size_t point, TeamOutcome const& outcome, TeamWords const& words, std::size_t workers)
//         const; void add_findings(std::size_t point, TeamOutcome const& timed, Findings& findings) const; void
//         print_head(TextSink& out) const;               // and, of a point, its heading, its column, its fields
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

#include "bench/frame/benchmark.hpp"
#include "bench/frame/core_choice.hpp"
#include "bench/lock/bodies.hpp"
#include "bench/lock/contended_run.hpp"
#include "bench/lock/lock_options.hpp"
#include "bench/lock/lock_order.hpp"
#include "bench/lock/turn_statistics.hpp"
#include "kernel/clock.hpp"
#include "kernel/topology/system_topology.hpp"
#include "locks/fabric/stored_topology.hpp"

namespace mxk::bench {

// Of the row's findings; 0 if it has no such one.
double found(Row const& row, std::string_view name);
// One-sided ones of an iteration, and messages.
double operations_of(Row const& row);
void print_lock_details(TextSink& out, Row const& row);
void write_lock_settings(JsonWriter& json, LockOptions const& options, locks::LockKind const& kind);

template <typename Sweep> class ContendedExperiment final : public Experiment {
  public:
    using Options = typename Sweep::Options;
    static constexpr std::string_view name = Sweep::name;

    static Result<ContendedExperiment> create(Options const& options) {
        ContendedExperiment experiment(options);
        if (experiment.options_.locks.empty()) experiment.options_.locks = default_locks(options.fabric);
        experiment.core_sets_ = MXK_TRY(CoreSetList::create(options.cores));
        for (LockOrder const& order : Sweep::orders())
            if (order.fabric == options.fabric && experiment.place_of(order.slower) &&
                experiment.place_of(order.faster))
                experiment.orders_[experiment.order_count_++] = &order;
        return experiment;
    }

    [[nodiscard]] Unit unit() const override { return Unit::OperationsPerSecond; }
    [[nodiscard]] std::size_t configurations() const override {
        return kinds().size() * core_sets_.size() * sweep_.points();
    }
    [[nodiscard]] bool is_measured_as_a_whole() const override { return true; }
    [[nodiscard]] bool has_speed_up() const override { return true; }
    [[nodiscard]] std::size_t baseline(std::size_t configuration) const override {
        return configuration - set_of(configuration) * sweep_.points();
    }
    [[nodiscard]] std::size_t cores_of(Row const& row) const override { return cores(row.configuration).size(); }
    [[nodiscard]] bool lists_findings() const override { return false; }

    [[nodiscard]] std::optional<Error> unsupported(std::size_t configuration, std::size_t) const override {
        if (!form_on(options_.fabric, kind(configuration)).is_there())
            return Error::of("{} has no form on {}", kind(configuration).name, name_of(options_.fabric));
        if (options_.nodes > cores(configuration).size())
            return Error::of("{} nodes of {} cores", options_.nodes, cores(configuration).size());
        return std::nullopt;
    }

    Result<void> run(std::size_t configuration, std::span<Sample> samples, Progress& progress) override {
        auto const used = cores(configuration);
        auto const topology = MXK_TRY(topology_for(options_, used));
        locks::LockTopology const view = topology.view();
        Run const run{kind(configuration), used, view, point_of(configuration), progress};
        auto const timed = MXK_TRY(run_form(run, form_on(options_.fabric, run.kind), false));
        auto const watched = MXK_TRY(run_form(run, counting_form_on(options_.fabric, run.kind), true));
        Sample& sample = samples[0];
        sample.value = 1 / timed.outcome.iteration_seconds(clock::frequency());
        sample.operations = timed.outcome.iterations;
        sample.verified = timed.is_right && watched.is_right;
        add_findings(sample.findings, {.timed = timed.outcome,
                                       .watched = watched.outcome,
                                       .frequency = clock::frequency(),
                                       .has_operations = options_.fabric == LockFabric::Emu});
        if (options_.fabric == LockFabric::Emu)
            sample.findings.add("region_bytes", static_cast<double>(timed.region_bytes));
        sweep_.add_findings(run.point, timed.outcome, sample.findings);
        return {};
    }
    [[nodiscard]] std::string_view failure() const override {
        return "a lock let two in, or a worker has done nothing, or an increment was lost";
    }

    void print_head(TextSink& out) const override {
        format(out, "{}: fabric {}, ", name, name_of(options_.fabric));
        if (options_.nodes == 0)
            out.write("the machine's nodes");
        else
            format(out, "{} nodes made up", options_.nodes);
        if (options_.fabric == LockFabric::Emu)
            format(out, ", an operation takes {} ns, on the own node {} ns", options_.latency, options_.near_latency);
        format(out, ", {} ms; ", options_.milliseconds);
        sweep_.print_head(out);
        format(out, "{} runs per row\n", options_.repeat);
        for (auto const* const kind : kinds())
            if (!kind->library.empty()) format(out, "{}: {}\n", kind->name, kind->library);
    }
    void print_label_heading(TextSink& out) const override {
        format(out, "{:<18} ", "lock");
        core_sets_.print_heading(out);
        sweep_.print_heading(out);
    }
    void print_label(TextSink& out, Row const& row) const override {
        format(out, "{:<18} ", kind(row.configuration).name);
        core_sets_.print(out, set_of(row.configuration));
        sweep_.print_point(out, point_of(row.configuration));
    }
    void print_title(TextSink& out, Row const& row) const override {
        format(out, "{}, {} cores", kind(row.configuration).name, core_sets_.label(set_of(row.configuration)));
        sweep_.print_point(out, point_of(row.configuration));
    }
    void print_details(TextSink& out, Row const& row) const override { print_lock_details(out, row); }
    void write_settings(JsonWriter& json, Row const& row) const override {
        write_lock_settings(json, options_, kind(row.configuration));
        json.field("ms", options_.milliseconds);
        json.field("look_every", look_every());
        json.field("seed", options_.seed);
        sweep_.write_point(json, point_of(row.configuration));
        core_sets_.write(json, set_of(row.configuration));
    }

    [[nodiscard]] std::size_t conclusions() const override { return order_count_; }
    [[nodiscard]] Conclusion conclusion(std::size_t at, std::span<Row const> rows) const override {
        LockOrder const& order = *orders_[at];
        Conclusion said{.statement = order.statement};
        if (order.high == 0)
            format(said.expected, ">= {:.2}", order.low);
        else
            format(said.expected, "{:.2} to {:.2}", order.low, order.high);
        Row const& slower = judged(rows, order.slower);
        Row const& faster = judged(rows, order.faster);
        if (slower.value.n == 0 || faster.value.n == 0) {
            said.measured.append("not measured");
            return said;
        }
        double const ratio = order.of == OrderOf::Time ? faster.value.median / slower.value.median
                                                       : operations_of(slower) / operations_of(faster);
        format(said.measured, "{:.2} ({}, {} cores)", ratio, sweep_.judged(), judged_cores());
        bool const tells = judged_cores() > 1 && (order.fabric == LockFabric::Smp || options_.nodes != 1) &&
                           (!order.is_of_nodes || (options_.nodes == 0 && system_topology().nodes.size() > 1));
        if (tells) said.holds = ratio >= order.low && (order.high == 0 || ratio <= order.high);
        return said;
    }

  private:
    struct Run {
        locks::LockKind const& kind;
        std::span<CoreId const> cores;
        locks::LockTopology const& topology;
        std::size_t point;
        Progress& progress;
    };
    struct Ended {
        TeamOutcome outcome;
        std::size_t region_bytes;
        bool is_right;
    };

    explicit ContendedExperiment(Options const& options)
        : options_(options)
        , sweep_(options) {}

    Result<Ended> run_form(Run const& run, locks::LockForm const& form, bool is_watched) const {
        auto const time = std::uint64_t{options_.milliseconds} * 1'000'000 / (is_watched ? 4 : 1);
        ContendedRun const contended{
            .options = options_,
            .form = form,
            .cores = run.cores,
            .topology = run.topology,
            .timing = {.warm_up = clock::to_cycles(Nanoseconds{time / 10}),
                       .measured = clock::to_cycles(Nanoseconds{time - time / 10}),
                       .iterations_per_look = look_every()},
            .words = sweep_.words(run.cores.size()),
            .is_watched = is_watched,
            .progress = run.progress,
        };
        auto const ended = MXK_TRY(
            run_contended(contended, [&](TaskTeam& team, UsedLock const& lock, TeamWords::View& words, auto& sections) {
                return sweep_.run(run.point, team, lock, contended.timing, words, sections);
            }));
        bool const is_right = ended.outcome.minimum > 0 && ended.excludes() &&
                              sweep_.is_right(ended.outcome, ended.words, run.cores.size());
        return Ended{.outcome = ended.outcome, .region_bytes = ended.region_bytes, .is_right = is_right};
    }

    [[nodiscard]] std::uint32_t look_every() const {
        return options_.look_every ? *options_.look_every : sweep_.default_look_every();
    }
    [[nodiscard]] std::span<locks::LockKind const* const> kinds() const { return options_.locks.kinds(); }
    // One lock after the other, each on all sets, on each of these all points.
    [[nodiscard]] std::size_t point_of(std::size_t configuration) const { return configuration % sweep_.points(); }
    [[nodiscard]] std::size_t set_of(std::size_t configuration) const {
        return configuration / sweep_.points() % core_sets_.size();
    }
    [[nodiscard]] locks::LockKind const& kind(std::size_t configuration) const {
        return *kinds()[configuration / sweep_.points() / core_sets_.size()];
    }
    [[nodiscard]] std::span<CoreId const> cores(std::size_t configuration) const {
        return core_sets_.cores(set_of(configuration));
    }

    [[nodiscard]] std::optional<std::size_t> place_of(std::string_view lock) const {
        for (std::size_t i = 0; i < kinds().size(); ++i)
            if (kinds()[i]->name == lock) return i;
        return std::nullopt;
    }
    // On the last set, which by default is all cores.
    [[nodiscard]] Row const& judged(std::span<Row const> rows, std::string_view lock) const {
        std::size_t const set = core_sets_.size() - 1;
        return rows[(*place_of(lock) * core_sets_.size() + set) * sweep_.points() + sweep_.judged_point()];
    }
    [[nodiscard]] std::size_t judged_cores() const { return core_sets_.cores(core_sets_.size() - 1).size(); }

    static constexpr std::size_t max_orders = 24;
    static_assert(Sweep::orders().size() <= max_orders);

    Options options_;
    Sweep sweep_;
    CoreSetList core_sets_;
    std::array<LockOrder const*, max_orders> orders_{};
    std::size_t order_count_ = 0;
};

} // namespace mxk::bench
