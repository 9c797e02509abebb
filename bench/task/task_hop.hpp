// Tasks that travel between two cores, many at once. All of them go the same way, and queues are FIFO per sender: so at
// both ends they must come by in the order of their numbers, round after round.
#pragma once

#include "bench/frame/experiment.hpp"
#include "bench/task/own_tasks.hpp"
#include "bench/task/task_options.hpp"
#include "kernel/memory/node_vector.hpp"
#include "tasks/owner_counter.hpp"

namespace mxk::bench {

// One end of the way; only its core writes it.
template <typename Layer> struct alignas(cache_line_bytes) HopEnd {
    typename Layer::Place place;
    std::uint32_t due = 0; // the number of the task that must come next
    std::uint64_t wrong = 0;
    OwnerCounter runs{};

    void check(typename Layer::Worker const& worker, std::uint32_t number, std::uint32_t depth) {
        bool const in_turn = !Layer::keeps_order || number == due;
        if (!in_turn || !Layer::runs_at(worker, place)) ++wrong;
        due = due + 1 == depth ? 0 : due + 1;
        runs.add(1);
    }
};

template <typename Layer> class HopTask;

// While tasks travel, each end writes its own, and nobody the rest.
template <typename Layer> struct HopRun : Layer::Task {
    using Worker = typename Layer::Worker;
    using Task = typename Layer::Task;

    HopRun(Layer const& layer, std::uint32_t task_count)
        : Task(&HopRun::begin)
        , ending(layer.ending())
        , depth(task_count)
        , first{.place = layer.first()}
        , second{.place = layer.second()} {}

    // Runs on the first core: sends all off.
    static void begin(Worker& worker, Task& task) {
        auto& run = static_cast<HopRun&>(task);
        run.start = clock::timestamp();
        for (HopTask<Layer>& traveller : run.tasks) worker.append(traveller, run.second.place);
    }

    typename Layer::Ending ending;
    std::span<HopTask<Layer>> tasks{};
    std::uint32_t depth;
    Cycles start{};
    HopEnd<Layer> first;
    HopEnd<Layer> second;
    std::uint32_t tasks_home = 0; // for good; the first core's
    Cycles end{};
};

template <typename Layer> class HopTask : public Layer::Task {
    using Worker = typename Layer::Worker;
    using Task = typename Layer::Task;

  public:
    HopTask(HopRun<Layer>& run, std::uint32_t number, std::uint32_t trips)
        : Task(&HopTask::arrive_there)
        , run_(run)
        , number_(number)
        , trips_left_(trips) {}

  private:
    static void arrive_there(Worker& worker, Task& task) {
        auto& self = static_cast<HopTask&>(task);
        self.run_.second.check(worker, self.number_, self.run_.depth);
        task.body = &HopTask::arrive_back;
        worker.append(task, self.run_.first.place);
    }
    static void arrive_back(Worker& worker, Task& task) {
        auto& self = static_cast<HopTask&>(task);
        HopRun<Layer>& run = self.run_;
        run.first.check(worker, self.number_, run.depth);
        if (--self.trips_left_ > 0 && !run.ending.wanted()) {
            task.body = &HopTask::arrive_there;
            return worker.append(task, run.second.place);
        }
        if (++run.tasks_home < run.depth) return;
        run.end = clock::timestamp();
        run.ending.send(worker);
    }

    HopRun<Layer>& run_;
    std::uint32_t number_;
    std::uint32_t trips_left_;
};

// `depth` tasks travel between the two cores, there and back, again and again. Cycles per task that a core takes in and
// sends on. Errors: no memory, and those of Layer::run(). The console's task; blocks it until the run is over.
template <typename Layer> Result<Sample> run_hop(Layer& layer, TaskOptions const& options) {
    static_assert(sizeof(HopTask<Layer>) == cache_line_bytes, "a hop moves one line");
    std::uint64_t const hops_per_round = std::uint64_t{2} * options.depth;
    auto const trips = static_cast<std::uint32_t>((options.operations + hops_per_round - 1) / hops_per_round);
    auto tasks = MXK_TRY(NodeVector<HopTask<Layer>>::create(options.depth, layer.node()));
    HopRun<Layer> run(layer, options.depth);
    for (std::uint32_t i = 0; i < options.depth; ++i) tasks.emplace(run, i, trips);
    run.tasks = tasks.span();

    std::uint64_t const at_each_end = std::uint64_t{options.depth} * trips;
    MXK_TRY(layer.run(run, run.ending, {"hop", at_each_end, &counted, &run.first.runs}));
    return Sample{.value = static_cast<double>(raw(run.end - run.start)) / static_cast<double>(at_each_end),
                  .operations = 2 * at_each_end,
                  .verified = run.first.wrong == 0 && run.second.wrong == 0 && run.first.runs.value() == at_each_end &&
                              run.second.runs.value() == at_each_end && layer.held()};
}

} // namespace mxk::bench
