// Open addressing in blocks that become two when they are crowded, a key's remainder as its place, and a task for each
// operation.
#include "bench/table/partitions_access.hpp"
#include "bench/table/task_engine.hpp"
#include "hashtable/hash.hpp"
#include "hashtable/layout/open_slots.hpp"

namespace mxk::bench {
namespace {

using Access = PartitionsAccess<Extendible<OpenSlots<>, ModuloHash>>;
constexpr EngineKind open_modulo_tasks{.layout = Layout::Open,
                                       .submit = Submit::Task,
                                       .hash = Hashing::Modulo,
                                       .growth = Growth::Either,
                                       .create = &EngineOwner::create<TaskEngine<Access>>};
MXK_REGISTER(mxk_engines, EngineKind, open_modulo_tasks);

} // namespace
} // namespace mxk::bench
