// The engines of open addressing in blocks that become two when they are crowded, with tasks, batches and threads. With
// the thesis' hash: open_modulo.cpp. Those of the thesis' table: open_travel.cpp.
#include "bench/table/batch_engine.hpp"
#include "bench/table/locked_regions_access.hpp"
#include "bench/table/partitions_access.hpp"
#include "bench/table/task_engine.hpp"
#include "bench/table/thread_engine.hpp"
#include "hashtable/hash.hpp"
#include "hashtable/layout/open_slots.hpp"

namespace mxk::bench {
namespace {

using OpenPartitions = PartitionsAccess<Extendible<OpenSlots<>>>;

constexpr EngineKind open_tasks{
    .layout = Layout::Open, .growth = Growth::Either, .create = &EngineOwner::create<TaskEngine<OpenPartitions>>};
MXK_REGISTER(mxk_engines, EngineKind, open_tasks);

constexpr EngineKind open_batches{.layout = Layout::Open,
                                  .submit = Submit::Batch,
                                  .growth = Growth::Either,
                                  .create = &BatchEngine<OpenPartitions>::create};
MXK_REGISTER(mxk_engines, EngineKind, open_batches);

constexpr EngineKind open_threads{.model = Model::Threads,
                                  .layout = Layout::Open,
                                  .growth = Growth::Either,
                                  .create =
                                      &EngineOwner::create<ThreadEngine<LockedRegionsAccess<OpenSlots<>, MixedHash>>>};
MXK_REGISTER(mxk_engines, EngineKind, open_threads);

} // namespace
} // namespace mxk::bench
