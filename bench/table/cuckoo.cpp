// The engines of cuckoo hashing in blocks that become two when they are crowded: tasks and batches, each with two
// hashes.
#include "bench/table/batch_engine.hpp"
#include "bench/table/partitions_access.hpp"
#include "bench/table/task_engine.hpp"
#include "hashtable/hash.hpp"
#include "hashtable/layout/cuckoo_slots.hpp"

namespace mxk::bench {
namespace {

using Mixed = PartitionsAccess<Extendible<CuckooSlots<>>>;
using Modulo = PartitionsAccess<Extendible<CuckooSlots<>, ModuloHash>>;

constexpr EngineKind cuckoo_tasks{
    .layout = Layout::Cuckoo, .growth = Growth::Either, .create = &EngineOwner::create<TaskEngine<Mixed>>};
MXK_REGISTER(mxk_engines, EngineKind, cuckoo_tasks);

constexpr EngineKind cuckoo_modulo_tasks{.layout = Layout::Cuckoo,
                                         .hash = Hashing::Modulo,
                                         .growth = Growth::Either,
                                         .create = &EngineOwner::create<TaskEngine<Modulo>>};
MXK_REGISTER(mxk_engines, EngineKind, cuckoo_modulo_tasks);

constexpr EngineKind cuckoo_batches{
    .layout = Layout::Cuckoo, .submit = Submit::Batch, .growth = Growth::Either, .create = &BatchEngine<Mixed>::create};
MXK_REGISTER(mxk_engines, EngineKind, cuckoo_batches);

constexpr EngineKind cuckoo_modulo_batches{.layout = Layout::Cuckoo,
                                           .submit = Submit::Batch,
                                           .hash = Hashing::Modulo,
                                           .growth = Growth::Either,
                                           .create = &BatchEngine<Modulo>::create};
MXK_REGISTER(mxk_engines, EngineKind, cuckoo_modulo_batches);

} // namespace
} // namespace mxk::bench
