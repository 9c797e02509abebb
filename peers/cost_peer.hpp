// Others' ways to do what a benchmark of costs measures of ours (bench/frame/cost_experiment.hpp), measured in the same
// way: tasks, threads and semaphores. A peer is a constant that registers itself where it is defined:
//
//     constexpr TaskPeer deque_pool{.name = "deque-pool", ...};
//     MXK_REGISTER(mxk_task_peers, TaskPeer, deque_pool);
#pragma once

#include <string>
#include <string_view>

#include "base/registry.hpp"
#include "bench/frame/core_choice.hpp"
#include "bench/frame/experiment.hpp"
#include "bench/frame/names.hpp"
#include "bench/task/task_options.hpp"
#include "bench/thread/thread_options.hpp"
#include "peers/peer.hpp"

namespace mxk::bench {

template <typename ItsMeasure, typename ItsCosts> struct CostPeer {
    using Measure = ItsMeasure;
    using Costs = ItsCosts; // the options of a run

    std::string_view name;
    std::string (*library)() = nullptr; // with its version
    std::string_view missing{};         // why it was not built; empty: it was
    NameSet<Measure> measures{};        // that it can express
    bool two_threads = false;           // its measures of one core take a second one, too
    // One run, on threads of its own that stay on these cores' processors. Called by the console's core, whose thread
    // waits. May throw what the library throws.
    Result<Sample> (*run)(Measure measure, CorePair cores, Costs const& options) = nullptr;
};

using TaskPeer = CostPeer<Measure, TaskOptions>;
using ThreadPeer = CostPeer<ThreadMeasure, ThreadCosts>;
using SemaphorePeer = CostPeer<SemaphoreMeasure, SemaphoreCosts>;

MXK_REGISTRY(mxk_task_peers, TaskPeer, registered_task_peers)
MXK_REGISTRY(mxk_thread_peers, ThreadPeer, registered_thread_peers)
MXK_REGISTRY(mxk_semaphore_peers, SemaphorePeer, registered_semaphore_peers)

struct CostPeerRegistry {
    static constexpr std::string_view what = "peer";
    static constexpr std::string_view none_given = "all";
};
template <> struct KindRegistry<TaskPeer> : CostPeerRegistry {
    static constexpr auto all = &registered_task_peers;
    static constexpr std::string_view list = "help bench task-peer";
    static constexpr std::string_view name = "task-peer";
    static constexpr std::string_view failure = "tasks were lost, doubled or in the wrong place";
};
template <> struct KindRegistry<ThreadPeer> : CostPeerRegistry {
    static constexpr auto all = &registered_thread_peers;
    static constexpr std::string_view list = "help bench thread-peer";
    static constexpr std::string_view name = "thread-peer";
    static constexpr std::string_view failure = "threads did not take turns, or wake-ups were lost or doubled";
};
template <> struct KindRegistry<SemaphorePeer> : CostPeerRegistry {
    static constexpr auto all = &registered_semaphore_peers;
    static constexpr std::string_view list = "help bench semaphore-peer";
    static constexpr std::string_view name = "semaphore-peer";
    static constexpr std::string_view failure = "units were lost or doubled, or two threads were inside at once";
};

} // namespace mxk::bench
