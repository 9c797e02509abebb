// rculfhash with a bucket for every key from the beginning: it never grows.
#include <bit>

#include "bench/peers/measured_table.hpp"
#include "bench/peers/urcu/urcu_lfht_table.hpp"

namespace mxk::bench {
namespace {

class PreSized : public urcu::RcuTable {
  public:
    PreSized(std::size_t capacity, std::size_t cores)
        : RcuTable(capacity, cores, std::bit_ceil(capacity), 0) {}
};

constexpr Peer urcu_lfht{.name = "urcu-lfht",
                         .library = MXK_PEER_LIBRARY,
                         .setup = "rculfhash, QSBR, a bucket per key from the start, nodes made before; hash: the key",
                         .create = &create_table<PreSized>};
MXK_REGISTER(mxk_peers, Peer, urcu_lfht);

} // namespace
} // namespace mxk::bench
