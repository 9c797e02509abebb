// ck_ht that grows while keys are inserted: a shard doubles behind its lock.
#include <algorithm>

#include "bench/peers/ck/ck_ht_table.hpp"
#include "bench/peers/measured_table.hpp"
#include "bench/peers/peer.hpp"

namespace mxk::bench {
namespace {

class Growing : GrowthMemory, public ck::CkTable {
  public:
    Growing(std::size_t capacity, std::size_t cores)
        : Growing(Shards(cores), capacity, cores) {}

  private:
    static constexpr std::size_t least_slots = 16;

    Growing(Shards const& shards, std::size_t capacity, std::size_t cores)
        : GrowthMemory(capacity, cores)
        , CkTable(shards, std::max(growing_start / shards.count(), least_slots), cores) {}
};

constexpr Peer ck_ht_growing{
    .name = "ck-ht-growing",
    .library = MXK_PEER_LIBRARY,
    .setup = "ck_ht, 64 shards per core with a spin lock for writers, grows from 1024 slots; hash: the key",
    .create = &create_table<Growing>};
MXK_REGISTER(mxk_peers, Peer, ck_ht_growing);

} // namespace
} // namespace mxk::bench
