// `bench lock wbab`: a wait before each acquisition of one lock by all cores, from none on (bodies.hpp).
#include <array>
#include <string_view>

#include "bench/lock/contended_experiment.hpp"

namespace mxk::bench {

namespace {

struct WbabOptions : LockOptions, WaitChoice {};

constexpr auto wbab_schema = console::schema<WbabOptions>(
    lock_option::locks, core_set_option::cores, sweep_option::waits, sweep_option::progress, lock_option::fabric,
    lock_option::nodes, lock_option::latency, lock_option::near_latency, lock_option::service, lock_option::passes,
    lock_option::passes_in_cache, lock_option::milliseconds, lock_option::look_every, lock_option::seed,
    run_option::all);

constexpr std::array wbab_claims{
    is_slower("CLH is slower than D-MCS", LockFabric::Emu, "clh", "mcs", 1.2),
    is_slower("CLH-NUMA is slower than D-MCS", LockFabric::Emu, "clh-numa", "mcs"),
    is_slower("D-MCS is slower than RMA-MCS (4 and 1 us)", LockFabric::Emu, "mcs", "rma-mcs"),
    is_slower("RMA-MCS is slower than a cohort lock (2 times)", LockFabric::Emu, "rma-mcs", "c-mcs-mcs"),
};

WaitSweep sweep_of(WbabOptions const& options) {
    WaitSweep sweep{options, options.seed};
    if (!options.waits.empty()) return sweep;
    console::CountList& waits = sweep.choice.waits;
    waits.add(0);
    bool const is_far = options.fabric == LockFabric::Emu;
    for (std::uint32_t wait = is_far ? 250 : 10; wait <= (is_far ? 64'000U : 2560U); wait *= 2) waits.add(wait);
    return sweep;
}

class WbabBench final : public ContendedBenchmark<WaitSweep> {
  public:
    using Options = WbabOptions;
    explicit WbabBench(Options const& options)
        : ContendedBenchmark(options, wbab_claims, sweep_of(options)) {}
};
constexpr auto wbab_benchmark = benchmark<WbabBench, wbab_schema>(
    {.summary = "sections per second of one lock by all cores, which wait before each: from full contention to little",
     .notes = "Example: bench lock wbab --lock mcs,tts --cores 2 --wait 0,20,40,80,160 --json\n"
              "Example: bench lock wbab --fabric emu --nodes 2 --cores 4 --progress no\n",
     .parent = "bench lock",
     .more_help = &print_lock_kinds});
MXK_REGISTER(mxk_commands, console::Command, wbab_benchmark);

} // namespace
} // namespace mxk::bench
