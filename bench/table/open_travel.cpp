// The thesis' table with open addressing and its task, which travels on where a region ends.
#include "bench/table/open_travel_task.hpp"
#include "bench/table/task_engine.hpp"

namespace mxk::bench {
namespace {

constexpr EngineKind open_travel{.layout = Layout::Open,
                                 .probe = Probe::Travel,
                                 .hash = Hashing::Modulo,
                                 .create = &EngineOwner::create<TaskEngine<OpenTravelAccess, OpenTravelTask>>};
MXK_REGISTER(mxk_engines, EngineKind, open_travel);

} // namespace
} // namespace mxk::bench
