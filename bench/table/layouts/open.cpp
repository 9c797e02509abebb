// The engines of open addressing in blocks that become two when they are crowded, with tasks, batches and threads.
// Those of the thesis' table: open_travel.cpp.
#include "bench/table/batch_engine.hpp"
#include "bench/table/locked_regions_access.hpp"
#include "bench/table/partitions_access.hpp"
#include "bench/table/task_engine.hpp"
#include "bench/table/thread_engine.hpp"
#include "hashtable/hash.hpp"
#include "hashtable/layout/open_slots.hpp"

namespace mxk::bench {
namespace {

// The default load is one half.
constexpr TableLayout layout{.name = "open", .bytes_per_bucket = 16, .default_buckets = 2, .rank = 2};

using OpenPartitions = PartitionsAccess<Extendible<OpenSlots<>>>;

constexpr EngineKind open_tasks{.layout = layout,
                                .has_modulo = true,
                                .growth = Growth::Either,
                                .create = &EngineOwner::create<TaskEngine<OpenPartitions>>};
MXK_REGISTER(mxk_engines, EngineKind, open_tasks);

constexpr EngineKind open_batches{.layout = layout,
                                  .submit = Submit::Batch,
                                  .has_modulo = true,
                                  .growth = Growth::Either,
                                  .create = &create_batch_engine<OpenPartitions>};
MXK_REGISTER(mxk_engines, EngineKind, open_batches);

constexpr EngineKind open_threads{.model = Model::Threads,
                                  .layout = layout,
                                  .has_modulo = true,
                                  .growth = Growth::Either,
                                  .create = &EngineOwner::create<ThreadEngine<LockedRegionsAccess<OpenSlots<>>>>};
MXK_REGISTER(mxk_engines, EngineKind, open_threads);

} // namespace
} // namespace mxk::bench
