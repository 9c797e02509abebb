// Open addressing in the thesis' thread model: a region for each core, with a semaphore, that grows by itself.
#include "bench/table/locked_regions_access.hpp"
#include "bench/table/thread_engine.hpp"
#include "hashtable/layout/open_slots.hpp"

namespace mxk::bench {
namespace {

template <typename Hash> using Threads = ThreadEngine<LockedRegionsAccess<OpenSlots<>, Hash>>;

constexpr EngineKind open_threads{.model = Model::Threads,
                                  .layout = Layout::Open,
                                  .growth = Growth::Either,
                                  .create = &EngineOwner::create<Threads<MixedHash>>};
MXK_REGISTER(mxk_engines, EngineKind, open_threads);

constexpr EngineKind open_modulo_threads{.model = Model::Threads,
                                         .layout = Layout::Open,
                                         .hash = Hashing::Modulo,
                                         .growth = Growth::Either,
                                         .create = &EngineOwner::create<Threads<ModuloHash>>};
MXK_REGISTER(mxk_engines, EngineKind, open_modulo_threads);

} // namespace
} // namespace mxk::bench
