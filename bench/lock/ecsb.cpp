// `bench lock ecsb`: nothing but acquisitions of one lock by all cores (bodies.hpp).
#include <array>
#include <string_view>

#include "bench/lock/contended_experiment.hpp"

namespace mxk::bench {
namespace {

constexpr auto ecsb_schema = console::schema<LockOptions>(
    lock_option::locks, core_set_option::cores, lock_option::fabric, lock_option::nodes, lock_option::latency,
    lock_option::near_latency, lock_option::service, lock_option::passes, lock_option::passes_in_cache,
    lock_option::milliseconds, lock_option::look_every, run_option::all);

// Of memory that is not shared, as the thesis has it (4.2 to 4.7); of coherent memory, where others hold.
constexpr std::array ecsb_claims{
    is_slower("CLH is slower than CLH-NUMA (34 and 11 us)", LockFabric::Emu, "clh", "clh-numa", 1.2),
    is_slower("CLH-NUMA is slower than D-MCS (11 and 4 us)", LockFabric::Emu, "clh-numa", "mcs", 1.2),
    takes_more("operations: CLH takes more than CLH-NUMA", "clh", "clh-numa", 1.2),
    takes_more("operations: CLH-NUMA takes more than D-MCS", "clh-numa", "mcs", 1.2),
    takes_more("operations: RMA-MCS takes more than a cohort lock", "rma-mcs", "c-mcs-mcs", 4),
    is_slower("a cohort lock is 1.5 times as fast as RMA-MCS, or more (4 times)", LockFabric::Emu, "rma-mcs",
              "c-mcs-mcs", 1.5),
    is_slower("so is that with Hemlock", LockFabric::Emu, "rma-mcs", "c-mcs-hem", 1.5),
    is_slower("several nodes: RMA-MCS is faster than D-MCS", LockFabric::Emu, "mcs", "rma-mcs"),
    is_slower("SHFL is slower than SHFL with TAS (30 and 25 us)", LockFabric::Emu, "shfl", "shfl-tas"),
    is_slower("that is slower than MCS with TTS (18 us)", LockFabric::Emu, "shfl-tas", "mcs-tts"),
    is_slower("that is slower than MCS with TAS (13 us)", LockFabric::Emu, "mcs-tts", "mcs-tas"),
    is_slower("that is slower than MCS (5 us)", LockFabric::Emu, "mcs-tas", "mcs", 1.5),
    is_slower("TTS is slower than TAS", LockFabric::Emu, "tts", "tas"),
    is_slower("upper locks: TAS is faster than MCS", LockFabric::Emu, "c-mcs-mcs", "c-tas-mcs"),
    is_slower("upper locks: MCS is faster than tickets", LockFabric::Emu, "c-tkt-mcs", "c-mcs-mcs"),
    is_slower("lower locks: MCS is faster than tickets", LockFabric::Emu, "c-mcs-tkt", "c-mcs-mcs"),
    is_slower("coherent: TAS is slower than TTS", LockFabric::Smp, "tas", "tts"),
    is_slower("coherent: CLH is as fast as MCS", LockFabric::Smp, "clh", "mcs", 0.67, 1.5),
    is_slower("coherent, several nodes: a cohort lock is faster than MCS", LockFabric::Smp, "mcs", "c-mcs-mcs", 1, 0,
              true),
};

class EcsbBench final : public ContendedBenchmark<EmptySweep> {
  public:
    using Options = LockOptions;
    explicit EcsbBench(Options const& options)
        : ContendedBenchmark(options, ecsb_claims, {}, options.fabric == LockFabric::Emu ? 1 : 32) {}
};
constexpr auto ecsb_benchmark = benchmark<EcsbBench, ecsb_schema>(
    {.summary = "empty critical sections per second, of one lock by all cores",
     .notes = "Example: bench lock ecsb --lock mcs,c-mcs-mcs --cores 2,4 --nodes 2 --json\n"
              "Example: bench lock ecsb --fabric emu --nodes 2 --cores 4 --latency 2000\n",
     .parent = "bench lock",
     .more_help = &print_lock_kinds});
MXK_REGISTER(mxk_commands, console::Command, ecsb_benchmark);

} // namespace
} // namespace mxk::bench
