// `bench lines`: what it costs that a cache line belongs to another core: a line that goes there and back, and an
// atomic addition on a line that this core has alone, that another has read, or that another has written. Between each
// two cores of a set. What each number is: docs/bench-machine.md.
#include <array>
#include <optional>

#include "arch/machine.hpp"
#include "bench/frame/core_choice.hpp"
#include "bench/frame/grid.hpp"
#include "bench/frame/steps.hpp"
#include "bench/machine/line_trips.hpp"
#include "bench/machine/matrix.hpp"
#include "kernel/topology/system_topology.hpp"

namespace mxk::bench {
namespace {

enum class LineMeasure : std::uint8_t { RoundTrip, AtomicOwned, AtomicShared, AtomicRemote };

constexpr auto value_names(LineMeasure) {
    using Named = console::NamedValue<LineMeasure>;
    return std::array{Named{LineMeasure::RoundTrip, "round-trip"}, Named{LineMeasure::AtomicOwned, "atomic-owned"},
                      Named{LineMeasure::AtomicShared, "atomic-shared"},
                      Named{LineMeasure::AtomicRemote, "atomic-remote"}};
}

struct LineOptions : RunOptions {
    constexpr LineOptions()
        : RunOptions{.repeat = 5} {}

    NameSet<LineMeasure> measures{};
    topology::CoreSets cores{};
    std::optional<std::uint32_t> trips{};
    std::optional<std::uint32_t> passes{};
    std::uint32_t limit = 1000; // milliseconds
};

constexpr auto line_schema = console::schema<LineOptions>(
    console::option<&LineOptions::measures>("measure",
                                            "round-trip, atomic-owned, atomic-shared, atomic-remote (none given: all)"),
    console::option<&LineOptions::cores>("cores", "one set such as 4, 0-7, node:1, physical (none given: all)"),
    console::option<&LineOptions::trips>("trips", "per run: round-trip (none given: 5000; where emulated 500)",
                                         console::between(1, 1'000'000'000)),
    console::option<&LineOptions::passes>(
        "passes", "per run, of 128 additions each: atomic-* (none given: 100; where emulated 10)",
        console::between(1, 1'000'000)),
    console::option<&LineOptions::limit>("limit", "milliseconds, after which a run ends with what it has",
                                         console::between(1, 100'000)),
    run_option::repeat, run_option::warm_up, run_option::json);

Result<NodeVector<CoreId>> chosen_cores(topology::CoreSets const& chosen) {
    NodeId const here = Worker::current().node();
    auto const& all = system_topology().cores;
    auto cores = MXK_TRY(NodeVector<CoreId>::create(all.size(), here));
    if (chosen.empty()) {
        for (topology::Core const& core : all) cores.emplace(core.id);
        return cores;
    }
    auto const sets = MXK_TRY(CoreSetList::create(chosen));
    if (sets.size() != 1) return Error::of("--cores: expected one set of cores, got {}", sets.size());
    for (CoreId const core : sets.cores(0)) cores.emplace(core);
    return cores;
}

// A configuration is a measure from a core to another.
class LinesExperiment final : public MatrixExperiment {
  public:
    using Options = LineOptions;
    static constexpr std::string_view name = "lines";

    explicit LinesExperiment(Options const& options)
        : options_(options)
        , trips_(options.trips.value_or(is_emulated() ? 500 : 5000))
        , passes_(options.passes.value_or(is_emulated() ? 10 : 100)) {}
    Result<void> set_up() {
        NodeId const here = Worker::current().node();
        std::size_t const measures = value_names(LineMeasure{}).size();
        cores_ = MXK_TRY(chosen_cores(options_.cores));
        std::size_t const count = cores_.size();
        steps_ = MXK_TRY(NodeVector<Step>::create(count * count * measures, here));
        skipped_ = MXK_TRY(NodeVector<Skipped>::create(measures, here));
        for (auto const& [measure, its_name] : value_names(LineMeasure{})) {
            if (!options_.measures.empty() && !options_.measures.has(measure)) continue;
            if (measure != LineMeasure::AtomicOwned && count < 2) {
                skipped_.emplace(its_name, Error("needs two cores"));
                continue;
            }
            for (CoreId const from : cores_)
                for (CoreId const to : cores_)
                    if ((from == to) == (measure == LineMeasure::AtomicOwned)) steps_.emplace(measure, from, to);
        }
        if (steps_.size() == 0) return Error("--cores: expected two cores or more for these measures, got one");
        return {};
    }

    [[nodiscard]] Unit unit() const override { return Unit::NanosecondsPerOperation; }
    [[nodiscard]] std::size_t configurations() const override { return steps_.size(); }
    [[nodiscard]] std::span<Skipped const> skipped() const override { return skipped_.span(); }
    [[nodiscard]] bool continues_after_failure() const override { return true; }
    Result<void> run(std::size_t configuration, std::span<Sample> samples, Progress& progress) override {
        Step const& step = steps_[configuration];
        Cycles const limit = clock::to_cycles(microseconds(std::uint64_t{options_.limit} * 1000));
        samples[0] = step.measure == LineMeasure::RoundTrip ? MXK_TRY(run_trips(step, limit, progress))
                                                            : MXK_TRY(run_atomics(step, limit, progress));
        return {};
    }
    [[nodiscard]] std::string_view failure() const override { return "a line did not hold what the cores wrote"; }

    void conclude(TextSink& out, std::span<Row const> rows) override {
        for (std::size_t first = 0; first < steps_.size();) {
            LineMeasure const measure = steps_[first].measure;
            std::size_t count = 0;
            while (first + count < steps_.size() && steps_[first + count].measure == measure) ++count;
            format(out, "{}:\n", name_of(measure));
            print_measure(out, measure, rows.subspan(first, count));
            first += count;
        }
        for (Row const& row : rows) print_trouble(out, row);
    }
    void print_head(TextSink& out) const override {
        format(out, "lines: ns per round trip of a line between two cores, per atomic addition by who has the line; ");
        format(out, "{} runs\n", options_.repeat);
        if (is_emulated()) out.write("emulated: shows function, not the hardware\n");
    }
    void print_title(TextSink& out, Row const& row) const override {
        Step const& step = steps_[row.configuration];
        format(out, "{} from core {} to core {}", name_of(step.measure), step.from, step.to);
    }
    void write_settings(JsonWriter& json, Row const& row) const override {
        Step const& step = steps_[row.configuration];
        json.field("measure", name_of(step.measure));
        json.field("from", step.from);
        json.field("to", step.to);
    }

  private:
    struct Step {
        LineMeasure measure;
        CoreId from; // whose line it was; of round-trip: which begins
        CoreId to;   // that makes the additions
    };

    static bool is_emulated() { return arch::describe_machine().is_emulated(); }

    Result<Sample> run_trips(Step const& step, Cycles limit, Progress const& progress) const {
        struct alignas(2 * cache_line_bytes) Alone {
            LineWord word{0};
        };
        auto line = MXK_TRY(NodeVector<Alone>::create(1, system_topology().cores[index(step.from)].node));
        LineTrips trips(line.emplace().word, trips_, clock::timestamp() + limit);
        std::array const cores{step.from, step.to};
        MXK_TRY(time_on(cores, progress, [&](std::size_t place) { place == 0 ? trips.ask() : trips.answer(); }));
        return trips.sample();
    }
    Result<Sample> run_atomics(Step const& step, Cycles limit, Progress const& progress) const {
        using State = LineAtomics::State;
        State const state = step.measure == LineMeasure::AtomicOwned    ? State::Owned
                            : step.measure == LineMeasure::AtomicShared ? State::Shared
                                                                        : State::Remote;
        auto place_of_ring = MXK_TRY(NodeVector<LineAtomics>::create(1, system_topology().cores[index(step.to)].node));
        LineAtomics& atomics = place_of_ring.emplace(state, passes_, clock::timestamp() + limit);
        std::array const cores{step.to, step.from};
        auto const used = std::span(cores).first(state == State::Owned ? 1 : 2);
        MXK_TRY(time_on(used, progress, [&](std::size_t place) { place == 0 ? atomics.add() : atomics.serve(); }));
        return atomics.sample();
    }
    // `rows`: in the order of create().
    void print_measure(TextSink& out, LineMeasure measure, std::span<Row const> rows) const {
        auto const cores = cores_.span();
        if (measure == LineMeasure::AtomicOwned)
            return print_matrix<CoreId>(out, "core", cores.first(1), cores,
                                        [&](std::size_t, std::size_t core) { return cell_of(rows[core], 1); });
        print_matrix<CoreId>(out, "from\\to", cores, cores, [&](std::size_t from, std::size_t to) {
            if (from == to) return CellText("-");
            return cell_of(rows[from * (cores.size() - 1) + (to < from ? to : to - 1)], 1);
        });
    }
    // What a run was disturbed by, which is not to be seen in its cell.
    void print_trouble(TextSink& out, Row const& row) const {
        if (row.state == Row::State::Failed) {
            print_title(out, row);
            format(out, ": {}\n", row.reason->message());
        }
        if (row.state != Row::State::Measured || row.value.n == 0) return;
        double long_waits = 0;
        double missing = 0;
        for (auto const& found : row.findings.entries()) (found.name == "missing" ? missing : long_waits) = found.value;
        bool const shares_processor =
            long_waits * 10 * static_cast<double>(row.value.n) > static_cast<double>(row.operations);
        if (!shares_processor && missing == 0) return;
        print_title(out, row);
        if (shares_processor)
            format(out, ": {:.0} long waits: the cores share a processor, or one was taken away", long_waits);
        if (missing > 0)
            format(out, "{} ended after {} ms, {:.0} missing", shares_processor ? ";" : ":", options_.limit, missing);
        out.write("\n");
    }

    Options options_;
    std::uint32_t trips_;
    std::uint32_t passes_;
    NodeVector<CoreId> cores_;
    NodeVector<Step> steps_;
    NodeVector<Skipped> skipped_;
};

constexpr auto lines_benchmark = benchmark<LinesExperiment, line_schema>(
    {.summary = "ns for a cache line to go to another core and back, and per atomic addition by who has the line",
     .notes = "Example: bench lines --cores physical --measure round-trip --json\n"});
MXK_REGISTER(mxk_commands, console::Command, lines_benchmark);

} // namespace
} // namespace mxk::bench
