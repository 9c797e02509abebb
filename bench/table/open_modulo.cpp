// The engines of open.cpp with the thesis' hash. Not in sanitized builds, where they would show nothing that those do
// not: they differ by the hash only, and take as long to compile.
#include "bench/table/batch_engine.hpp"
#include "bench/table/locked_regions_access.hpp"
#include "bench/table/partitions_access.hpp"
#include "bench/table/task_engine.hpp"
#include "bench/table/thread_engine.hpp"
#include "hashtable/hash.hpp"
#include "hashtable/layout/open_slots.hpp"

namespace mxk::bench {
namespace {

using OpenModuloPartitions = PartitionsAccess<Extendible<OpenSlots<>, ModuloHash>>;

constexpr EngineKind open_modulo_tasks{.layout = Layout::Open,
                                       .hash = Hashing::Modulo,
                                       .growth = Growth::Either,
                                       .create = &EngineOwner::create<TaskEngine<OpenModuloPartitions>>};
MXK_REGISTER(mxk_engines, EngineKind, open_modulo_tasks);

constexpr EngineKind open_modulo_batches{.layout = Layout::Open,
                                         .submit = Submit::Batch,
                                         .hash = Hashing::Modulo,
                                         .growth = Growth::Either,
                                         .create = &BatchEngine<OpenModuloPartitions>::create};
MXK_REGISTER(mxk_engines, EngineKind, open_modulo_batches);

constexpr EngineKind open_modulo_threads{
    .model = Model::Threads,
    .layout = Layout::Open,
    .hash = Hashing::Modulo,
    .growth = Growth::Either,
    .create = &EngineOwner::create<ThreadEngine<LockedRegionsAccess<OpenSlots<>, ModuloHash>>>};
MXK_REGISTER(mxk_engines, EngineKind, open_modulo_threads);

} // namespace
} // namespace mxk::bench
