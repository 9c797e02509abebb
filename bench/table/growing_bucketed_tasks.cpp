// Buckets of one cache line in blocks that become two when they are crowded, and a task for each operation.
#include "bench/table/partitions_access.hpp"
#include "bench/table/task_engine.hpp"
#include "hashtable/layout/pair_buckets.hpp"

namespace mxk::bench {
namespace {

using Access = PartitionsAccess<Extendible<PairBuckets>>;
constexpr EngineKind growing_bucketed_tasks{.layout = Layout::Bucketed,
                                            .submit = Submit::Task,
                                            .growth = Growth::Always,
                                            .create = &EngineOwner::create<TaskEngine<Access>>};
MXK_REGISTER(mxk_engines, EngineKind, growing_bucketed_tasks);

} // namespace
} // namespace mxk::bench
