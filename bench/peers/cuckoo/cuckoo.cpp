// cuckoohash_map with room for a quarter more than there are keys: a full cuckoo table moves keys for long, and then
// grows.
#include "bench/peers/cuckoo/cuckoo_table.hpp"
#include "bench/peers/measured_table.hpp"

namespace mxk::bench {
namespace {

class Reserved : public CuckooTable {
  public:
    Reserved(std::size_t capacity, std::size_t cores)
        : CuckooTable(capacity + capacity / 4, cores) {}
};

constexpr Peer cuckoo{.name = "cuckoo",
                      .library = MXK_PEER_LIBRARY,
                      .setup = "cuckoohash_map, reserved for 1.25 times the keys; hash: the key",
                      .create = &create_table<Reserved>};
MXK_REGISTER(mxk_peers, Peer, cuckoo);

} // namespace
} // namespace mxk::bench
