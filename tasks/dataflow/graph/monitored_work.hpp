// A turn of a box, or a task of its own, while this lives: its time, and what this core's heap gives meanwhile, are
// told the query's monitor, if it has one. Tasks are not preempted, so nothing else runs on the core.
#pragma once

#include <cstdint>

#include "base/format.hpp"
#include "kernel/clock.hpp"
#include "tasks/dataflow/graph/box.hpp"
#include "tasks/dataflow/graph/graph_memory.hpp"
#include "tasks/dataflow/graph/query_monitor.hpp"

namespace mxk::dataflow {

class MonitoredWork {
  public:
    MonitoredWork(Box& box, CoreScheduler& here)
        : box_(box)
        , here_(here)
        , monitor_(box.query().monitor()) {
        if (monitor_ == nullptr) return;
        bytes_ = graph_memory::taken_here();
        start_ = clock::timestamp();
    }
    MonitoredWork(MonitoredWork const&) = delete;
    MonitoredWork& operator=(MonitoredWork const&) = delete;
    ~MonitoredWork() {
        if (monitor_ == nullptr) return;
        Cycles const taken = clock::timestamp() - start_;
        if (monitor_->note(box_.number_, here_.core(), taken, graph_memory::taken_here() - bytes_)) return;
        box_.fail(Error::of("out of memory: the query has more than its limit of {} bytes", monitor_->memory_limit()));
    }

  private:
    Box& box_;
    CoreScheduler& here_;
    QueryMonitor* monitor_;
    std::int64_t bytes_ = 0;
    Cycles start_{};
};

} // namespace mxk::dataflow
