// One configuration of `bench table`: a number of cores, each owner of one region and home of one slice of the
// instruction queue. A run makes the instructions, fills the table where the mix asks for it, measures, and verifies.
#pragma once

#include <cstdint>
#include <span>

#include "base/result.hpp"
#include "bench/instructions.hpp"
#include "bench/progress.hpp"
#include "bench/table_options.hpp"
#include "bench/two_phase.hpp"
#include "hashtable/chained.hpp"
#include "hashtable/modulo.hpp"
#include "hashtable/partitioned.hpp"
#include "kernel/memory/node_vector.hpp"

namespace mxk::bench {

class TableExperiment {
  public:
    using Table = Chained<RegionModulo>;

    struct Outcome {
        Cycles span{};             // from the first core's start to the last one's end
        std::uint64_t wrong = 0;   // operations with another result than the expected one
        std::uint64_t strayed = 0; // keys that are missing at the end, or there and should not be
        std::uint64_t in_table = 0;
        std::uint64_t expected_in_table = 0;

        [[nodiscard]] bool verified() const { return wrong == 0 && strayed == 0 && in_table == expected_in_table; }
    };

    // The memory of `cores` cores' slices and tasks, each on its core's node; there must be so many. `options` must
    // live on. Errors: no memory, fewer buckets than cores.
    static Result<TableExperiment> create(TableOptions const& options, std::uint32_t cores);

    // Errors: no memory, or interrupted by Ctrl-C. The console's task; blocks it until done.
    Result<Outcome> run(Progress& progress);

    [[nodiscard]] std::size_t bucket_count() const { return buckets_; }

  private:
    // One core's things.
    struct Part {
        Slice slice;
        NodeArray<CoreRun> run;               // room for one
        NodeArray<TwoPhaseTask<Table>> tasks; // room
        Random random;
    };

    TableExperiment(TableOptions const& options, std::size_t buckets)
        : options_(&options)
        , buckets_(buckets) {}

    Result<void> fill_slices(Progress& progress);
    Result<void> turn_slices(Operation operation, Progress& progress);
    Result<Outcome> work_off(Partitioned<Table>& table, std::string_view what, Progress& progress);
    Result<void> verify(Partitioned<Table> const& table, Outcome& outcome, Progress& progress) const;

    // step(part, from, to) over every slice, on its core, a piece per task.
    template <typename Function> Result<void> over_slices(std::string_view what, Progress& progress, Function step);

    TableOptions const* options_;
    std::size_t buckets_;
    NodeVector<CoreId> cores_;
    NodeVector<Owner> owners_;
    NodeVector<Part> parts_;
};

} // namespace mxk::bench
