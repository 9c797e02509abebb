// The engines of chained tables: the thesis' table with tasks, coroutines, interleaved walks and threads, and one that
// grows.
#include <cstddef>

#include "bench/table/core_run.hpp"
#include "bench/table/coroutine_engine.hpp"
#include "bench/table/partitions_access.hpp"
#include "bench/table/table_access.hpp"
#include "bench/table/task_engine.hpp"
#include "bench/table/thread_engine.hpp"
#include "bench/table/two_phase.hpp"
#include "bench/workload/instructions.hpp"
#include "hashtable/layout/chain_heads.hpp"
#include "hashtable/shared/shared_chains.hpp"
#include "hashtable/table/walk_task.hpp"

namespace mxk::bench {
namespace {

// The two-phase task (two_phase.hpp) with an interleaved operation phase: on the owner, the operation is a walk
// (hashtable/table/walk_task.hpp) that looks at one node of its chain at a time, so that the misses of all tasks of
// that core overlap. At home it does what the plain one does.

// What fits behind a task's home.
struct ExpectingTask : Task {
    using Task::Task;
    bool expected = false; // the operation's result
};

// One cache line. Access: as for TwoPhaseTask; its table a Chained, and `Extra` the node for an insert.
template <typename Access>
class TwoPhaseWalkTask : public WalkTask<TwoPhaseWalkTask<Access>, typename Access::Table, ExpectingTask> {
  public:
    using Table = typename Access::Table;

    TwoPhaseWalkTask(TwoPhaseRun<Access> const& run, CoreId home_core)
        : TwoPhaseWalkTask::WalkTask(&initial, home_core)
        , run_(run) {}

    // WalkTask's.
    Table& table(Worker& worker) { return run_.access.region(worker.place()); }
    template <Operation operation> void ended(Worker& worker, typename Table::Node const* node) {
        static_assert(!overwrites(operation), "its nodes are keys only");
        bool const result = operation == Operation::Insert ? node == nullptr : node != nullptr;
        if (result != this->expected) [[unlikely]]
            run_.cores.run(worker.place()).count_wrong();
        this->body = &initial;
        worker.append(*this, this->home);
    }

  private:
    static void initial(Worker& worker, Task& task) {
        auto& self = static_cast<TwoPhaseWalkTask&>(task);
        std::size_t const here = worker.place();
        NextInstruction<Access> const next = take_next(self.run_, here);
        if (next.instruction == nullptr) [[unlikely]]
            return self.run_.cores.run(here).task_ended();
        self.expected = next.instruction->expected;
        self.seek(next.instruction->key, next.extra); // only an insert uses it
        Annotation const bucket = announce(worker, self.run_, next);
        dispatch(next.instruction->operation, [&, owner_core = self.run_.cores.core(next.owner)](auto operation) {
            if constexpr (!overwrites(operation)) self.template go<operation>(worker, owner_core, bucket);
        });
    }

    TwoPhaseRun<Access> const& run_;
};

// The thesis' table as threads use it: its buckets lie on the nodes of the run's cores as in the task model, and every
// thread works on all of them. Locking: SemaphoreLock, one for each bucket, or NoLock.
template <typename Locking, typename Nodes = InstructionNodes>
class SharedChainsAccess : public ChainsAccess<SharedChains<RegionModulo, Locking>, Nodes> {
    using Base = ChainsAccess<SharedChains<RegionModulo, Locking>, Nodes>;

  public:
    // Errors: no memory, fewer buckets than cores.
    static Result<SharedChainsAccess> create(EngineSetup const& setup) {
        std::size_t const buckets = MXK_TRY(Base::buckets_for(setup));
        return SharedChainsAccess(setup, buckets, MXK_TRY(Nodes::create(setup)));
    }
    Result<void> reset() { return this->make_table(kind_); }

  private:
    SharedChainsAccess(EngineSetup const& setup, std::size_t buckets, Nodes nodes)
        : Base(setup, buckets, std::move(nodes))
        , kind_(setup.run.semaphores) {}

    SemaphoreKind kind_;
};

constexpr EngineKind chained_tasks{
    .layout = chained_layout, .hash = Hashing::Modulo, .create = &EngineOwner::create<TaskEngine<ChainedAccess>>};
MXK_REGISTER(mxk_engines, EngineKind, chained_tasks);

constexpr EngineKind chained_walks{
    .layout = chained_layout,
    .walk = Walk::Interleaved,
    .hash = Hashing::Modulo,
    .create = &EngineOwner::create<TaskEngine<ChainedAccess, TwoPhaseWalkTask<ChainedAccess>>>};
MXK_REGISTER(mxk_engines, EngineKind, chained_walks);

constexpr EngineKind chained_coroutines{.layout = chained_layout,
                                        .notation = Notation::Coroutine,
                                        .hash = Hashing::Modulo,
                                        .create = &EngineOwner::create<CoroutineEngine<ChainedAccess>>};
MXK_REGISTER(mxk_engines, EngineKind, chained_coroutines);

constexpr EngineKind chained_threads{.model = Model::Threads,
                                     .layout = chained_layout,
                                     .hash = Hashing::Modulo,
                                     .create = &EngineOwner::create<ThreadEngine<SharedChainsAccess<SemaphoreLock>>>};
MXK_REGISTER(mxk_engines, EngineKind, chained_threads);

constexpr EngineKind placed_chained_tasks{.layout = chained_layout,
                                          .place = Place::Owner,
                                          .hash = Hashing::Modulo,
                                          .create = &EngineOwner::create<TaskEngine<ChainedAccessWith<OwnersNodes>>>};
MXK_REGISTER(mxk_engines, EngineKind, placed_chained_tasks);

constexpr EngineKind placed_chained_threads{
    .model = Model::Threads,
    .layout = chained_layout,
    .place = Place::Owner,
    .hash = Hashing::Modulo,
    .create = &EngineOwner::create<ThreadEngine<SharedChainsAccess<SemaphoreLock, OwnersNodes>>>};
MXK_REGISTER(mxk_engines, EngineKind, placed_chained_threads);

constexpr EngineKind chained_unsafe_threads{.model = Model::ThreadsUnsafe,
                                            .layout = chained_layout,
                                            .hash = Hashing::Modulo,
                                            .create = &EngineOwner::create<ThreadEngine<SharedChainsAccess<NoLock>>>};
MXK_REGISTER(mxk_engines, EngineKind, chained_unsafe_threads);

using GrowingChains = NodePartitionsAccess<Extendible<ChainHeads<>>>;
constexpr EngineKind growing_chained_tasks{
    .layout = chained_layout, .growth = Growth::Always, .create = &EngineOwner::create<TaskEngine<GrowingChains>>};
MXK_REGISTER(mxk_engines, EngineKind, growing_chained_tasks);

} // namespace

} // namespace mxk::bench
