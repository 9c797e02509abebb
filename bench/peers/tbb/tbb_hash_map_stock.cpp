// concurrent_hash_map with a bucket for every key from the beginning, and TBB's own allocator: as people use it.
#include "bench/peers/measured_table.hpp"
#include "bench/peers/tbb/tbb_hash_map_table.hpp"

namespace mxk::bench {
namespace {

class Stock : public TbbHashMapTable<TbbStockMemory> {
  public:
    Stock(std::size_t capacity, std::size_t cores)
        : TbbHashMapTable(capacity, capacity, cores) {}
};

constexpr Peer tbb_hash_map_stock{
    .name = "tbb-hash-map-stock",
    .library = MXK_PEER_LIBRARY,
    .setup = "concurrent_hash_map, a bucket per key from the start; memory: its default, tbb_allocator; hash: the key",
    .create = &create_table<Stock>};
MXK_REGISTER(mxk_peers, Peer, tbb_hash_map_stock);

} // namespace
} // namespace mxk::bench
