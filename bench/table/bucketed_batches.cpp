// Buckets of one cache line, and operations that travel in batches.
#include "bench/table/batch_submit.hpp"
#include "bench/table/table_access.hpp"

namespace mxk::bench {
namespace {

constexpr EngineKind bucketed_batches{.layout = Layout::Bucketed,
                                      .submit = Submit::Batch,
                                      .hash = Hashing::Multiplicative,
                                      .create = &BatchEngine<BucketedAccess>::create};
MXK_REGISTER(mxk_engines, EngineKind, bucketed_batches);

} // namespace
} // namespace mxk::bench
