// Buckets of one cache line in blocks that become two when they are crowded, and operations that travel in batches.
#include "bench/table/batch_submit.hpp"
#include "bench/table/partitions_access.hpp"
#include "hashtable/layout/pair_buckets.hpp"

namespace mxk::bench {
namespace {

using Access = PartitionsAccess<Extendible<PairBuckets>>;
constexpr EngineKind growing_bucketed_batches{.layout = Layout::Bucketed,
                                              .submit = Submit::Batch,
                                              .growth = Growth::Always,
                                              .create = &BatchEngine<Access>::create};
MXK_REGISTER(mxk_engines, EngineKind, growing_bucketed_batches);

} // namespace
} // namespace mxk::bench
