// The thesis' table and its two-phase task, with chains that are walked node by node while others run.
#include "bench/table/table_access.hpp"
#include "bench/table/task_engine.hpp"
#include "bench/table/two_phase_walk.hpp"

namespace mxk::bench {
namespace {

constexpr EngineKind chained_walks{
    .layout = Layout::Chained,
    .walk = Walk::Interleaved,
    .hash = Hashing::Modulo,
    .create = &EngineOwner::create<TaskEngine<ChainedAccess, TwoPhaseWalkTask<ChainedAccess>>>};
MXK_REGISTER(mxk_engines, EngineKind, chained_walks);

} // namespace
} // namespace mxk::bench
