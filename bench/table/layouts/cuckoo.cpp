// The engines of cuckoo hashing in blocks that become two when they are crowded: tasks and batches.
#include "bench/table/batch_engine.hpp"
#include "bench/table/partitions_access.hpp"
#include "bench/table/task_engine.hpp"
#include "hashtable/layout/cuckoo_slots.hpp"

namespace mxk::bench {
namespace {

constexpr TableLayout layout{.name = "cuckoo", .bytes_per_bucket = 16, .default_buckets = 2, .rank = 3};

using CuckooPartitions = PartitionsAccess<Extendible<CuckooSlots<>>>;

constexpr EngineKind cuckoo_tasks{.layout = layout,
                                  .has_modulo = true,
                                  .growth = Growth::Either,
                                  .create = &EngineOwner::create<TaskEngine<CuckooPartitions>>};
MXK_REGISTER(mxk_engines, EngineKind, cuckoo_tasks);

constexpr EngineKind cuckoo_batches{.layout = layout,
                                    .submit = Submit::Batch,
                                    .has_modulo = true,
                                    .growth = Growth::Either,
                                    .create = &create_batch_engine<CuckooPartitions>};
MXK_REGISTER(mxk_engines, EngineKind, cuckoo_batches);

} // namespace
} // namespace mxk::bench
