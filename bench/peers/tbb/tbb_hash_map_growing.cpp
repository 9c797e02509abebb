// concurrent_hash_map that begins with its default size and grows while keys are inserted.
#include "bench/peers/measured_table.hpp"
#include "bench/peers/tbb/tbb_hash_map_table.hpp"

namespace mxk::bench {
namespace {

class Growing : GrowthMemory, public TbbHashMapTable<TbbArenaMemory> {
  public:
    Growing(std::size_t capacity, std::size_t cores)
        : GrowthMemory(capacity, cores)
        , TbbHashMapTable(1, capacity, cores) {}
};

constexpr Peer tbb_hash_map_growing{.name = "tbb-hash-map-growing",
                                    .library = MXK_PEER_LIBRARY,
                                    .setup = "concurrent_hash_map, grows while inserting; hash: the key",
                                    .create = &create_table<Growing>};
MXK_REGISTER(mxk_peers, Peer, tbb_hash_map_growing);

} // namespace
} // namespace mxk::bench
