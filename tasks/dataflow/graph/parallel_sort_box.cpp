#include "tasks/dataflow/graph/parallel_sort_box.hpp"

#include <algorithm>
#include <utility>

#include "tasks/dataflow/graph/envelope_size.hpp"

namespace mxk::dataflow {

ParallelSortBox::SortTask::SortTask(Box& box, CoreScheduler& here, std::size_t number, SortedKeys its_run)
    : BoxTask(box, here, number, &SortTask::sort)
    , run(std::move(its_run)) {}

Result<void> ParallelSortBox::SortTask::sort(CoreScheduler& /*here*/, BoxTask& task) {
    SortedKeys& run = static_cast<SortTask&>(task).run;
    auto* const keys = run.keys.writable<std::uint64_t>();
    std::sort(keys, keys + run.rows);
    return {};
}

ParallelSortBox::MergeTask::MergeTask(Box& box, CoreScheduler& here, std::size_t number, Piece const& its_piece)
    : BoxTask(box, here, number, &MergeTask::merge)
    , piece(its_piece) {}

Result<void> ParallelSortBox::MergeTask::merge(CoreScheduler& /*here*/, BoxTask& task) {
    Piece const& piece = static_cast<MergeTask&>(task).piece;
    merge_piece(piece.left, piece.right, piece.from, piece.to, piece.out);
    return {};
}

ParallelSortBox::ParallelSortBox(Query& query, CoreId home_core, std::uint32_t rows, std::uint32_t run_rows)
    : SortingBox(query, home_core, rows)
    , run_rows_(rows_or_recommended(run_rows, sizeof(std::uint64_t))) {}

Result<Step> ParallelSortBox::receive(CoreScheduler& here, std::size_t /*input*/, EnvelopePointer envelope) {
    for (std::size_t row = 0; row < envelope->selected;) {
        if (!filling_.keys) {
            filling_ = {.keys = Column::create_for<std::uint64_t>(run_rows_)};
            if (!filling_.keys) return no_memory_for_envelopes();
        }
        std::size_t const count = std::min<std::size_t>(envelope->selected - row, run_rows_ - filling_.rows);
        copy_keys(*envelope, row, count, filling_.keys.writable<std::uint64_t>() + filling_.rows);
        row += count;
        filling_.rows += count;
        if (filling_.rows == run_rows_) MXK_TRY(start_run(here));
    }
    return Step::More;
}

Result<void> ParallelSortBox::start_run(CoreScheduler& here) {
    rows_ += filling_.rows;
    SortTask* const task = sorts_.add(*this, here, std::exchange(filling_, {}));
    if (task == nullptr) return no_memory_for_envelopes();
    start(here, *task);
    return {};
}

// Called first when all rows have come, and then whenever the tasks have ended that it started.
Result<Step> ParallelSortBox::sort_all(CoreScheduler& here, SortedKeys& result) {
    if (filling_.rows != 0) MXK_TRY(start_run(here));
    if (has_tasks()) return Step::AfterTasks;
    if (rows_ == 0) return Step::Done;
    if (!runs_) MXK_TRY(list_runs());
    if (run_count_ > 1) {
        MXK_TRY(start_level(here));
        return Step::AfterTasks;
    }
    if (level_ == 0) // one run, which no level has merged
        sorts_.for_each([&](SortTask& task) { result = std::move(task.run); });
    else
        result = {.keys = std::move(levels_[level_ % 2]), .rows = rows_};
    return Step::Done;
}

Result<void> ParallelSortBox::list_runs() {
    runs_ = Column::create_for<KeyRun>(sorts_.size());
    if (!runs_) return no_memory_for_envelopes();
    sorts_.for_each([&](SortTask const& task) {
        runs_.writable<KeyRun>()[run_count_++] = {.keys = task.run.keys.values<std::uint64_t>(), .rows = task.run.rows};
    });
    return {};
}

// A run without another one is copied, as one that is merged with none: so all of a level is in one column.
Result<void> ParallelSortBox::start_level(CoreScheduler& here) {
    merges_.remove_ended();
    if (level_ == 1) sorts_.for_each([](SortTask& task) { task.run = {}; });
    ++level_;
    Column& made = levels_[level_ % 2];
    if (!made) made = Column::create_for<std::uint64_t>(rows_);
    if (!made) return no_memory_for_envelopes();
    auto* out = made.writable<std::uint64_t>();
    std::size_t const pairs = (run_count_ + 1) / 2;
    for (std::size_t pair = 0; pair < pairs; ++pair) {
        MXK_TRY(start_merge(here, pair, out));
        out += runs_.values<KeyRun>()[pair].rows;
    }
    run_count_ = pairs;
    return {};
}

Result<void> ParallelSortBox::start_merge(CoreScheduler& here, std::size_t pair, std::uint64_t* out) {
    auto* const runs = runs_.writable<KeyRun>();
    KeyRun const left = runs[2 * pair];
    KeyRun const right = 2 * pair + 1 < run_count_ ? runs[2 * pair + 1] : KeyRun{};
    std::size_t const rows = left.rows + right.rows;
    for (std::size_t from = 0; from < rows; from += run_rows_) {
        std::size_t const to = std::min<std::size_t>(from + run_rows_, rows);
        MergeTask* const task =
            merges_.add(*this, here, Piece{.left = left, .right = right, .from = from, .to = to, .out = out + from});
        if (task == nullptr) return no_memory_for_envelopes();
        start(here, *task);
    }
    runs[pair] = {.keys = out, .rows = rows};
    return {};
}

} // namespace mxk::dataflow
