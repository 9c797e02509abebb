// The engines of chained tables: the thesis' table with tasks, coroutines, interleaved walks and threads, and one that
// grows.
#include "bench/table/coroutine_engine.hpp"
#include "bench/table/partitions_access.hpp"
#include "bench/table/table_access.hpp"
#include "bench/table/task_engine.hpp"
#include "bench/table/thread_engine.hpp"
#include "bench/table/two_phase_walk.hpp"
#include "hashtable/layout/chain_heads.hpp"
#include "hashtable/shared/shared_chains.hpp"

namespace mxk::bench {
namespace {

// The thesis' table as threads use it: its buckets lie on the nodes of the run's cores as in the task model, and every
// thread works on all of them. Locking: SemaphoreLock, one for each bucket, or NoLock.
template <typename Locking> class SharedChainsAccess : public ChainsAccess<SharedChains<RegionModulo, Locking>> {
    using Base = ChainsAccess<SharedChains<RegionModulo, Locking>>;

  public:
    // Errors: no memory, fewer buckets than cores.
    static Result<SharedChainsAccess> create(EngineSetup const& setup) {
        std::size_t const buckets = MXK_TRY(Base::buckets_for(setup));
        return SharedChainsAccess(setup, buckets, MXK_TRY(InstructionNodes::create(setup)));
    }
    Result<void> reset() { return this->make_table(kind_); }

  private:
    SharedChainsAccess(EngineSetup const& setup, std::size_t buckets, InstructionNodes nodes)
        : Base(setup, buckets, std::move(nodes))
        , kind_(semaphore_kind(setup.options)) {}

    SemaphoreKind kind_;
};

constexpr EngineKind chained_tasks{
    .layout = Layout::Chained, .hash = Hashing::Modulo, .create = &EngineOwner::create<TaskEngine<ChainedAccess>>};
MXK_REGISTER(mxk_engines, EngineKind, chained_tasks);

constexpr EngineKind chained_walks{
    .layout = Layout::Chained,
    .walk = Walk::Interleaved,
    .hash = Hashing::Modulo,
    .create = &EngineOwner::create<TaskEngine<ChainedAccess, TwoPhaseWalkTask<ChainedAccess>>>};
MXK_REGISTER(mxk_engines, EngineKind, chained_walks);

constexpr EngineKind chained_coroutines{.layout = Layout::Chained,
                                        .notation = Notation::Coroutine,
                                        .hash = Hashing::Modulo,
                                        .create = &EngineOwner::create<CoroutineEngine<ChainedAccess>>};
MXK_REGISTER(mxk_engines, EngineKind, chained_coroutines);

constexpr EngineKind chained_threads{.model = Model::Threads,
                                     .layout = Layout::Chained,
                                     .hash = Hashing::Modulo,
                                     .create = &EngineOwner::create<ThreadEngine<SharedChainsAccess<SemaphoreLock>>>};
MXK_REGISTER(mxk_engines, EngineKind, chained_threads);

constexpr EngineKind chained_unsafe_threads{.model = Model::ThreadsUnsafe,
                                            .layout = Layout::Chained,
                                            .hash = Hashing::Modulo,
                                            .create = &EngineOwner::create<ThreadEngine<SharedChainsAccess<NoLock>>>};
MXK_REGISTER(mxk_engines, EngineKind, chained_unsafe_threads);

using Growing = NodePartitionsAccess<Extendible<ChainHeads<>>>;
constexpr EngineKind growing_chained_tasks{
    .layout = Layout::Chained, .growth = Growth::Always, .create = &EngineOwner::create<TaskEngine<Growing>>};
MXK_REGISTER(mxk_engines, EngineKind, growing_chained_tasks);

} // namespace
} // namespace mxk::bench
