// Buckets of one cache line, and a two-phase task for each operation.
#include "bench/table/table_access.hpp"
#include "bench/table/task_engine.hpp"

namespace mxk::bench {
namespace {

constexpr EngineKind bucketed_tasks{.layout = Layout::Bucketed,
                                    .hash = Hashing::Multiplicative,
                                    .create = &EngineOwner::create<TaskEngine<BucketedAccess>>};
MXK_REGISTER(mxk_engines, EngineKind, bucketed_tasks);

} // namespace
} // namespace mxk::bench
