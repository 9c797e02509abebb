// Open addressing in blocks that become two when they are crowded, and operations that travel in batches.
#include "bench/table/batch_submit.hpp"
#include "bench/table/partitions_access.hpp"
#include "hashtable/layout/open_slots.hpp"

namespace mxk::bench {
namespace {

using Access = PartitionsAccess<Extendible<OpenSlots<>>>;
constexpr EngineKind open_batches{
    .layout = Layout::Open, .submit = Submit::Batch, .growth = Growth::Either, .create = &BatchEngine<Access>::create};
MXK_REGISTER(mxk_engines, EngineKind, open_batches);

} // namespace
} // namespace mxk::bench
