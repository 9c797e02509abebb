// cuckoohash_map that grows while keys are inserted: it doubles, behind all its locks.
#include "bench/peers/cuckoo/cuckoo_table.hpp"
#include "bench/peers/measured_table.hpp"
#include "bench/peers/peer.hpp"

namespace mxk::bench {
namespace {

class Growing : GrowthMemory, public CuckooTable {
  public:
    Growing(std::size_t capacity, std::size_t cores)
        : GrowthMemory(capacity, cores)
        , CuckooTable(growing_start, cores) {}
};

constexpr Peer cuckoo_growing{.name = "cuckoo-growing",
                              .library = MXK_PEER_LIBRARY,
                              .setup = "cuckoohash_map, grows from 1024 slots while inserting; hash: the key",
                              .create = &create_table<Growing>};
MXK_REGISTER(mxk_peers, Peer, cuckoo_growing);

} // namespace
} // namespace mxk::bench
