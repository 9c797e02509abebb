// `mxk-cluster-test --disturb SEED`.
#include "tests/cluster/disturbed_link.hpp"

#include <deque>

#include "main/cluster/link_wrapper.hpp"

namespace mxk::test {
namespace {

remote::Link& wrap_in_disturbed(remote::Link& inner, std::uint64_t seed) {
    static std::deque<DisturbedLink> links;
    return links.emplace_back(inner, seed);
}
constexpr cluster::LinkWrapper disturbed_wrapper{&wrap_in_disturbed};
MXK_REGISTER(mxk_cluster_link_wrappers, cluster::LinkWrapper, disturbed_wrapper);

} // namespace
} // namespace mxk::test
