// concurrent_hash_map with a bucket for every key from the beginning: it never grows.
#include "bench/peers/measured_table.hpp"
#include "bench/peers/tbb/tbb_hash_map_table.hpp"

namespace mxk::bench {
namespace {

class PreSized : public TbbHashMapTable<TbbArenaMemory> {
  public:
    PreSized(std::size_t capacity, std::size_t cores)
        : TbbHashMapTable(capacity, capacity, cores) {}
};

constexpr Peer tbb_hash_map{.name = "tbb-hash-map",
                            .library = MXK_PEER_LIBRARY,
                            .setup = "concurrent_hash_map, a bucket per key from the start; hash: the key",
                            .create = &create_table<PreSized>};
MXK_REGISTER(mxk_peers, Peer, tbb_hash_map);

} // namespace
} // namespace mxk::bench
