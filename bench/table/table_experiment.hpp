// One configuration of `bench table`: an engine on a number of cores, each owner of one region and home of one slice of
// the instruction queue. A run prepares a table, filled where its first phase asks for it, and runs the phases on it:
// each one is measured and verified.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/result.hpp"
#include "bench/frame/progress.hpp"
#include "bench/frame/statistics.hpp"
#include "bench/frame/steps.hpp"
#include "bench/table/engine.hpp"
#include "bench/table/table_options.hpp"
#include "bench/workload/instruction_queue.hpp"
#include "hashtable/table/partitioned.hpp"
#include "kernel/memory/node_array.hpp"
#include "kernel/memory/node_vector.hpp"
#include "kernel/memory/per_core.hpp"
#include "tasks/task_times.hpp"

namespace mxk::bench {

// How the owners of a table changed during a run (hashtable/table/resharding.hpp), and its speed meanwhile.
struct OwnerChange {
    std::uint32_t from = 0; // cores
    std::uint32_t to = 0;
    double seconds = 0;
    double before = 0; // operations per second since the last change, or the beginning
    double during = 0;
};

// As many as a run may have.
class OwnerChanges {
  public:
    static constexpr std::size_t max = 15;

    void add(OwnerChange const& change) {
        if (size_ < max) changes_[size_++] = change;
    }
    [[nodiscard]] std::span<OwnerChange const> list() const { return {changes_.data(), size_}; }

  private:
    std::array<OwnerChange, max> changes_{};
    std::size_t size_ = 0;
};

// Of the first nodes, as many as machines have.
using BytesByNode = std::array<std::uint64_t, 64>;

// What the host took from an open load, and the latency of the operations that this did not touch.
struct HostTime {
    std::size_t pauses = 0;
    double seconds = 0;              // of all cores together, until they had caught up
    std::optional<Durations> rest{}; // none: more operations were slow than can be told apart
};

class TableExperiment {
  public:
    // Of one phase.
    struct Outcome {
        TimeSpan time;
        std::uint64_t operations = 0;
        std::uint64_t wrong = 0; // operations with another result than the expected one
        // Keys that are lost or left over: missing at the end, or there and should not be, or with a value that they
        // should not have.
        std::uint64_t lost = 0;
        std::uint64_t in_table = 0;
        std::uint64_t expected_in_table = 0;
        std::uint64_t read_in_place = 0;    // finds that did not travel
        std::uint64_t travelled = 0;        // times that an operation went on to the next region
        std::optional<double> idle_share{}; // of the time of all cores, in which they had no task; none: threads
        std::size_t table_bytes = 0;
        std::uint64_t peak_bytes =
            0; // the maximum of memory in use since its run began, less what was before there was a table
        LockChanges lock_changes;
        std::size_t touched_bytes = 0; // before the run, for what the table will ask for
        BytesByNode placed{};          // more memory in use than before there was a table
        std::uint64_t elsewhere = 0;   // bytes of it on other nodes than they were to be on
        // Where the options ask for them.
        Durations latency;           // of operations
        HostTime host;               // that they waited for, in an open load
        Durations tasks;             // run times, but for long ones that were interrupted
        Durations interrupted_tasks; // these
        std::uint64_t long_tasks = 0;
        OwnerChanges changes;

        [[nodiscard]] bool verified() const { return wrong == 0 && lost == 0 && in_table == expected_in_table; }
    };

    // The memory of the cores' slices and of the engine, each on its core's node. The i-th of `cores`, which are all
    // different, has slice i and region i. `run` must live on. Errors: no memory, fewer buckets than cores.
    static Result<TableExperiment> create(TableRun const& run, std::span<CoreId const> cores);

    // Begins a run: a new table and the instructions of the first phase. Errors: no memory, or interrupted by Ctrl-C.
    // The console's task; blocks it until done.
    Result<void> prepare(Progress& progress);

    // The run's next phase; they must come in their order, after prepare(). `rate`: operations that are due per second
    // (arrivals.hpp); 0: as fast as they go. `passes`: how often its instructions are run, where they may be; more than
    // one not from a shared queue. As prepare().
    Result<Outcome> run(Mix const& phase, Progress& progress, double rate = 0, std::uint32_t passes = 1);

    [[nodiscard]] std::size_t bucket_count() const { return engine_->bucket_count(); }

  private:
    TableExperiment(TableRun const& run, InstructionQueue queue, NodeVector<Owner> owners,
                    NodeVector<Owner> table_owners, EngineOwner engine)
        : run_(&run)
        , queue_(std::move(queue))
        , owners_(std::move(owners))
        , table_owners_(std::move(table_owners))
        , engine_(std::move(engine)) {}
    static BytesByNode used_bytes();
    [[nodiscard]] std::uint64_t peak_bytes() const;
    static std::uint64_t spilled_bytes();

    Result<Outcome> run_phase(std::string_view what, double rate, std::uint32_t passes, Progress& progress);
    [[nodiscard]] Consumers takers() const;
    [[nodiscard]] Arrivals arrivals(double rate) const;
    Result<HostPauses*> add_pauses(NodeId node);
    // While the operations flow, until have_ended(). Errors: no memory; the operations flow on.
    template <typename Ended>
    Result<void> change_owners(std::span<CoreRun* const> cores, Ended have_ended, OwnerChanges& changes);
    void measure(Outcome& outcome) const;
    Result<void> verify(Outcome& outcome, Progress& progress) const;

    TableRun const* run_;
    InstructionQueue queue_;
    NodeVector<Owner> owners_;       // by place
    NodeVector<Owner> table_owners_; // the same cores, with the nodes of the table's memory
    BytesByNode used_before_{};      // that there was a table
    std::uint64_t spilled_when_made_ = 0;
    std::uint64_t spilled_before_ = 0; // the run, which may make the table anew
    EngineOwner engine_;
    PerCore<Histogram> latencies_;  // by place, if they are measured
    PerCore<HostPauses> pauses_;    // the same, in an open load above a system
    PerCore<TaskTimes> task_times_; // by place, if they are measured
    std::uint64_t wrong_while_filling_ = 0;
};

} // namespace mxk::bench
