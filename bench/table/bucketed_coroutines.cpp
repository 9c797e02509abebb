// Buckets of one cache line, and a two-phase coroutine for each operation.
#include "bench/table/coroutine_engine.hpp"
#include "bench/table/table_access.hpp"

namespace mxk::bench {
namespace {

constexpr EngineKind bucketed_coroutines{.layout = Layout::Bucketed,
                                         .notation = Notation::Coroutine,
                                         .hash = Hashing::Multiplicative,
                                         .create = &EngineOwner::create<CoroutineEngine<BucketedAccess>>};
MXK_REGISTER(mxk_engines, EngineKind, bucketed_coroutines);

} // namespace
} // namespace mxk::bench
