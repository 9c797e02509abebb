// `bench lock ccwb`: work of which a growing part is critical, by all cores under one lock (bodies.hpp).
#include <algorithm>
#include <array>
#include <span>

#include "bench/lock/contended_experiment.hpp"

namespace mxk::bench {

enum class WorkMode : std::uint8_t { Partner, Shared };
constexpr auto value_names(WorkMode) {
    return std::array{console::NamedValue{WorkMode::Partner, "partner"},
                      console::NamedValue{WorkMode::Shared, "shared"}};
}

namespace {

struct CcwbOptions : LockOptions {
    console::CountList critical{};
    WorkMode mode = WorkMode::Partner;
};

constexpr auto ccwb_schema = console::schema<CcwbOptions>(
    lock_option::locks, core_set_option::cores,
    console::option<&CcwbOptions::critical>("k", "increments in the section (none given: 0 to 5)",
                                            console::between(0, max_critical_work)),
    console::option<&CcwbOptions::mode>("mode", "whose words are incremented in the section: those of the worker's "
                                                "partner, or the home's, by all"),
    lock_option::fabric, lock_option::nodes, lock_option::latency, lock_option::near_latency, lock_option::service,
    lock_option::passes, lock_option::milliseconds, lock_option::look_every, lock_option::seed, run_option::repeat,
    run_option::warm_up, run_option::json);

// With the maximum of critical work.
constexpr std::array ccwb_orders{
    LockOrder{"CLH is slower than D-MCS", LockFabric::Emu, "clh", "mcs"},
    LockOrder{"D-MCS is slower than a cohort lock", LockFabric::Emu, "mcs", "c-mcs-mcs"},
    LockOrder{"upper locks: TAS is slower than MCS", LockFabric::Emu, "c-tas-mcs", "c-mcs-mcs"},
};

struct CcwbSweep {
    using Options = CcwbOptions;
    static constexpr std::string_view name = "lock ccwb";
    explicit CcwbSweep(Options const& its_options)
        : options(its_options) {
        if (options.critical.empty()) options.critical = {0, 1, 2, 3, 4, 5};
    }
    static constexpr std::span<LockOrder const> orders() { return ccwb_orders; }
    [[nodiscard]] std::size_t points() const { return options.critical.values().size(); }
    [[nodiscard]] std::size_t judged_point() const { return points() - 1; }
    static constexpr std::string_view judged() { return "CCWB"; }
    static constexpr std::uint32_t default_look_every() { return 1; }
    static constexpr std::size_t words(std::size_t workers) { return Work::words(workers, max_critical_work); }

    template <Team T, SharedWords W, typename Sections>
    Turn run(std::size_t point, T& team, UsedLock const& lock, Timing const& timing, W& words,
             Sections& sections) const {
        Work const work{
            .critical = critical(point), .is_shared = options.mode == WorkMode::Shared, .seed = options.seed};
        return run_ccwb(team, lock, timing, work, words, sections);
    }
    static bool is_right(TeamOutcome const& outcome, TeamWords const& words, std::size_t workers) {
        return sum_of_increments(words, workers) == outcome.increments;
    }
    static void add_findings(std::size_t, TeamOutcome const&, Findings&) {}
    void print_head(TextSink& out) const { format(out, "critical work on words of {}; ", name_of(options.mode)); }
    static void print_heading(TextSink& out) { format(out, " {:>3}", "k"); }
    void print_point(TextSink& out, std::size_t point) const { format(out, " {:3}", critical(point)); }
    void write_point(JsonWriter& json, std::size_t point) const {
        json.field("k", critical(point));
        json.field("mode", name_of(options.mode));
    }
    [[nodiscard]] std::uint32_t critical(std::size_t point) const { return options.critical.values()[point]; }

    Options options;
};
constexpr auto ccwb_benchmark = benchmark<ContendedExperiment<CcwbSweep>, ccwb_schema>(
    {.summary = "iterations per second of all cores, whose work is in part critical: from little contention to full",
     .notes = "Example: bench lock ccwb --lock mcs,tts --cores 2 --k 0,3,5 --mode shared --json\n"
              "Example: bench lock ccwb --fabric emu --nodes 2 --cores 4\n",
     .parent = "bench lock",
     .more_help = &print_lock_kinds});
MXK_REGISTER(mxk_commands, console::Command, ccwb_benchmark);

} // namespace
} // namespace mxk::bench
