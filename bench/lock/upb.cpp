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
    run_option::all);

// The time of the one by that of the other, of emulated regions.
constexpr LockClaim takes_longer(std::string_view statement, std::string_view slower, std::string_view slower_scenario,
                                 std::string_view faster, std::string_view faster_scenario, double low = 1,
                                 double high = 0) {
    return {{.statement = statement,
             .bound = lock_bound(low, high),
             .left = {.of = slower, .phase = slower_scenario},
             .right = {.of = faster, .phase = faster_scenario}}};
}
// What the thesis says of free locks (4.2, 4.4, 4.5).
constexpr std::array upb_claims{
    takes_longer("D-MCS is slower if its home is on another node", "mcs", "1c", "mcs", "1a", 1.5),
    takes_longer("RMA-MCS is slower than D-MCS at the home", "rma-mcs", "1a", "mcs", "1a"),
    takes_longer("and on another node", "rma-mcs", "1c", "mcs", "1c"),
    takes_longer("CLH takes nearly twice as long as D-MCS from another node", "clh", "3c", "mcs", "3c", 1, 4),
    takes_longer("RH is slower if another node has had it", "rh-1-32", "3c", "rh-1-32", "1c", 1.5),
    takes_longer("RH does not depend on where its home is", "rh-1-32", "1c", "rh-1-32", "1a", 0.67, 1.5),
};

class UpbBench final : public GridExperiment {
  public:
    using Options = UpbOptions;
    static constexpr std::string_view name = "lock upb";

    explicit UpbBench(Options const& options)
        : options_(options) {}
    Result<void> set_up() override {
        locks_ = MXK_TRY(chosen_locks(options_));
        add(Axis::of("lock", 18, locks_.span()));
        add(Axis::phases(Axis::of("scenario", 8, upb_rows, "")));
        auto const sets = MXK_TRY(CoreSetList::create(options_.cores));
        MXK_TRY(choose(sets.cores(sets.size() - 1)));
        if (options_.fabric == LockFabric::Emu)
            for (LockClaim const& claim : upb_claims) add(claim);
        return {};
    }

    [[nodiscard]] Unit unit() const override { return Unit::NanosecondsPerOperation; }
    [[nodiscard]] bool is_measured_as_a_whole() const override { return true; }
    [[nodiscard]] bool lists_findings() const override { return false; }
    [[nodiscard]] std::optional<Error> unsupported_at(Point const& point) const override {
        return why_unsupported(options_, *locks_[point[0]], false);
    }

    Result<void> run_at(Point const& point, std::span<Sample> samples, Progress& progress) override {
        auto const topology = MXK_TRY(topology_for(options_, cores_));
        locks::LockTopology const view = topology.view();
        LockSpace space(view, MXK_TRY(emulated_for(options_, view, 2 * options_.locks_per_run)), cores_[0],
                        options_.max_passes());
        auto const& form = form_on(options_.fabric, *locks_[point[0]]);
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
            std::size_t const step = upb_step_of(phase);
            UpbTurn const& turn = timed[upb_steps[step].worker];
            auto const per_lock = [&](std::uint64_t sum) {
                return static_cast<double>(sum) / static_cast<double>(count);
            };
            samples[phase] = {.value =
                                  per_lock(raw(turn.elapsed[step])) * 1e9 / static_cast<double>(clock::frequency()),
                              .operations = count,
                              .verified = wrong == 0};
            if (options_.fabric != LockFabric::Emu) continue;
            add_operations(samples[phase].findings, turn.operations[step], count);
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
               options_.repeat.text().view());
    }
    void print_details(TextSink& out, Row const& row) const override { print_operations(out, row); }

  private:
    void write_options(JsonWriter& json, Point const& point) const override {
        write_lock_settings(json, options_, *locks_[point[0]]);
        json.field("scenario", upb_rows[point[1]]);
        json.field("locks", options_.locks_per_run);
        json.begin_array("core_ids");
        for (CoreId const core : cores_) json.element(core);
        json.end_array();
    }
    void print_remark(TextSink& out, Claim const& claim, std::size_t /*cores*/) const override {
        format(out, " ({}, {})", claim.left.phase, claim.right.phase);
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

    Options const& options_;
    LockList locks_;
    std::array<CoreId, upb_workers> cores_{};
};
constexpr auto upb_benchmark = benchmark<UpbBench, upb_schema>(
    {.summary = "nanoseconds of a free lock, by where it was last and where it is wanted",
     .notes = "Example: bench lock upb --lock mcs,c-mcs-mcs,rh-1-32 --nodes 2 --json\n"
              "Example: bench lock upb --fabric emu --nodes 2 --latency 2000\n",
     .parent = "bench lock",
     .more_help = &print_lock_kinds});
MXK_REGISTER(mxk_commands, console::Command, upb_benchmark);

} // namespace
} // namespace mxk::bench
