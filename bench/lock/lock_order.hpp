// Which lock a source says is the faster one, and by how much: judged by two rows, by the time from one iteration to
// the next, or by the one-sided operations that an iteration takes.
#pragma once

#include <cstdint>
#include <string_view>

#include "bench/lock/lock_options.hpp"

namespace mxk::bench {

enum class OrderOf : std::uint8_t { Time, Operations };

struct LockOrder {
    std::string_view statement;
    LockFabric fabric;
    std::string_view slower;
    std::string_view faster;
    // The time, or the operations, of the one by those of the other.
    double low = 1;
    double high = 0; // 0: as much as it is
    OrderOf of = OrderOf::Time;
    bool is_of_nodes = false; // says nothing where nodes are only made up, of one memory
};

} // namespace mxk::bench
