// `bench lock ecsb`: nothing but acquisitions of one lock by all cores (bodies.hpp).
#include <array>
#include <span>

#include "bench/lock/contended_experiment.hpp"

namespace mxk::bench {
namespace {

constexpr auto ecsb_schema = console::schema<LockOptions>(
    lock_option::locks, core_set_option::cores, lock_option::fabric, lock_option::nodes, lock_option::latency,
    lock_option::near_latency, lock_option::service, lock_option::passes, lock_option::milliseconds,
    lock_option::look_every, run_option::repeat, run_option::warm_up, run_option::json);

// Of memory that is not shared, as the thesis has it (4.2 to 4.7); of coherent memory, where others hold.
constexpr std::array ecsb_orders{
    LockOrder{"CLH is slower than CLH-NUMA (34 and 11 us)", LockFabric::Emu, "clh", "clh-numa", 1.2},
    LockOrder{"CLH-NUMA is slower than D-MCS (11 and 4 us)", LockFabric::Emu, "clh-numa", "mcs", 1.2},
    LockOrder{"operations: CLH takes more than CLH-NUMA", LockFabric::Emu, "clh", "clh-numa", 1.2, 0,
              OrderOf::Operations},
    LockOrder{"operations: CLH-NUMA takes more than D-MCS", LockFabric::Emu, "clh-numa", "mcs", 1.2, 0,
              OrderOf::Operations},
    LockOrder{"operations: RMA-MCS takes more than a cohort lock", LockFabric::Emu, "rma-mcs", "c-mcs-mcs", 4, 0,
              OrderOf::Operations},
    LockOrder{"a cohort lock is 1.5 times as fast as RMA-MCS, or more (4 times)", LockFabric::Emu, "rma-mcs",
              "c-mcs-mcs", 1.5},
    LockOrder{"so is that with Hemlock", LockFabric::Emu, "rma-mcs", "c-mcs-hem", 1.5},
    LockOrder{"several nodes: RMA-MCS is faster than D-MCS", LockFabric::Emu, "mcs", "rma-mcs"},
    LockOrder{"SHFL is slower than SHFL with TAS (30 and 25 us)", LockFabric::Emu, "shfl", "shfl-tas"},
    LockOrder{"that is slower than MCS with TTS (18 us)", LockFabric::Emu, "shfl-tas", "mcs-tts"},
    LockOrder{"that is slower than MCS with TAS (13 us)", LockFabric::Emu, "mcs-tts", "mcs-tas"},
    LockOrder{"that is slower than MCS (5 us)", LockFabric::Emu, "mcs-tas", "mcs", 1.5},
    LockOrder{"TTS is slower than TAS", LockFabric::Emu, "tts", "tas"},
    LockOrder{"upper locks: TAS is faster than MCS", LockFabric::Emu, "c-mcs-mcs", "c-tas-mcs"},
    LockOrder{"upper locks: MCS is faster than tickets", LockFabric::Emu, "c-tkt-mcs", "c-mcs-mcs"},
    LockOrder{"lower locks: MCS is faster than tickets", LockFabric::Emu, "c-mcs-tkt", "c-mcs-mcs"},
    LockOrder{"coherent: TAS is slower than TTS", LockFabric::Smp, "tas", "tts"},
    LockOrder{"coherent: CLH is as fast as MCS", LockFabric::Smp, "clh", "mcs", 0.67, 1.5},
    LockOrder{"coherent, several nodes: a cohort lock is faster than MCS", LockFabric::Smp, "mcs", "c-mcs-mcs", 1, 0,
              OrderOf::Time, true},
};

struct EcsbSweep {
    using Options = LockOptions;
    static constexpr std::string_view name = "lock ecsb";
    explicit EcsbSweep(Options const& its_options)
        : options(its_options) {}
    static constexpr std::span<LockOrder const> orders() { return ecsb_orders; }
    static constexpr std::size_t points() { return 1; }
    static constexpr std::size_t judged_point() { return 0; }
    static constexpr std::string_view judged() { return "ECSB"; }
    [[nodiscard]] std::uint32_t default_look_every() const { return options.fabric == LockFabric::Emu ? 1 : 32; }
    static constexpr std::size_t words(std::size_t /*workers*/) { return section_words; }

    template <Team T, SharedWords W, typename Sections>
    static Turn run(std::size_t, T& team, UsedLock const& lock, Timing const& timing, W&, Sections& sections) {
        return run_ecsb(team, lock, timing, sections);
    }
    static bool is_right(TeamOutcome const&, TeamWords const&, std::size_t) { return true; }
    static void add_findings(std::size_t, TeamOutcome const&, Findings&) {}
    static void print_head(TextSink& /*out*/) {}
    static void print_heading(TextSink& /*out*/) {}
    static void print_point(TextSink& /*out*/, std::size_t) {}
    static void write_point(JsonWriter& /*json*/, std::size_t) {}

    Options options;
};
constexpr auto ecsb_benchmark = benchmark<ContendedExperiment<EcsbSweep>, ecsb_schema>(
    {.summary = "empty critical sections per second, of one lock by all cores",
     .notes = "Example: bench lock ecsb --lock mcs,c-mcs-mcs --cores 2,4 --nodes 2 --json\n"
              "Example: bench lock ecsb --fabric emu --nodes 2 --cores 4 --latency 2000\n",
     .parent = "bench lock",
     .more_help = &print_lock_kinds});
MXK_REGISTER(mxk_commands, console::Command, ecsb_benchmark);

} // namespace
} // namespace mxk::bench
