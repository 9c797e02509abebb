// ck_ht with slots for all keys from the beginning: it never grows.
#include <bit>

#include "bench/peers/ck/ck_ht_table.hpp"
#include "bench/peers/measured_table.hpp"

namespace mxk::bench {
namespace {

class Reserved : public ck::CkTable {
  public:
    Reserved(std::size_t capacity, std::size_t cores)
        : Reserved(Shards(cores), capacity, cores) {}

  private:
    Reserved(Shards const& shards, std::size_t capacity, std::size_t cores)
        : CkTable(shards, std::bit_ceil(2 * shards.most_keys(capacity)), cores) {}
};

constexpr Peer ck_ht{.name = "ck-ht",
                     .library = MXK_PEER_LIBRARY,
                     .setup = "ck_ht, 64 shards per core with a spin lock for writers, reserved; hash: the key",
                     .create = &create_table<Reserved>};
MXK_REGISTER(mxk_peers, Peer, ck_ht);

} // namespace
} // namespace mxk::bench
