// Cuckoo hashing in blocks that become two when they are crowded, a key's remainder as its place, and a task for each
// operation.
#include "bench/table/partitions_access.hpp"
#include "bench/table/task_engine.hpp"
#include "hashtable/hash.hpp"
#include "hashtable/layout/cuckoo_slots.hpp"

namespace mxk::bench {
namespace {

using Access = PartitionsAccess<Extendible<CuckooSlots<>, ModuloHash>>;
constexpr EngineKind cuckoo_modulo_tasks{.layout = Layout::Cuckoo,
                                         .submit = Submit::Task,
                                         .hash = Hashing::Modulo,
                                         .growth = Growth::Either,
                                         .create = &EngineOwner::create<TaskEngine<Access>>};
MXK_REGISTER(mxk_engines, EngineKind, cuckoo_modulo_tasks);

} // namespace
} // namespace mxk::bench
