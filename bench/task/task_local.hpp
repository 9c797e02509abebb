// Empty tasks from the local queue. They come in batches: the last task of a batch, which counts as one of them,
// appends the next batch, itself at the end. So each task is appended, taken and called once, behind those before it.
#pragma once

#include "bench/frame/experiment.hpp"
#include "bench/task/own_tasks.hpp"
#include "bench/task/task_options.hpp"
#include "kernel/memory/node_vector.hpp"
#include "tasks/owner_counter.hpp"

namespace mxk::bench {

template <typename Layer> class EmptyTask;

template <typename Layer> struct LocalRun {
    typename Layer::Ending ending;
    std::uint64_t operations; // to measure: whole batches
    std::span<EmptyTask<Layer>> batch{};
    std::uint64_t due = 0; // the number of the task run that comes next
    std::uint64_t wrong = 0;
    Cycles start{};
    Cycles end{};
    OwnerCounter shown{};
};

// Empty but for the check: task i of a batch of n expects to be run number i, i + n, i + 2n, ...
template <typename Layer> class EmptyTask : public Layer::Task {
    using Worker = typename Layer::Worker;
    using Task = typename Layer::Task;

  public:
    EmptyTask(LocalRun<Layer>& run, std::uint64_t place, std::uint64_t stride)
        : Task(&EmptyTask::work)
        , run_(run)
        , expected_(place)
        , stride_(stride) {}

    void lead() { this->body = &EmptyTask::lead_first_batch; }

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
        LocalRun<Layer>& run = self.run_;
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

    LocalRun<Layer>& run_;
    std::uint64_t expected_;
    std::uint64_t stride_;
};

// Appends `depth` tasks to the core's own queue, which runs them, again and again. Cycles per task. Errors: no memory,
// and those of Layer::run(). The console's task; blocks it until the run is over.
template <typename Layer> Result<Sample> run_local(Layer& layer, TaskOptions const& options) {
    static_assert(sizeof(EmptyTask<Layer>) == cache_line_bytes, "an empty task is one line");
    std::uint64_t const depth = options.depth;
    std::uint64_t const batches = (options.operations + depth - 1) / depth;
    auto tasks = MXK_TRY(NodeVector<EmptyTask<Layer>>::create(depth, layer.node()));
    LocalRun<Layer> run{.ending = layer.ending(), .operations = batches * depth};
    for (std::uint64_t i = 0; i < depth; ++i) tasks.emplace(run, i, depth);
    run.batch = tasks.span();

    EmptyTask<Layer>& leader = run.batch.back();
    leader.lead();
    MXK_TRY(layer.run(leader, run.ending, {"local", run.operations, &counted, &run.shown}));
    return Sample{.value = static_cast<double>(raw(run.end - run.start)) / static_cast<double>(run.operations),
                  .operations = run.operations,
                  .verified = run.wrong == 0 && run.due == run.operations + depth && layer.held()};
}

} // namespace mxk::bench
