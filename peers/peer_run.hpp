// One configuration of `bench peer`: a peer and a number of cores. A run makes the same instructions as `bench table`
// does with the same seed, and the same workers call the peer's table directly, each for its own slice: same keys, same
// split, same order, same barrier, same clock.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

#include "base/result.hpp"
#include "bench/frame/progress.hpp"
#include "bench/frame/statistics.hpp"
#include "bench/frame/steps.hpp"
#include "bench/workload/instruction_queue.hpp"
#include "peers/peer.hpp"

namespace mxk::bench {

class PeerRun {
  public:
    // Of one phase.
    struct Outcome {
        TimeSpan time;
        std::uint64_t operations = 0;
        std::uint64_t wrong = 0; // operations with another result, or value, than the expected one
        std::uint64_t lost = 0;  // keys without a value that was written last, where values are overwritten
        std::uint64_t in_table = 0;
        std::uint64_t expected_in_table = 0;
        Durations latency{};           // of operations, if it is measured
        std::uint64_t page_faults = 0; // of the process while it was measured: pages that the system had to find

        [[nodiscard]] bool verified() const { return wrong == 0 && lost == 0 && in_table == expected_in_table; }
    };

    // `workload` and `peer` must live on. `latency`: how long operations take is measured. `passes`: so often a phase
    // makes its operations, which are finds, unless once.
    PeerRun(Workload const& workload, Peer const& peer, InstructionQueue queue, bool latency, std::uint32_t passes)
        : workload_(workload)
        , peer_(peer)
        , queue_(std::move(queue))
        , measures_latency_(latency)
        , passes_(passes) {}

    // Begins a run: a new table and the instructions of the first phase. Errors: no memory, what the table threw, or
    // interrupted by Ctrl-C. The console's task; blocks it until done.
    Result<void> prepare(Progress& progress);

    // The run's next phase; they must come in their order, after prepare(). As prepare().
    Result<Outcome> run(Mix const& phase, Progress& progress);

  private:
    // All instructions of the queue, on all cores, so often.
    Result<Outcome> run_all(std::string_view what, std::uint32_t passes, Progress& progress);
    // After a phase that overwrites values: keys that have none that was written last.
    Result<std::uint64_t> count_lost(Progress& progress);

    Workload const& workload_;
    Peer const& peer_;
    InstructionQueue queue_;
    bool measures_latency_;
    std::uint32_t passes_;
    std::unique_ptr<PeerTable> table_; // the run's
    std::uint64_t wrong_while_filling_ = 0;
};

} // namespace mxk::bench
