// Cuckoo hashing in blocks that become two when they are crowded, a key's remainder as its place, and operations that
// travel in batches.
#include "bench/batch_submit.hpp"
#include "bench/partitions_access.hpp"
#include "hashtable/cuckoo_slots.hpp"
#include "hashtable/hash.hpp"

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
