// Other libraries' tasks, measured as `bench task` measures ours. A peer is a constant that registers itself where it
// is defined:
//
//     constexpr bench::TaskPeer deque_peer{.name = "deque-pool", ...};
//     MXK_REGISTER(mxk_task_peers, bench::TaskPeer, deque_peer);
#pragma once

#include "base/registry.hpp"
#include "bench/peers/cost_peer.hpp"
#include "bench/task/task_options.hpp"

namespace mxk::bench {

using TaskPeer = CostPeer<Measure, TaskOptions>;

MXK_REGISTRY(mxk_task_peers, TaskPeer, registered_task_peers)

} // namespace mxk::bench
