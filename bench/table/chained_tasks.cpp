// The thesis' table and its two-phase task.
#include "bench/table/table_access.hpp"
#include "bench/table/task_engine.hpp"

namespace mxk::bench {
namespace {

constexpr EngineKind chained_tasks{
    .layout = Layout::Chained, .hash = Hashing::Modulo, .create = &EngineOwner::create<TaskEngine<ChainedAccess>>};
MXK_REGISTER(mxk_engines, EngineKind, chained_tasks);

} // namespace
} // namespace mxk::bench
