// A bare intrusive list of tasks that one thread appends to and takes from: first, last, nothing else. No safe point,
// no mailbox, no counter: the floor for a local queue.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "bench/peers/task_peer.hpp"
#include "bench/peers/task_threads.hpp"
#include "kernel/clock.hpp"

namespace mxk::bench {
namespace {

struct FifoTask;

class IntrusiveFifo {
  public:
    void append(FifoTask& task);
    // Null: empty.
    FifoTask* take();

  private:
    FifoTask* first_ = nullptr;
    FifoTask* last_ = nullptr; // meaningless while first_ is null
};

struct LocalRun {
    std::uint64_t operations;
    std::vector<FifoTask> batch;
    IntrusiveFifo queue{};
    std::uint64_t due = 0;
    std::uint64_t wrong = 0;
    Cycles start{};
    Cycles end{};

    void append_batch();
};

// As bench/task/task_local.cpp: the last task of a batch appends the next batch.
struct alignas(cache_line_bytes) FifoTask {
    FifoTask* next;
    void (*body)(FifoTask& self);
    LocalRun* run;
    std::uint64_t expected; // the number of its next run

    void check() {
        if (expected != run->due) ++run->wrong;
        ++run->due;
        expected += run->batch.size();
    }
    static void work(FifoTask& self) { self.check(); }
    static void lead(FifoTask& self) {
        LocalRun& run = *self.run;
        self.check();
        if (run.due == run.batch.size()) run.start = clock::timestamp(); // the first batch is not timed
        if (run.due < run.operations + run.batch.size()) return run.append_batch();
        run.end = clock::timestamp();
    }
};

void IntrusiveFifo::append(FifoTask& task) {
    task.next = nullptr;
    (first_ == nullptr ? first_ : last_->next) = &task;
    last_ = &task;
}

FifoTask* IntrusiveFifo::take() {
    return first_ == nullptr ? nullptr : std::exchange(first_, first_->next);
}

void LocalRun::append_batch() {
    for (FifoTask& task : batch) queue.append(task);
}

Result<Sample> run_local(Measure, CorePair cores, TaskOptions const& options) {
    std::uint64_t const depth = options.depth;
    std::uint64_t const batches = (options.operations + depth - 1) / depth;
    LocalRun run{.operations = batches * depth, .batch = {}};
    for (std::uint64_t i = 0; i < depth; ++i) run.batch.push_back({nullptr, &FifoTask::work, &run, i});
    run.batch.back().body = &FifoTask::lead;
    run_pinned(cores.first, [&] {
        run.append_batch();
        while (FifoTask* const task = run.queue.take()) task->body(*task);
    });
    return Sample{.value = static_cast<double>(raw(run.end - run.start)) / static_cast<double>(run.operations),
                  .operations = run.operations,
                  .verified = run.wrong == 0 && run.due == run.operations + depth};
}

constexpr TaskPeer intrusive_fifo{
    .name = "intrusive-fifo",
    .library = [] { return std::string("an intrusive list; gcc " __VERSION__); },
    .measures = {Measure::Local},
    .run = &run_local,
};
MXK_REGISTER(mxk_task_peers, TaskPeer, intrusive_fifo);

} // namespace
} // namespace mxk::bench
