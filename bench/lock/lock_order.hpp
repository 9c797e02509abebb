// Which lock a source says is the faster one, and by how much: judged by the iteration times of two rows.
#pragma once

#include <cstdint>
#include <string_view>

#include "bench/lock/lock_options.hpp"

namespace mxk::bench {

struct LockOrder {
    std::string_view statement;
    LockFabric fabric;
    std::string_view slower;
    std::string_view faster;
    // The iteration time of the one by that of the other.
    double low = 1;
    double high = 0;          // 0: as much as it is
    bool is_of_nodes = false; // says nothing where nodes are only made up, of one memory
};

} // namespace mxk::bench
