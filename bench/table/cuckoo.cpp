// The engines of cuckoo hashing in blocks that become two when they are crowded: tasks and batches. With the thesis'
// hash: cuckoo_modulo.cpp.
#include "bench/table/batch_engine.hpp"
#include "bench/table/partitions_access.hpp"
#include "bench/table/task_engine.hpp"
#include "hashtable/layout/cuckoo_slots.hpp"

namespace mxk::bench {
namespace {

using CuckooPartitions = PartitionsAccess<Extendible<CuckooSlots<>>>;

constexpr EngineKind cuckoo_tasks{
    .layout = Layout::Cuckoo, .growth = Growth::Either, .create = &EngineOwner::create<TaskEngine<CuckooPartitions>>};
MXK_REGISTER(mxk_engines, EngineKind, cuckoo_tasks);

constexpr EngineKind cuckoo_batches{.layout = Layout::Cuckoo,
                                    .submit = Submit::Batch,
                                    .growth = Growth::Either,
                                    .create = &BatchEngine<CuckooPartitions>::create};
MXK_REGISTER(mxk_engines, EngineKind, cuckoo_batches);

} // namespace
} // namespace mxk::bench
