// A box that sorts by tasks of its own (Falt 2010, sections 9.1 and 9.2.3): a tree of splitting, sorting and merging,
// all of whose levels are worked at by several cores.
//
//     rows ->  run | run | run | run | run        a task sorts each run as soon as it is full, while more rows come
//              merged    | merged    | run        a level: pairs of runs, each of which is merged by several tasks,
//              merged                | run        of which each makes a piece of the result; where a piece begins in
//              merged                             both runs it finds itself (merge_path.hpp)
//
// It takes what SortBox takes and gives the same (sort_box.hpp). Memory: what has come twice, on the node of the cores
// that run the request. It is poisoned as any box: its tasks end, their memory goes back with the box's.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "tasks/dataflow/graph/box_task.hpp"
#include "tasks/dataflow/graph/merge_path.hpp"
#include "tasks/dataflow/graph/sort_box.hpp"

namespace mxk::dataflow {

class ParallelSortBox final : public SortingBox {
  public:
    // `rows`: of an envelope that it gives. `run_rows`: that one task sorts, and about as many as one merges. 0: the
    // recommended number.
    ParallelSortBox(Query& query, CoreId home_core, std::uint32_t rows, std::uint32_t run_rows);

  private:
    // Sorts a run, which is its own.
    struct SortTask : BoxTask {
        SortTask(Box& box, CoreScheduler& here, std::size_t number, SortedKeys its_run);
        static Result<void> sort(CoreScheduler& here, BoxTask& task);
        SortedKeys run;
    };
    // Rows [from, to) of two runs merged, to `out` and on.
    struct Piece {
        KeyRun left;
        KeyRun right;
        std::size_t from;
        std::size_t to;
        std::uint64_t* out;
    };
    struct MergeTask : BoxTask {
        MergeTask(Box& box, CoreScheduler& here, std::size_t number, Piece const& its_piece);
        static Result<void> merge(CoreScheduler& here, BoxTask& task);
        Piece piece;
    };

    Result<Step> receive(CoreScheduler& here, std::size_t input, EnvelopePointer envelope) override;
    Result<Step> sort_all(CoreScheduler& here, SortedKeys& result) override;
    Result<void> start_run(CoreScheduler& here);
    Result<void> list_runs();
    Result<void> start_level(CoreScheduler& here);
    Result<void> start_merge(CoreScheduler& here, std::size_t pair, std::uint64_t* out);

    std::uint32_t run_rows_;
    std::size_t rows_ = 0; // in runs whose sorting has been started
    SortedKeys filling_;
    BoxTasks<SortTask> sorts_;
    // Levels: runs side by side, those of the level before in one of two columns, the next one's in the other.
    Column runs_; // of KeyRun
    std::size_t run_count_ = 0;
    std::array<Column, 2> levels_;
    std::size_t level_ = 0;
    BoxTasks<MergeTask> merges_;
};

} // namespace mxk::dataflow
