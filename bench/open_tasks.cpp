// Open addressing in blocks that become two when they are crowded, and a task for each operation.
#include "bench/partitions_access.hpp"
#include "bench/task_engine.hpp"
#include "hashtable/open_slots.hpp"

namespace mxk::bench {
namespace {

using Access = PartitionsAccess<Extendible<OpenSlots<>>>;
constexpr EngineKind open_tasks{.layout = Layout::Open,
                                .submit = Submit::Task,
                                .growth = Growth::Either,
                                .create = &EngineOwner::create<TaskEngine<Access>>};
MXK_REGISTER(mxk_engines, EngineKind, open_tasks);

} // namespace
} // namespace mxk::bench
