// rculfhash that grows while keys are inserted: a thread of the library's adds buckets when the chains become long. It
// runs where the table was made, on the first core, and so takes its time from those that are measured.
#include "bench/peers/measured_table.hpp"
#include "bench/peers/peer.hpp"
#include "bench/peers/urcu/urcu_lfht_table.hpp"

namespace mxk::bench {
namespace {

class Growing : GrowthMemory, public urcu::RcuTable {
  public:
    Growing(std::size_t capacity, std::size_t cores)
        : GrowthMemory(capacity, cores)
        , RcuTable(capacity, cores, growing_start, CDS_LFHT_AUTO_RESIZE | CDS_LFHT_ACCOUNTING) {}
};

constexpr Peer urcu_lfht_growing{
    .name = "urcu-lfht-growing",
    .library = MXK_PEER_LIBRARY,
    .setup = "rculfhash, QSBR, grows from 1024 buckets while inserting, nodes made before; hash: the key",
    .create = &create_table<Growing>};
MXK_REGISTER(mxk_peers, Peer, urcu_lfht_growing);

} // namespace
} // namespace mxk::bench
