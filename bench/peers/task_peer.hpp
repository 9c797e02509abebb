// Other libraries' tasks, measured as `bench task` measures ours. A peer is a constant that registers itself where it
// is defined:
//
//     constexpr bench::TaskPeer deque_peer{.name = "deque-pool", ...};
//     MXK_REGISTER(mxk_task_peers, bench::TaskPeer, deque_peer);
#pragma once

#include <string>
#include <string_view>

#include "base/registry.hpp"
#include "bench/task_options.hpp"
#include "bench/task_report.hpp"

namespace mxk::bench {

struct TaskPeer {
    std::string_view name;
    std::string (*library)() = nullptr; // with its version
    std::string_view missing{};         // why it was not built; empty: it was
    MeasureSet measures{};              // that it can express
    bool two_threads = false;           // its local measure takes the second core, too
    // One run, on threads of its own that stay on these cores' processors. Called by the console's core, whose thread
    // waits. May throw what the library throws.
    Result<TaskSample> (*run)(Measure measure, CorePair cores, TaskOptions const& options) = nullptr;
};

MXK_REGISTRY(mxk_task_peers, TaskPeer, registered_task_peers)

} // namespace mxk::bench
