// A task on every core that now and then takes its time, between any two others: so that what cores do in turns comes
// at ever other moments, and narrow windows between two tasks become wide.
#pragma once

#include <atomic>
#include <cstddef>

#include "base/panic.hpp"
#include "kernel/memory/node_vector.hpp"
#include "tasks/worker.hpp"
#include "tasks/workers.hpp"
#include "tests/delays.hpp"

namespace mxk {

// While it lives. By the console's task, which waits for the last of them in the end.
class Noise {
  public:
    explicit Noise(std::size_t turns)
        : turns_(turns)
        , tasks_(NodeVector<NoisyTask>::create(workers::count(), Worker::current().node())) {
        expect(tasks_.ok(), "a test needs some bytes of memory");
        Worker& here = Worker::current();
        for (std::size_t i = 0; i < workers::count(); ++i)
            here.append(tasks_.value().emplace(*this, here.core()), core_id(i));
    }
    Noise(Noise const&) = delete;
    Noise& operator=(Noise const&) = delete;
    ~Noise() {
        // relaxed: they only have to see it at some time
        stopped_.store(true, std::memory_order_relaxed);
        Worker::current().run_until([this] { return ended_ == tasks_.value().size(); });
    }

  private:
    struct alignas(cache_line_bytes) NoisyTask : Task {
        NoisyTask(Noise& its_noise, CoreId console)
            : Task(&NoisyTask::go_on, console)
            , noise(its_noise) {}
        static void go_on(Worker& worker, Task& task) {
            auto& self = static_cast<NoisyTask&>(task);
            RandomDelay::point();
            if (self.turn++ < self.noise.turns_ && !self.noise.stopped_.load(std::memory_order_relaxed))
                return worker.append(task);
            task.body = [](Worker&, Task& at_home) { ++static_cast<NoisyTask&>(at_home).noise.ended_; };
            worker.append(task, task.home);
        }
        Noise& noise;
        std::size_t turn = 0;
    };

    std::size_t turns_;
    std::atomic<bool> stopped_{false};
    std::size_t ended_ = 0; // the console's core counts
    Result<NodeVector<NoisyTask>> tasks_;
};

} // namespace mxk
