// Stands in for the peers whose library was not there when this was built, so that they are named.
#include "bench/peers/task_peer.hpp"

namespace mxk::bench {
namespace {

#ifdef MXK_NO_TBB // by peers.cmake
constexpr std::string_view no_tbb = "oneTBB was not found when this was built (Debian: libtbb-dev)";
constexpr TaskPeer tbb_task_group{.name = "tbb-task-group", .missing = no_tbb};
constexpr TaskPeer tbb_task_group_2{.name = "tbb-task-group-2", .missing = no_tbb};
constexpr TaskPeer tbb_task_arena{.name = "tbb-task-arena", .missing = no_tbb};
MXK_REGISTER(mxk_task_peers, TaskPeer, tbb_task_group);
MXK_REGISTER(mxk_task_peers, TaskPeer, tbb_task_group_2);
MXK_REGISTER(mxk_task_peers, TaskPeer, tbb_task_arena);
#endif

#ifdef MXK_NO_TASKFLOW
constexpr TaskPeer taskflow{.name = "taskflow",
                            .missing = "Taskflow was not found when this was built (Debian 13: libtaskflow-cpp-dev)"};
MXK_REGISTER(mxk_task_peers, TaskPeer, taskflow);
#endif

} // namespace
} // namespace mxk::bench
