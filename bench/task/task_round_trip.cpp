// One task alone between two cores. A core that has nothing to do polls for a while before it sleeps, so that the task
// finds both awake as long as its way takes less than that. Where it does not (an emulator whose host is busy),
// somebody had to ring: such a trip is a wake-up, is left out, and is counted as that.
#include "bench/task/task_experiment.hpp"
#include "kernel/memory/node_array.hpp"
#include "tasks/owner_counter.hpp"
#include "tasks/workers.hpp"

namespace mxk::bench {
namespace {

struct Trip {
    Cycles elapsed;
    // How often the cores had woken others before this trip's hop there, and before its hop back: a trip rang if the
    // next one sees more.
    std::uint64_t first_rings;
    std::uint64_t second_rings;
};

// Written before and after the run, and `done` and the array by the first core.
struct TripRun {
    Ending ending;
    CorePair cores;
    std::span<Trip> trips;
    OwnerCounter done;
};

class TripTask : public Task {
  public:
    explicit TripTask(TripRun& run)
        : Task(&TripTask::leave)
        , run_(run) {}

    [[nodiscard]] bool verified() const {
        return wrong_ == 0 && runs_there_ == run_.trips.size() && run_.done.value() == run_.trips.size();
    }

  private:
    // On the first core.
    static void leave(Worker& worker, Task& task) {
        auto& self = static_cast<TripTask&>(task);
        task.body = &TripTask::turn_back;
        self.first_rings_ = worker.statistics().wakes.value();
        self.start_ = clock::timestamp();
        worker.append(task, self.run_.cores.second);
    }
    static void turn_back(Worker& worker, Task& task) {
        auto& self = static_cast<TripTask&>(task);
        if (worker.core() != self.run_.cores.second) ++self.wrong_;
        ++self.runs_there_;
        self.second_rings_ = worker.statistics().wakes.value();
        task.body = &TripTask::arrive;
        worker.append(task, self.run_.cores.first);
    }
    static void arrive(Worker& worker, Task& task) {
        Cycles const now = clock::timestamp();
        auto& self = static_cast<TripTask&>(task);
        TripRun& run = self.run_;
        if (worker.core() != run.cores.first) ++self.wrong_;
        run.trips[run.done.value()] = {now - self.start_, self.first_rings_, self.second_rings_};
        run.done.add(1);
        if (run.done.value() < run.trips.size() && !run.ending.wanted()) return leave(worker, task);
        run.ending.send(worker);
    }

    TripRun& run_;
    Cycles start_{};
    std::uint64_t first_rings_ = 0;
    std::uint64_t second_rings_ = 0;
    std::uint32_t runs_there_ = 0;
    std::uint32_t wrong_ = 0;
};

std::size_t trips_done(void const* run) {
    return static_cast<TripRun const*>(run)->done.value();
}

// The elapsed cycles of all trips but the first one, which is not measured since the core may have slept long before,
// and the last one, of which no next one tells whether it rang. Returns how many rang.
std::size_t take_latencies(std::span<Trip const> trips, std::span<double> latencies) {
    std::size_t rang = 0;
    for (std::size_t i = 1; i + 1 < trips.size(); ++i) {
        latencies[i - 1] = static_cast<double>(raw(trips[i].elapsed));
        if (trips[i + 1].first_rings != trips[i].first_rings || trips[i + 1].second_rings != trips[i].second_rings)
            ++rang;
    }
    return rang;
}

} // namespace

Result<Sample> run_round_trip(CorePair cores, TaskOptions const& options, Progress& progress) {
    Worker& here = Worker::current();
    std::size_t const made = std::size_t{options.trips} + 2;
    auto const room = MXK_TRY(NodeArray<Trip>::create(made, workers::of(cores.first).node()));
    auto const latencies_room = MXK_TRY(NodeArray<double>::create(options.trips, here.node()));
    auto const trips = room.span().first(made);
    auto const latencies = latencies_room.span().first(options.trips);

    TripRun run{Ending(here.core()), cores, trips, {}};
    TripTask task(run);
    progress.phase("round trip", made, &trips_done, &run);
    here.append(task, cores.first);
    MXK_TRY(run.ending.await(progress));
    std::size_t const woken = take_latencies(trips, latencies);
    return Sample{.value = percentile(latencies, 50),
                  .p99 = percentile(latencies, 99),
                  .operations = options.trips,
                  .woken = woken,
                  .verified = task.verified()};
}

} // namespace mxk::bench
