// `bench lines`: what it costs that a cache line belongs to another core: a line that goes there and back, and an
// atomic addition on a line that this core has alone, that another has read, or that another has written. Between each
// two cores of a set. What each number is: docs/bench-machine.md.
#include <algorithm>
#include <array>
#include <optional>

#include "arch/machine.hpp"
#include "bench/frame/core_choice.hpp"
#include "bench/frame/grid.hpp"
#include "bench/frame/steps.hpp"
#include "bench/machine/line_trips.hpp"
#include "bench/machine/matrix.hpp"
#include "kernel/memory/memory.hpp"
#include "kernel/topology/system_topology.hpp"

namespace mxk::bench {
namespace {

enum class LineMeasure : std::uint8_t {
    RoundTrip,
    AtomicOwned,
    AtomicShared,
    AtomicRemote,
    ReadModified, // these where they are asked for
    ReadExclusive,
    ReadShared
};

constexpr auto value_names(LineMeasure) {
    using Named = console::NamedValue<LineMeasure>;
    return std::array{
        Named{LineMeasure::RoundTrip, "round-trip"},       Named{LineMeasure::AtomicOwned, "atomic-owned"},
        Named{LineMeasure::AtomicShared, "atomic-shared"}, Named{LineMeasure::AtomicRemote, "atomic-remote"},
        Named{LineMeasure::ReadModified, "read-modified"}, Named{LineMeasure::ReadExclusive, "read-exclusive"},
        Named{LineMeasure::ReadShared, "read-shared"}};
}

// Where a line's memory lies: on the node of the core that answers, adds or loads; of the other core; of neither.
enum class LineHome : std::uint8_t { Own, Other, Third };
constexpr auto value_names(LineHome) {
    using Named = console::NamedValue<LineHome>;
    return std::array{Named{LineHome::Own, "own"}, Named{LineHome::Other, "other"}, Named{LineHome::Third, "third"}};
}

struct LineOptions : RunOptions {
    constexpr LineOptions()
        : RunOptions{.repeat = 5} {}

    NameSet<LineMeasure> measures{};
    NameSet<LineHome> homes{};
    topology::CoreSets cores{};
    std::optional<std::uint32_t> trips{};
    std::optional<std::uint32_t> passes{};
    std::uint32_t limit = 1000; // milliseconds
};

constexpr auto line_schema = console::schema<LineOptions>(
    console::option<&LineOptions::measures>("measure",
                                            "round-trip, atomic-owned, atomic-shared, atomic-remote (none given: these "
                                            "four), read-modified, read-exclusive, read-shared"),
    console::option<&LineOptions::homes>("memory", "own, other, third: by whose node's memory the line lies in"),
    console::option<&LineOptions::cores>("cores", "one set such as 4, 0-7, node:1, physical (none given: all)"),
    console::option<&LineOptions::trips>("trips", "per run: round-trip (none given: 5000; where emulated 500)",
                                         console::between(1, 1'000'000'000)),
    console::option<&LineOptions::passes>("passes",
                                          "per run, of 128 each: atomic-*, read-* (none given: 100; where emulated 10)",
                                          console::between(1, 1'000'000)),
    console::option<&LineOptions::limit>("limit", "milliseconds, after which a run ends with what it has",
                                         console::between(1, 100'000)),
    run_option::all);

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
        cores_ = MXK_TRY(one_set_or_all(options_.cores));
        std::size_t const count = cores_.size();
        std::size_t const homes = value_names(LineHome{}).size();
        steps_ = MXK_TRY(NodeVector<Step>::create(count * count * measures * homes, here));
        skipped_ = MXK_TRY(NodeVector<Skipped>::create(measures, here));
        for (auto const& [measure, its_name] : value_names(LineMeasure{})) {
            bool const is_chosen =
                options_.measures.empty() ? measure <= LineMeasure::AtomicRemote : options_.measures.has(measure);
            if (!is_chosen) continue;
            if (measure != LineMeasure::AtomicOwned && count < 2) {
                skipped_.emplace(its_name, Error("needs two cores"));
                continue;
            }
            if (measure == LineMeasure::ReadShared && count < 3) {
                skipped_.emplace(its_name, Error("needs three cores"));
                continue;
            }
            if (options_.homes.empty()) add_steps(measure, std::nullopt);
            for (auto const& [home, name_of_home] : value_names(LineHome{}))
                if (options_.homes.has(home)) add_steps(measure, home);
        }
        if (steps_.size() == 0)
            return Error::of("--cores: expected {} cores or more for these measures, got {}",
                             count == 1 ? "two" : "three", count == 1 ? "one" : "two");
        return {};
    }

    [[nodiscard]] Unit unit() const override { return Unit::NanosecondsPerOperation; }
    [[nodiscard]] std::size_t configurations() const override { return steps_.size(); }
    [[nodiscard]] std::span<Skipped const> skipped() const override { return skipped_.span(); }
    [[nodiscard]] bool continues_after_failure() const override { return true; }
    [[nodiscard]] std::optional<Error> unsupported(std::size_t configuration, std::size_t /*phase*/) const override {
        if (node_of(steps_[configuration])) return std::nullopt;
        return Error(steps_[configuration].home == LineHome::Third ? "no third node has memory"
                                                                   : "both cores are on one node, or it has no memory");
    }
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
            auto const [measure, from, to, home] = steps_[first];
            std::size_t count = 0;
            while (first + count < steps_.size() && steps_[first + count].measure == measure &&
                   steps_[first + count].home == home)
                ++count;
            format(out, "{}{}{}:\n", name_of(measure), home ? ", memory: " : "", home ? name_of(*home) : "");
            print_measure(out, measure, rows.subspan(first, count));
            first += count;
        }
        for (Row const& row : rows) print_trouble(out, row);
    }
    void print_head(TextSink& out) const override {
        format(out, "lines: ns per round trip of a line between two cores, per atomic addition by who has the line; ");
        format(out, "{} runs\n", options_.repeat.text().view());
        if (is_emulated()) out.write("emulated: shows function, not the hardware\n");
    }
    void print_title(TextSink& out, Row const& row) const override {
        Step const& step = steps_[row.configuration];
        format(out, "{} from core {} to core {}", name_of(step.measure), step.from, step.to);
        if (step.home) format(out, ", memory: {}", name_of(*step.home));
    }
    void write_settings(JsonWriter& json, Row const& row) const override {
        Step const& step = steps_[row.configuration];
        json.field("measure", name_of(step.measure));
        json.field("from", step.from);
        json.field("to", step.to);
        if (!step.home) return;
        json.field("memory", name_of(*step.home));
        if (auto const node = node_of(step))
            json.field("memory_node", *node);
        else
            json.null_field("memory_node"); // the row has the reason
    }

  private:
    struct Step {
        LineMeasure measure;
        CoreId from;                  // whose line it was; of round-trip: which begins
        CoreId to;                    // that makes the additions, or loads
        std::optional<LineHome> home; // none: that of round-trip is `from`, of the others `to`
    };

    void add_steps(LineMeasure measure, std::optional<LineHome> home) {
        for (CoreId const from : cores_)
            for (CoreId const to : cores_)
                if ((from == to) == (measure == LineMeasure::AtomicOwned)) steps_.emplace(measure, from, to, home);
    }
    // Where its lines lie. None: there is no such node with memory.
    static std::optional<NodeId> node_of(Step const& step) {
        auto const& topology = system_topology();
        NodeId const from = topology.cores[index(step.from)].node;
        NodeId const to = topology.cores[index(step.to)].node;
        if (!step.home) return step.measure == LineMeasure::RoundTrip ? from : to;
        if (*step.home == LineHome::Other && from == to) return std::nullopt;
        for (topology::Node const& node : topology.nodes) {
            bool const is_it = *step.home == LineHome::Own     ? node.id == to
                               : *step.home == LineHome::Other ? node.id == from
                                                               : node.id != from && node.id != to;
            if (is_it && memory::use(node.id).total != 0) return node.id;
        }
        return std::nullopt;
    }
    // Memory for one T, on its node where one was asked for.
    template <typename T> static Result<NodeVector<T>> room_for(Step const& step) {
        NodeId const node = *node_of(step);
        memory::NodeUse const use = memory::use(node);
        if (step.home && use.total - use.used < MiB) return Error::of("node {} has no free memory", node);
        return NodeVector<T>::create(1, node);
    }

    static bool is_emulated() { return arch::describe_machine().is_emulated(); }

    Result<Sample> run_trips(Step const& step, Cycles limit, Progress const& progress) const {
        struct alignas(2 * cache_line_bytes) Alone {
            LineWord word{0};
        };
        auto line = MXK_TRY(room_for<Alone>(step));
        LineTrips trips(line.emplace().word, trips_, clock::timestamp() + limit);
        std::array const cores{step.from, step.to};
        MXK_TRY(time_on(cores, progress, [&](std::size_t place) { place == 0 ? trips.ask() : trips.answer(); }));
        return trips.sample();
    }
    Result<Sample> run_atomics(Step const& step, Cycles limit, Progress const& progress) const {
        auto const state = static_cast<LineAtomics::State>(static_cast<int>(step.measure) - 1); // the same order
        auto place_of_ring = MXK_TRY(room_for<LineAtomics>(step));
        LineAtomics& atomics = place_of_ring.emplace(state, passes_, clock::timestamp() + limit);
        auto const is_third = [&](CoreId core) { return core != step.from && core != step.to; };
        CoreId const* const third = std::find_if(cores_.begin(), cores_.end(), is_third);
        std::array const cores{step.to, step.from, third == cores_.end() ? step.to : *third};
        auto const used = std::span(cores).first(1 + LineAtomics::servers_of(state));
        MXK_TRY(
            time_on(used, progress, [&](std::size_t place) { place == 0 ? atomics.add() : atomics.serve(place - 1); }));
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
            long_waits * 10 * static_cast<double>(row.runs) > static_cast<double>(row.operations);
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
