// A region's own work as a task in its owner's queue, a step in each turn, so that no task is long. Region: has
// has_work() and work(), which does one step.
#pragma once

#include "tasks/worker.hpp"

namespace mxk {

// One for each region; in one queue at a time. The owner's core.
template <typename Region> class RegionWork : public Task {
  public:
    // The region lives as long as this.
    explicit RegionWork(Region& region)
        : Task(&RegionWork::step)
        , region_(region) {}

    // If there is any, and it is not queued already.
    void begin(Worker& worker) {
        if (is_queued_ || !region_.has_work()) return;
        is_queued_ = true;
        worker.append(*this);
    }
    // Then nothing of it is in a queue.
    [[nodiscard]] bool is_queued() const { return is_queued_; }

  private:
    static void step(Worker& worker, Task& task) {
        auto& self = static_cast<RegionWork&>(task);
        if (self.region_.has_work()) self.region_.work(); // others may have done the last one
        self.is_queued_ = self.region_.has_work();
        if (self.is_queued_) worker.append(task);
    }

    Region& region_;
    bool is_queued_ = false;
};

} // namespace mxk
