// The engines of the shared table of lines: tasks, groups of operations, and threads.
#include "bench/table/concurrent_lines_access.hpp"
#include "bench/table/shared_batch_engine.hpp"
#include "bench/table/task_engine.hpp"
#include "bench/table/thread_engine.hpp"

namespace mxk::bench {
namespace {

// And few lines behind.
constexpr TableLayout layout{.name = "concurrent-lines",
                             .bytes_per_bucket = double{sizeof(ConcurrentLine)} / ConcurrentLine::places,
                             .default_buckets = 2,
                             .rank = 5};

using LinesInTasks = ConcurrentLinesAccess<NoSection>;
using LinesInThreads = ConcurrentLinesAccess<rcu::ReadSection>;

constexpr EngineKind lines_tasks{.model = Model::Shared,
                                 .layout = layout,
                                 .growth = Growth::Either,
                                 .create = &EngineOwner::create<TaskEngine<LinesInTasks>>};
MXK_REGISTER(mxk_engines, EngineKind, lines_tasks);

constexpr EngineKind lines_batches{.model = Model::Shared,
                                   .layout = layout,
                                   .submit = Submit::Batch,
                                   .growth = Growth::Either,
                                   .create = &EngineOwner::create<SharedBatchEngine<LinesInTasks>>};
MXK_REGISTER(mxk_engines, EngineKind, lines_batches);

constexpr EngineKind lines_threads{.model = Model::Threads,
                                   .layout = layout,
                                   .growth = Growth::Either,
                                   .create = &EngineOwner::create<ThreadEngine<LinesInThreads>>};
MXK_REGISTER(mxk_engines, EngineKind, lines_threads);

} // namespace
} // namespace mxk::bench
