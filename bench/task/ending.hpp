// How an experiment on some core and the console's task that waits for it speak to each other: the experiment sends
// this home when it has finished; the console's task says when it is to finish early (Ctrl-C).
#pragma once

#include <atomic>

#include "base/result.hpp"
#include "bench/frame/progress.hpp"
#include "tasks/owner_counter.hpp"
#include "tasks/worker.hpp"

namespace mxk::bench {

// How far an experiment is, as Progress::phase() asks for it: `counter` is an OwnerCounter.
inline std::size_t counted(void const* counter) {
    return static_cast<OwnerCounter const*>(counter)->value();
}

class Ending : public Task {
  public:
    explicit Ending(CoreId console_core)
        : Task(&Ending::arrive, console_core) {}

    // The experiment's last act: what it has written before is visible to the console's task then. A thread sends it
    // with send_task().
    void send(Worker& worker) { worker.append(*this, home); }
    // relaxed: nothing else is read because of it
    [[nodiscard]] bool wanted() const { return wanted_.load(std::memory_order_relaxed); }

    // The console's task, after it has started the experiment. Error: interrupted by Ctrl-C.
    Result<void> await(Progress& progress) {
        Progress::StopFlag const early(progress, wanted_);
        Worker::current().run_until([&] { return arrived_; });
        return progress.check();
    }

  private:
    static void arrive(Worker&, Task& task) { static_cast<Ending&>(task).arrived_ = true; }

    bool arrived_ = false; // the console's core only
    std::atomic<bool> wanted_{false};
};

} // namespace mxk::bench
