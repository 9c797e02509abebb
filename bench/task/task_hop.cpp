// Tasks that travel between two cores, many at once. All of them go the same way, and queues are FIFO per sender: so at
// both ends they must come by in the order of their numbers, round after round.
#include "bench/task/task_experiment.hpp"
#include "kernel/memory/node_vector.hpp"
#include "tasks/owner_counter.hpp"
#include "tasks/workers.hpp"

namespace mxk::bench {
namespace {

// One end of the way; only its core writes it.
struct alignas(cache_line_bytes) HopEnd {
    CoreId core;
    std::uint32_t due = 0; // the number of the task that must come next
    std::uint64_t wrong = 0;
    OwnerCounter runs{};

    void check(Worker const& worker, std::uint32_t number, std::uint32_t depth) {
        if (number != due || worker.core() != core) ++wrong;
        due = due + 1 == depth ? 0 : due + 1;
        runs.add(1);
    }
};

class HopTask;

// While tasks travel, nobody writes it but the ends theirs.
struct HopRun : Task {
    HopRun(CorePair cores, CoreId console_core, std::uint32_t task_count)
        : Task(&HopRun::begin)
        , ending(console_core)
        , depth(task_count)
        , first{.core = cores.first}
        , second{.core = cores.second} {}

    // Runs on the first core: sends all off.
    static void begin(Worker& worker, Task& task);

    Ending ending;
    std::span<HopTask> tasks{};
    std::uint32_t depth;
    Cycles start{};
    HopEnd first;
    HopEnd second;
    std::uint32_t tasks_home = 0; // for ever; the first core's
    Cycles end{};
};

class HopTask : public Task {
  public:
    HopTask(HopRun& run, std::uint32_t number, std::uint32_t trips)
        : Task(&HopTask::arrive_there)
        , run_(run)
        , number_(number)
        , trips_left_(trips) {}

  private:
    static void arrive_there(Worker& worker, Task& task) {
        auto& self = static_cast<HopTask&>(task);
        self.run_.second.check(worker, self.number_, self.run_.depth);
        task.body = &HopTask::arrive_back;
        worker.append(task, self.run_.first.core);
    }
    static void arrive_back(Worker& worker, Task& task) {
        auto& self = static_cast<HopTask&>(task);
        HopRun& run = self.run_;
        run.first.check(worker, self.number_, run.depth);
        if (--self.trips_left_ > 0 && !run.ending.wanted()) {
            task.body = &HopTask::arrive_there;
            return worker.append(task, run.second.core);
        }
        if (++run.tasks_home < run.depth) return;
        run.end = clock::timestamp();
        run.ending.send(worker);
    }

    HopRun& run_;
    std::uint32_t number_;
    std::uint32_t trips_left_;
};
static_assert(sizeof(HopTask) == cache_line_bytes, "a hop moves one line");

void HopRun::begin(Worker& worker, Task& task) {
    auto& run = static_cast<HopRun&>(task);
    run.start = clock::timestamp();
    for (HopTask& traveller : run.tasks) worker.append(traveller, run.second.core);
}

std::size_t trips_done(void const* run) {
    return static_cast<HopRun const*>(run)->first.runs.value();
}

} // namespace

Result<Sample> run_hop(CorePair cores, TaskOptions const& options, Progress& progress) {
    Worker& here = Worker::current();
    std::uint64_t const hops_per_round = std::uint64_t{2} * options.depth;
    auto const trips = static_cast<std::uint32_t>((options.operations + hops_per_round - 1) / hops_per_round);
    auto tasks = MXK_TRY(NodeVector<HopTask>::create(options.depth, workers::of(cores.first).node()));
    HopRun run(cores, here.core(), options.depth);
    for (std::uint32_t i = 0; i < options.depth; ++i) tasks.emplace(run, i, trips);
    run.tasks = tasks.span();

    std::uint64_t const at_each_end = std::uint64_t{options.depth} * trips;
    progress.phase("hop", at_each_end, &trips_done, &run);
    here.append(run, cores.first);
    MXK_TRY(run.ending.await(progress));
    return Sample{.value = static_cast<double>(raw(run.end - run.start)) / static_cast<double>(at_each_end),
                  .operations = 2 * at_each_end,
                  .verified = run.first.wrong == 0 && run.second.wrong == 0 && run.first.runs.value() == at_each_end &&
                              run.second.runs.value() == at_each_end};
}

} // namespace mxk::bench
