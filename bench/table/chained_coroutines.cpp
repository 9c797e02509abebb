// The thesis' table and its two-phase task as a coroutine.
#include "bench/table/coroutine_engine.hpp"
#include "bench/table/table_access.hpp"

namespace mxk::bench {
namespace {

constexpr EngineKind chained_coroutines{.layout = Layout::Chained,
                                        .notation = Notation::Coroutine,
                                        .hash = Hashing::Modulo,
                                        .create = &EngineOwner::create<CoroutineEngine<ChainedAccess>>};
MXK_REGISTER(mxk_engines, EngineKind, chained_coroutines);

} // namespace
} // namespace mxk::bench
