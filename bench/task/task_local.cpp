// Empty tasks from the local queue. They come in batches: the last task of a batch, which counts as one of them,
// appends the next batch, itself at the end. So each task is appended, taken and called once, behind those before it.
#include "bench/task/task_experiment.hpp"
#include "kernel/memory/node_vector.hpp"
#include "tasks/owner_counter.hpp"
#include "tasks/workers.hpp"

namespace mxk::bench {
namespace {

class EmptyTask;

struct LocalRun {
    Ending ending;
    std::uint64_t operations; // to measure: whole batches
    std::span<EmptyTask> batch{};
    std::uint64_t due = 0; // the number of the task run that comes next
    std::uint64_t wrong = 0;
    Cycles start{};
    Cycles end{};
    OwnerCounter shown{};
};

// Empty but for the check: task i of a batch of n expects to be run number i, i + n, i + 2n, ...
class EmptyTask : public Task {
  public:
    EmptyTask(LocalRun& run, std::uint64_t place, std::uint64_t stride)
        : Task(&EmptyTask::work)
        , run_(run)
        , expected_(place)
        , stride_(stride) {}

    void lead() { body = &EmptyTask::lead_first_batch; }

  private:
    static void work(Worker&, Task& task) { static_cast<EmptyTask&>(task).check(); }

    // The first batch is not timed: it brings the tasks into the cache.
    static void lead_first_batch(Worker& worker, Task& task) {
        auto& self = static_cast<EmptyTask&>(task);
        task.body = &EmptyTask::start;
        self.append_batch(worker);
    }
    static void start(Worker& worker, Task& task) {
        auto& self = static_cast<EmptyTask&>(task);
        self.check();
        task.body = &EmptyTask::lead_batch;
        self.run_.start = clock::timestamp();
        self.append_batch(worker);
    }
    static void lead_batch(Worker& worker, Task& task) {
        auto& self = static_cast<EmptyTask&>(task);
        LocalRun& run = self.run_;
        self.check();
        run.shown.add(self.stride_);
        if (run.due < run.operations + self.stride_ && !run.ending.wanted()) return self.append_batch(worker);
        run.end = clock::timestamp();
        run.ending.send(worker);
    }

    void check() {
        if (expected_ != run_.due) ++run_.wrong;
        ++run_.due;
        expected_ += stride_;
    }
    void append_batch(Worker& worker) {
        for (EmptyTask& task : run_.batch) worker.append(task);
    }

    LocalRun& run_;
    std::uint64_t expected_;
    std::uint64_t stride_;
};
static_assert(sizeof(EmptyTask) == cache_line_bytes);

std::size_t tasks_done(void const* run) {
    return static_cast<LocalRun const*>(run)->shown.value();
}

} // namespace

Result<Sample> run_local(CorePair cores, TaskOptions const& options, Progress& progress) {
    Worker& here = Worker::current();
    std::uint64_t const depth = options.depth;
    std::uint64_t const batches = (options.operations + depth - 1) / depth;
    auto tasks = MXK_TRY(NodeVector<EmptyTask>::create(depth, workers::of(cores.first).node()));
    LocalRun run{.ending = Ending(here.core()), .operations = batches * depth};
    for (std::uint64_t i = 0; i < depth; ++i) tasks.emplace(run, i, depth);
    run.batch = tasks.span();

    progress.phase("local", run.operations, &tasks_done, &run);
    EmptyTask& leader = run.batch.back();
    leader.lead();
    here.append(leader, cores.first);
    MXK_TRY(run.ending.await(progress));
    return Sample{.value = static_cast<double>(raw(run.end - run.start)) / static_cast<double>(run.operations),
                  .operations = run.operations,
                  .verified = run.wrong == 0 && run.due == run.operations + depth};
}

} // namespace mxk::bench
