// Cuckoo hashing in blocks that become two when they are crowded, a key's remainder as its place, and a task for each
// operation.
#include "bench/partitions_access.hpp"
#include "bench/task_engine.hpp"
#include "hashtable/cuckoo_slots.hpp"
#include "hashtable/hash.hpp"

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
