// The engines of tables whose buckets are cache lines: of a fixed size with tasks, coroutines and batches, and one that
// grows.
#include "bench/table/batch_engine.hpp"
#include "bench/table/coroutine_engine.hpp"
#include "bench/table/partitions_access.hpp"
#include "bench/table/table_access.hpp"
#include "bench/table/task_engine.hpp"
#include "hashtable/table/linear_buckets.hpp"

namespace mxk::bench {
namespace {

constexpr EngineKind bucketed_tasks{.layout = bucketed_layout,
                                    .hash = Hashing::Multiplicative,
                                    .create = &EngineOwner::create<TaskEngine<BucketedAccess>>};
MXK_REGISTER(mxk_engines, EngineKind, bucketed_tasks);

constexpr EngineKind bucketed_coroutines{.layout = bucketed_layout,
                                         .notation = Notation::Coroutine,
                                         .hash = Hashing::Multiplicative,
                                         .create = &EngineOwner::create<CoroutineEngine<BucketedAccess>>};
MXK_REGISTER(mxk_engines, EngineKind, bucketed_coroutines);

constexpr EngineKind bucketed_batches{.layout = bucketed_layout,
                                      .submit = Submit::Batch,
                                      .hash = Hashing::Multiplicative,
                                      .create = &create_batch_engine<BucketedAccess>};
MXK_REGISTER(mxk_engines, EngineKind, bucketed_batches);

constexpr EngineKind bucketed_reads{.layout = bucketed_layout,
                                    .submit = Submit::Batch,
                                    .reads = Reads::InPlace,
                                    .hash = Hashing::Multiplicative,
                                    .create = &create_batch_engine<BucketedAccess, true>};
MXK_REGISTER(mxk_engines, EngineKind, bucketed_reads);

constexpr EngineKind bucketed_reads_by_share{.layout = bucketed_layout,
                                             .submit = Submit::Batch,
                                             .reads = Reads::Auto,
                                             .hash = Hashing::Multiplicative,
                                             .create = &create_batch_engine<BucketedAccess, true>};
MXK_REGISTER(mxk_engines, EngineKind, bucketed_reads_by_share);

using GrowingBuckets = PartitionsAccess<LinearBuckets<>>;

constexpr EngineKind growing_bucketed_tasks{
    .layout = bucketed_layout, .growth = Growth::Always, .create = &EngineOwner::create<TaskEngine<GrowingBuckets>>};
MXK_REGISTER(mxk_engines, EngineKind, growing_bucketed_tasks);

constexpr EngineKind growing_bucketed_batches{.layout = bucketed_layout,
                                              .submit = Submit::Batch,
                                              .growth = Growth::Always,
                                              .create = &create_batch_engine<GrowingBuckets>};
MXK_REGISTER(mxk_engines, EngineKind, growing_bucketed_batches);

constexpr EngineKind growing_bucketed_reads{.layout = bucketed_layout,
                                            .submit = Submit::Batch,
                                            .reads = Reads::InPlace,
                                            .growth = Growth::Always,
                                            .create = &create_batch_engine<GrowingBuckets, true>};
MXK_REGISTER(mxk_engines, EngineKind, growing_bucketed_reads);

constexpr EngineKind growing_bucketed_reads_by_share{.layout = bucketed_layout,
                                                     .submit = Submit::Batch,
                                                     .reads = Reads::Auto,
                                                     .growth = Growth::Always,
                                                     .create = &create_batch_engine<GrowingBuckets, true>};
MXK_REGISTER(mxk_engines, EngineKind, growing_bucketed_reads_by_share);

} // namespace
} // namespace mxk::bench
