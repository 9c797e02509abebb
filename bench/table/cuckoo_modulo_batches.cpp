// Cuckoo hashing in blocks that become two when they are crowded, a key's remainder as its place, and operations that
// travel in batches.
#include "bench/table/batch_submit.hpp"
#include "bench/table/partitions_access.hpp"
#include "hashtable/hash.hpp"
#include "hashtable/layout/cuckoo_slots.hpp"

namespace mxk::bench {
namespace {

using Access = PartitionsAccess<Extendible<CuckooSlots<>, ModuloHash>>;
constexpr EngineKind cuckoo_modulo_batches{.layout = Layout::Cuckoo,
                                           .submit = Submit::Batch,
                                           .hash = Hashing::Modulo,
                                           .growth = Growth::Either,
                                           .create = &BatchEngine<Access>::create};
MXK_REGISTER(mxk_engines, EngineKind, cuckoo_modulo_batches);

} // namespace
} // namespace mxk::bench
