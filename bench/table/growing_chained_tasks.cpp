// Chains whose buckets are in blocks that become two when they are crowded, and a task for each operation.
#include "bench/table/partitions_access.hpp"
#include "bench/table/task_engine.hpp"
#include "hashtable/layout/chain_heads.hpp"

namespace mxk::bench {
namespace {

using Access = NodePartitionsAccess<Extendible<ChainHeads<>>>;
constexpr EngineKind growing_chained_tasks{.layout = Layout::Chained,
                                           .submit = Submit::Task,
                                           .growth = Growth::Always,
                                           .create = &EngineOwner::create<TaskEngine<Access>>};
MXK_REGISTER(mxk_engines, EngineKind, growing_chained_tasks);

} // namespace
} // namespace mxk::bench
