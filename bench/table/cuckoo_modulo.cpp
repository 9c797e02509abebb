// The engines of cuckoo.cpp with the thesis' hash. Not in sanitized builds, as open_modulo.cpp.
#include "bench/table/batch_engine.hpp"
#include "bench/table/partitions_access.hpp"
#include "bench/table/task_engine.hpp"
#include "hashtable/hash.hpp"
#include "hashtable/layout/cuckoo_slots.hpp"

namespace mxk::bench {
namespace {

using CuckooModuloPartitions = PartitionsAccess<Extendible<CuckooSlots<>, ModuloHash>>;

constexpr EngineKind cuckoo_modulo_tasks{.layout = Layout::Cuckoo,
                                         .hash = Hashing::Modulo,
                                         .growth = Growth::Either,
                                         .create = &EngineOwner::create<TaskEngine<CuckooModuloPartitions>>};
MXK_REGISTER(mxk_engines, EngineKind, cuckoo_modulo_tasks);

constexpr EngineKind cuckoo_modulo_batches{.layout = Layout::Cuckoo,
                                           .submit = Submit::Batch,
                                           .hash = Hashing::Modulo,
                                           .growth = Growth::Either,
                                           .create = &BatchEngine<CuckooModuloPartitions>::create};
MXK_REGISTER(mxk_engines, EngineKind, cuckoo_modulo_batches);

} // namespace
} // namespace mxk::bench
