// One task alone between two cores. A core that has nothing to do polls for a while before it sleeps, so that the task
// finds both awake as long as its way takes less than that. Where it takes longer (an emulator whose host is busy), a
// core had to be woken: such a trip is counted as that, too.
#pragma once

#include "bench/frame/experiment.hpp"
#include "bench/task/own_tasks.hpp"
#include "bench/task/task_options.hpp"
#include "kernel/memory/node_array.hpp"
#include "tasks/owner_counter.hpp"

namespace mxk::bench {

struct Trip {
    Cycles elapsed;
    // How often the cores had woken others before this trip's hop there, and before its hop back: a trip has woken one
    // if the next trip sees more.
    std::uint64_t first_rings;
    std::uint64_t second_rings;
};

// While the task travels, nobody writes what both cores read; what the first core counts is on another line.
template <typename Layer> struct TripRun {
    typename Layer::Ending ending;
    typename Layer::Place first;
    typename Layer::Place second;
    std::span<Trip> trips;
    alignas(cache_line_bytes) OwnerCounter done{};
    std::size_t kept = 0; // of the trips done: all but those that one thread ran at both ends
};

template <typename Layer> class TripTask : public Layer::Task {
    using Worker = typename Layer::Worker;
    using Task = typename Layer::Task;

  public:
    explicit TripTask(TripRun<Layer>& run)
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
        if constexpr (Layer::counts_rings) self.first_rings_ = Layer::rings(worker);
        self.start_ = clock::timestamp();
        worker.append(task, self.run_.second);
    }
    static void turn_back(Worker& worker, Task& task) {
        auto& self = static_cast<TripTask&>(task);
        if (!Layer::runs_at(worker, self.run_.second)) ++self.wrong_;
        ++self.runs_there_;
        if constexpr (Layer::counts_rings) self.second_rings_ = Layer::rings(worker);
        if constexpr (!Layer::fixed_threads) self.turned_back_by_ = Layer::thread_here();
        task.body = &TripTask::arrive;
        worker.append(task, self.run_.first);
    }
    static void arrive(Worker& worker, Task& task) {
        Cycles const now = clock::timestamp();
        auto& self = static_cast<TripTask&>(task);
        TripRun<Layer>& run = self.run_;
        if (!Layer::runs_at(worker, run.first)) ++self.wrong_;
        if (self.was_between_two_threads())
            run.trips[run.kept++] = {now - self.start_, self.first_rings_, self.second_rings_};
        run.done.add(1);
        if (run.done.value() < run.trips.size() && !run.ending.wanted()) return leave(worker, task);
        run.ending.send(worker);
    }

    [[nodiscard]] bool was_between_two_threads() const {
        if constexpr (Layer::fixed_threads)
            return true;
        else
            return turned_back_by_ != Layer::thread_here();
    }

    TripRun<Layer>& run_;
    Cycles start_{};
    std::uint64_t first_rings_ = 0;
    std::uint64_t second_rings_ = 0;
    std::uint64_t turned_back_by_ = 0; // a thread; where they are not fixed
    std::uint32_t runs_there_ = 0;
    std::uint32_t wrong_ = 0;
};

// The elapsed cycles of all trips but the first one, which is not measured since the core may have slept long before,
// and the last one, of which no next one tells whether it woke a core. Returns how many woke one.
inline std::size_t take_latencies(std::span<Trip const> trips, std::span<double> latencies) {
    std::size_t woke = 0;
    for (std::size_t i = 1; i + 1 < trips.size(); ++i) {
        latencies[i - 1] = static_cast<double>(raw(trips[i].elapsed));
        if (trips[i + 1].first_rings != trips[i].first_rings || trips[i + 1].second_rings != trips[i].second_rings)
            ++woke;
    }
    return woke;
}

// One task travels there and back while both cores are awake. Cycles per round trip. Errors: no memory, those of
// Layer::run(), and that no trip was one between two threads. The console's task; blocks it until the run is over.
template <typename Layer> Result<Sample> run_round_trip(Layer& layer, TaskOptions const& options) {
    std::size_t const made = std::size_t{options.trips} + 2;
    auto const room = MXK_TRY(NodeArray<Trip>::create(made, layer.node()));
    auto const latencies_room = MXK_TRY(NodeArray<double>::create(options.trips, layer.node()));

    TripRun<Layer> run{layer.ending(), layer.first(), layer.second(), room.span().first(made)};
    TripTask<Layer> task(run);
    MXK_TRY(layer.run(task, run.ending, {"round trip", made, &counted, &run.done}));
    if (run.kept < 3) return Error::of("{} of {} round trips were between two threads", run.kept, made);
    auto const latencies = latencies_room.span().first(run.kept - 2);
    std::size_t const woke = take_latencies(run.trips.first(run.kept), latencies);
    Sample sample{.value = percentile(latencies, 50),
                  .p99 = percentile(latencies, 99),
                  .operations = latencies.size(),
                  .left_out = made - run.kept,
                  .verified = task.verified() && layer.held()};
    if constexpr (Layer::counts_rings) sample.woken = woke;
    return sample;
}

} // namespace mxk::bench
