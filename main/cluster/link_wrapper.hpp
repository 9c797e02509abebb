// What stands between an endpoint and its link in a test's build, and delays, reorders or cuts: registered where it is
// defined; the program has none.
#pragma once

#include <cstdint>

#include "base/registry.hpp"
#include "tasks/remote/link.hpp"

namespace mxk::cluster {

struct LinkWrapper {
    // Lives as long as the program.
    remote::Link& (*wrap)(remote::Link& inner, std::uint64_t seed);
};
MXK_REGISTRY(mxk_cluster_link_wrappers, LinkWrapper, registered_link_wrappers)

} // namespace mxk::cluster
