// The engines of tables that any core works on in place: tasks, groups of operations, and threads.
#include "bench/table/shared_access.hpp"
#include "bench/table/shared_batch_engine.hpp"
#include "bench/table/task_engine.hpp"
#include "bench/table/thread_engine.hpp"

namespace mxk::bench {
namespace {

constexpr TableLayout layout{.name = "concurrent",
                             .bytes_per_bucket = sizeof(concurrent::AtomicLink),
                             .default_buckets = 1,
                             .bytes_per_key = sizeof(concurrent::Pair),
                             .rank = 4};

using InTasks = ConcurrentAccess<NoSection>;
using InThreads = ConcurrentAccess<rcu::ReadSection>;

constexpr EngineKind concurrent_tasks{.model = Model::Shared,
                                      .layout = layout,
                                      .growth = Growth::Either,
                                      .create = &EngineOwner::create<TaskEngine<InTasks>>};
MXK_REGISTER(mxk_engines, EngineKind, concurrent_tasks);

constexpr EngineKind concurrent_batches{.model = Model::Shared,
                                        .layout = layout,
                                        .submit = Submit::Batch,
                                        .growth = Growth::Either,
                                        .create = &EngineOwner::create<SharedBatchEngine<InTasks>>};
MXK_REGISTER(mxk_engines, EngineKind, concurrent_batches);

constexpr EngineKind concurrent_threads{.model = Model::Threads,
                                        .layout = layout,
                                        .growth = Growth::Either,
                                        .create = &EngineOwner::create<ThreadEngine<InThreads>>};
MXK_REGISTER(mxk_engines, EngineKind, concurrent_threads);

} // namespace
} // namespace mxk::bench
