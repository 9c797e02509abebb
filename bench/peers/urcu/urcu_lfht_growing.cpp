// rculfhash that grows while keys are inserted: a thread of the library's adds buckets when the chains become long. It
// may run on any processor. Left on the one where the table is made, it would have to wait there for the core that
// inserts, while chains get ever longer: 8 M keys took two minutes.
#include <pthread.h>
#include <sched.h>

#include <cstddef>

#include "bench/peers/measured_table.hpp"
#include "bench/peers/peer.hpp"
#include "bench/peers/urcu/urcu_lfht_table.hpp"

namespace mxk::bench {
namespace {

// The calling thread, and the threads that it makes, may run on any processor until end().
class AnyProcessor {
  public:
    AnyProcessor() {
        pthread_getaffinity_np(pthread_self(), sizeof(before_), &before_);
        cpu_set_t all;
        CPU_ZERO(&all);
        for (std::size_t i = 0; i < CPU_SETSIZE; ++i) CPU_SET(i, &all);
        pthread_setaffinity_np(pthread_self(), sizeof(all), &all);
    }
    void end() { pthread_setaffinity_np(pthread_self(), sizeof(before_), &before_); }

  private:
    cpu_set_t before_;
};

class Growing : GrowthMemory, AnyProcessor, public urcu::RcuTable {
  public:
    Growing(std::size_t capacity, std::size_t cores)
        : GrowthMemory(capacity, cores)
        , RcuTable(capacity, cores, growing_start, CDS_LFHT_AUTO_RESIZE | CDS_LFHT_ACCOUNTING) {
        AnyProcessor::end();
    }
};

constexpr Peer urcu_lfht_growing{
    .name = "urcu-lfht-growing",
    .library = MXK_PEER_LIBRARY,
    .setup = "rculfhash, QSBR, grows from 1024 buckets by a thread of its own, nodes made before; hash: the key",
    .create = &create_table<Growing>};
MXK_REGISTER(mxk_peers, Peer, urcu_lfht_growing);

} // namespace
} // namespace mxk::bench
