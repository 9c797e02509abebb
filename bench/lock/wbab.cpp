// `bench lock wbab`: a wait before each acquisition of one lock by all cores, from none on (bodies.hpp).
#include <array>
#include <span>

#include "bench/lock/contended_experiment.hpp"

namespace mxk::bench {

enum class WaitProgress : std::uint8_t { No, Yes };
constexpr auto value_names(WaitProgress) {
    return std::array{console::NamedValue{WaitProgress::No, "no"}, console::NamedValue{WaitProgress::Yes, "yes"}};
}

namespace {

struct WbabOptions : LockOptions {
    console::CountList waits{};
    WaitProgress progress = WaitProgress::Yes;
};

constexpr auto wbab_schema = console::schema<WbabOptions>(
    lock_option::locks, core_set_option::cores,
    console::option<&WbabOptions::waits>("wait",
                                         "nanoseconds of a worker's mean wait, by the number of workers (none given: "
                                         "0, then doubled: 10 to 2560 on smp, 250 to 64000 on emu)",
                                         console::between(0, 1'000'000)),
    console::option<&WbabOptions::progress>("progress", "whether a waiter offers its processor, and serves others"),
    lock_option::fabric, lock_option::nodes, lock_option::latency, lock_option::near_latency, lock_option::service,
    lock_option::passes, lock_option::milliseconds, lock_option::look_every, lock_option::seed, run_option::repeat,
    run_option::warm_up, run_option::json);

// At the shortest wait but none.
constexpr std::array wbab_orders{
    LockOrder{"CLH is slower than D-MCS", LockFabric::Emu, "clh", "mcs", 1.2},
    LockOrder{"CLH-NUMA is slower than D-MCS", LockFabric::Emu, "clh-numa", "mcs"},
    LockOrder{"D-MCS is slower than RMA-MCS (4 and 1 us)", LockFabric::Emu, "mcs", "rma-mcs"},
    LockOrder{"RMA-MCS is slower than a cohort lock (2 times)", LockFabric::Emu, "rma-mcs", "c-mcs-mcs"},
};

console::CountList default_waits(LockFabric fabric) {
    console::CountList waits{0};
    bool const is_far = fabric == LockFabric::Emu;
    for (std::uint32_t wait = is_far ? 250 : 10; wait <= (is_far ? 64'000U : 2560U); wait *= 2) waits.add(wait);
    return waits;
}

struct WbabSweep {
    using Options = WbabOptions;
    static constexpr std::string_view name = "lock wbab";
    explicit WbabSweep(Options const& its_options)
        : options(its_options) {
        if (options.waits.empty()) options.waits = default_waits(options.fabric);
    }
    static constexpr std::span<LockOrder const> orders() { return wbab_orders; }
    [[nodiscard]] std::size_t points() const { return options.waits.values().size(); }
    [[nodiscard]] std::size_t judged_point() const { return points() > 1 ? 1 : 0; }
    static constexpr std::string_view judged() { return "WBAB"; }
    static constexpr std::uint32_t default_look_every() { return 1; }
    static constexpr std::size_t words(std::size_t /*workers*/) { return section_words; }

    template <Team T, SharedWords W, typename Sections>
    Turn run(std::size_t point, T& team, UsedLock const& lock, Timing const& timing, W&, Sections& sections) const {
        std::uint64_t const of_worker = wait(point) * team.workers();
        return run_wbab(team, lock, timing,
                        {.mean = clock::to_cycles(Nanoseconds{of_worker}),
                         .makes_progress = options.progress == WaitProgress::Yes,
                         .seed = options.seed},
                        sections);
    }
    static bool is_right(TeamOutcome const&, TeamWords const&, std::size_t) { return true; }
    // Above what the waits alone would let the time from one section to the next be.
    void add_findings(std::size_t point, TeamOutcome const& timed, Findings& findings) const {
        findings.add("overhead_ns",
                     timed.iteration_seconds(clock::frequency()) * 1e9 - static_cast<double>(wait(point)));
    }
    void print_head(TextSink& out) const { format(out, "progress while waiting: {}; ", name_of(options.progress)); }
    static void print_heading(TextSink& out) { format(out, " {:>7}", "wait"); }
    void print_point(TextSink& out, std::size_t point) const { format(out, " {:7}", wait(point)); }
    void write_point(JsonWriter& json, std::size_t point) const {
        json.field("wait_ns", wait(point));
        json.field("progress", name_of(options.progress));
    }
    [[nodiscard]] std::uint64_t wait(std::size_t point) const { return options.waits.values()[point]; }

    Options options;
};
constexpr auto wbab_benchmark = benchmark<ContendedExperiment<WbabSweep>, wbab_schema>(
    {.summary = "sections per second of one lock by all cores, which wait before each: from full contention to little",
     .notes = "Example: bench lock wbab --lock mcs,tts --cores 2 --wait 0,20,40,80,160 --json\n"
              "Example: bench lock wbab --fabric emu --nodes 2 --cores 4 --progress no\n",
     .parent = "bench lock",
     .more_help = &print_lock_kinds});
MXK_REGISTER(mxk_commands, console::Command, wbab_benchmark);

} // namespace
} // namespace mxk::bench
