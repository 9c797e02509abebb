// `bench lock upb`: what a lock costs that nobody else wants, by where it was last and where it is wanted
// (upb_body.hpp). A configuration is a lock, its phases are the nine scenarios.
#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include "bench/lock/contended_experiment.hpp"
#include "bench/lock/upb_body.hpp"

namespace mxk::bench {
namespace {

struct UpbOptions : LockOptions {
    std::uint32_t locks_per_run = 1000;
};

constexpr auto upb_schema = console::schema<UpbOptions>(
    lock_option::locks,
    console::option<&UpbOptions::cores>("cores", "a set of four or more, two of one node first (none given: all)"),
    lock_option::fabric, lock_option::nodes, lock_option::latency, lock_option::near_latency, lock_option::service,
    console::option<&UpbOptions::locks_per_run>("locks", "of a run, each used once for each row",
                                                console::between(1, 100'000)),
    run_option::repeat, run_option::warm_up, run_option::json);

// Rows as people read them: by who wants the lock, then by who had it.
constexpr std::array<std::string_view, upb_scenarios> row_scenarios{"1a", "2a", "3a", "1b", "2b",
                                                                    "3b", "1c", "2c", "3c"};

// What the thesis says of free locks (4.2, 4.4, 4.5), of emulated regions: the time of the one by that of the other.
struct UpbOrder {
    std::string_view statement;
    std::string_view slower;
    std::string_view slower_scenario;
    std::string_view faster;
    std::string_view faster_scenario;
    double low = 1;
    double high = 0; // 0: as much as it is
};
constexpr std::array upb_orders{
    UpbOrder{"D-MCS is slower if its home is on another node", "mcs", "1c", "mcs", "1a", 1.5},
    UpbOrder{"RMA-MCS is slower than D-MCS at the home", "rma-mcs", "1a", "mcs", "1a"},
    UpbOrder{"and on another node", "rma-mcs", "1c", "mcs", "1c"},
    UpbOrder{"CLH takes nearly twice as long as D-MCS from another node", "clh", "3c", "mcs", "3c", 1, 4},
    UpbOrder{"RH is slower if another node has had it", "rh-1-32", "3c", "rh-1-32", "1c", 1.5},
    UpbOrder{"RH does not depend on where its home is", "rh-1-32", "1c", "rh-1-32", "1a", 0.67, 1.5},
};

class UpbExperiment final : public Experiment {
  public:
    using Options = UpbOptions;
    static constexpr std::string_view name = "lock upb";

    static Result<UpbExperiment> create(Options const& options) {
        UpbExperiment experiment(options);
        if (experiment.options_.locks.empty()) experiment.options_.locks = default_locks(options.fabric);
        auto const sets = MXK_TRY(CoreSetList::create(options.cores));
        MXK_TRY(experiment.choose(sets.cores(sets.size() - 1)));
        return experiment;
    }

    [[nodiscard]] Unit unit() const override { return Unit::NanosecondsPerOperation; }
    [[nodiscard]] std::size_t configurations() const override { return options_.locks.kinds().size(); }
    [[nodiscard]] std::size_t phases() const override { return upb_scenarios; }
    [[nodiscard]] bool is_measured_as_a_whole() const override { return true; }
    [[nodiscard]] bool lists_findings() const override { return false; }
    [[nodiscard]] std::optional<Error> unsupported(std::size_t configuration, std::size_t) const override {
        if (form_on(options_.fabric, kind(configuration)).is_there()) return std::nullopt;
        return Error::of("{} has no form on {}", kind(configuration).name, name_of(options_.fabric));
    }

    Result<void> run(std::size_t configuration, std::span<Sample> samples, Progress& progress) override {
        auto const topology = MXK_TRY(topology_for(options_, cores_));
        locks::LockTopology const view = topology.view();
        LockSpace space(view, MXK_TRY(emulated_for(options_, view, 2 * options_.locks_per_run)), cores_[0],
                        static_cast<locks::Handed>(options_.passes));
        auto const& form = form_on(options_.fabric, kind(configuration));
        std::array<UpbTurn, upb_workers> timed{};
        std::array<UpbTurn, upb_workers> checked{};
        std::size_t const count = options_.locks_per_run;
        auto const timed_locks = MXK_TRY(LocksInUse::create(form, space, cores_, count));
        auto const checked_locks = MXK_TRY(LocksInUse::create(form, space, cores_, count));
        auto const words = MXK_TRY(TeamWords::create(space, cores_, count));
        MXK_TRY(run_team(space, cores_, progress, [&](TaskTeam& team) {
            auto const user = team.worker();
            timed[user] = run_upb(team, count, [&](std::size_t at) { return timed_locks.used(at, user); });
            checked[user] = check_upb(
                team, count, [&](std::size_t at) { return checked_locks.used(at, user); }, words);
        }));
        std::uint64_t wrong = 0;
        for (UpbTurn const& turn : checked) wrong += turn.wrong;
        for (std::size_t phase = 0; phase < upb_scenarios; ++phase) {
            std::size_t const step = step_of(phase);
            UpbTurn const& turn = timed[upb_steps[step].worker];
            auto const per_lock = [&](std::uint64_t sum) {
                return static_cast<double>(sum) / static_cast<double>(count);
            };
            samples[phase] = {.value =
                                  per_lock(raw(turn.elapsed[step])) * 1e9 / static_cast<double>(clock::frequency()),
                              .operations = count,
                              .verified = wrong == 0};
            if (options_.fabric != LockFabric::Emu) continue;
            samples[phase].findings.add("operations_home", per_lock(turn.operations[step].home));
            samples[phase].findings.add("operations_others", per_lock(turn.operations[step].others));
            samples[phase].findings.add("operations_near", per_lock(turn.operations[step].near));
            samples[phase].findings.add("messages", per_lock(turn.operations[step].messages));
        }
        return {};
    }
    [[nodiscard]] std::string_view failure() const override {
        return "a section has met another last owner than the one before";
    }

    void print_head(TextSink& out) const override {
        format(out,
               "lock upb: fabric {}, {} locks, cores {} and {} at the home, {} and {} elsewhere; {} runs per row\n"
               "1, 2, 3: last had by the same core, its node, another one; a, b, c: wanted at the home, on its node, "
               "elsewhere\n",
               name_of(options_.fabric), options_.locks_per_run, cores_[0], cores_[1], cores_[2], cores_[3],
               options_.repeat);
    }
    void print_label_heading(TextSink& out) const override { format(out, "{:<18} {:>8}", "lock", "scenario"); }
    void print_label(TextSink& out, Row const& row) const override {
        format(out, "{:<18} {:>8}", kind(row.configuration).name, row_scenarios[row.phase]);
    }
    void print_title(TextSink& out, Row const& row) const override {
        format(out, "{}, {}", kind(row.configuration).name, row_scenarios[row.phase]);
    }
    void print_details(TextSink& out, Row const& row) const override {
        if (options_.fabric == LockFabric::Emu)
            format(out, "  operations for each: home {:.3}, other nodes' {:.3}, own node's {:.3}, messages {:.3}\n",
                   found(row, "operations_home"), found(row, "operations_others"), found(row, "operations_near"),
                   found(row, "messages"));
    }
    void write_settings(JsonWriter& json, Row const& row) const override {
        write_lock_settings(json, options_, kind(row.configuration));
        json.field("scenario", row_scenarios[row.phase]);
        json.field("locks", options_.locks_per_run);
        json.begin_array("core_ids");
        for (CoreId const core : cores_) json.element(core);
        json.end_array();
    }

    [[nodiscard]] std::size_t conclusions() const override {
        if (options_.fabric != LockFabric::Emu) return 0;
        return static_cast<std::size_t>(
            std::count_if(upb_orders.begin(), upb_orders.end(), [&](UpbOrder const& it) { return is_measured(it); }));
    }
    [[nodiscard]] Conclusion conclusion(std::size_t at, std::span<Row const> rows) const override {
        auto const* order = std::find_if(upb_orders.begin(), upb_orders.end(),
                                         [&](UpbOrder const& it) { return is_measured(it) && at-- == 0; });
        Conclusion said{.statement = order->statement};
        if (order->high == 0)
            format(said.expected, ">= {:.2}", order->low);
        else
            format(said.expected, "{:.2} to {:.2}", order->low, order->high);
        Row const& slower = rows[row_of(order->slower, order->slower_scenario)];
        Row const& faster = rows[row_of(order->faster, order->faster_scenario)];
        if (slower.value.n == 0 || faster.value.n == 0) {
            said.measured.append("not measured");
            return said;
        }
        double const ratio = slower.value.median / faster.value.median;
        format(said.measured, "{:.2} ({}, {})", ratio, order->slower_scenario, order->faster_scenario);
        said.holds = ratio >= order->low && (order->high == 0 || ratio <= order->high);
        return said;
    }

  private:
    explicit UpbExperiment(Options const& options)
        : options_(options) {}

    static std::size_t step_of(std::size_t phase) {
        auto const* const step = std::find_if(upb_steps.begin(), upb_steps.end(),
                                              [&](UpbStep const& it) { return it.scenario == row_scenarios[phase]; });
        return static_cast<std::size_t>(step - upb_steps.begin());
    }

    // Two of each of two nodes. Made-up nodes are made of these four.
    Result<void> choose(std::span<CoreId const> cores) {
        if (options_.nodes != 0) {
            if (options_.nodes != 2 || cores.size() < upb_workers)
                return Error("lock upb: expected --nodes 2, and four cores or more");
            std::copy_n(cores.begin(), upb_workers, cores_.begin());
            return {};
        }
        auto const& all = system_topology().cores;
        auto const two_of = [&](NodeId node, std::size_t at) {
            std::size_t taken = 0;
            for (CoreId const core : cores)
                if (taken < 2 && all[index(core)].node == node) cores_[at + taken++] = core;
            return taken == 2;
        };
        std::size_t nodes = 0;
        for (auto const& node : system_topology().nodes)
            if (nodes < 2 && two_of(node.id, 2 * nodes)) ++nodes;
        if (nodes < 2) return Error("lock upb: expected two nodes with two cores each in the set, or --nodes 2");
        return {};
    }
    [[nodiscard]] std::size_t place_of(std::string_view lock) const {
        auto const kinds = options_.locks.kinds();
        auto const at = std::find_if(kinds.begin(), kinds.end(), [&](auto const* it) { return it->name == lock; });
        return static_cast<std::size_t>(at - kinds.begin());
    }
    [[nodiscard]] bool is_measured(UpbOrder const& order) const {
        return place_of(order.slower) < configurations() && place_of(order.faster) < configurations();
    }
    [[nodiscard]] std::size_t row_of(std::string_view lock, std::string_view scenario) const {
        auto const* const phase = std::find(row_scenarios.begin(), row_scenarios.end(), scenario);
        return place_of(lock) * upb_scenarios + static_cast<std::size_t>(phase - row_scenarios.begin());
    }
    [[nodiscard]] locks::LockKind const& kind(std::size_t configuration) const {
        return *options_.locks.kinds()[configuration];
    }

    Options options_;
    std::array<CoreId, upb_workers> cores_{};
};
constexpr auto upb_benchmark = benchmark<UpbExperiment, upb_schema>(
    {.summary = "nanoseconds of a free lock, by where it was last and where it is wanted",
     .notes = "Example: bench lock upb --lock mcs,c-mcs-mcs,rh-1-32 --nodes 2 --json\n"
              "Example: bench lock upb --fabric emu --nodes 2 --latency 2000\n",
     .parent = "bench lock",
     .more_help = &print_lock_kinds});
MXK_REGISTER(mxk_commands, console::Command, upb_benchmark);

} // namespace
} // namespace mxk::bench
