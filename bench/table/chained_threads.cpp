// The thesis' table in its thread model: a semaphore for each bucket, and the same without any.
#include "bench/table/shared_chains_access.hpp"
#include "bench/table/thread_engine.hpp"

namespace mxk::bench {
namespace {

template <typename Locking> using Threads = ThreadEngine<SharedChainsAccess<Locking>>;

constexpr EngineKind chained_threads{.model = Model::Threads,
                                     .layout = Layout::Chained,
                                     .hash = Hashing::Modulo,
                                     .create = &EngineOwner::create<Threads<SemaphoreLock>>};
MXK_REGISTER(mxk_engines, EngineKind, chained_threads);

constexpr EngineKind chained_unsafe_threads{.model = Model::ThreadsUnsafe,
                                            .layout = Layout::Chained,
                                            .hash = Hashing::Modulo,
                                            .create = &EngineOwner::create<Threads<NoLock>>};
MXK_REGISTER(mxk_engines, EngineKind, chained_unsafe_threads);

} // namespace
} // namespace mxk::bench
