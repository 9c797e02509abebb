#include "arch/memory_node.hpp"

#include <numa.h>
#include <numaif.h>

namespace mxk::arch {

std::optional<std::uint32_t> node_of_memory(void const* address) {
    if (numa_available() < 0) return std::nullopt;
    // move_pages(2) without new places: asks only, and brings no page
    void* page = const_cast<void*>(address); // NOLINT(cppcoreguidelines-pro-type-const-cast): nothing is moved
    int node = -1;
    if (move_pages(0, 1, &page, nullptr, &node, 0) != 0 || node < 0) return std::nullopt;
    return static_cast<std::uint32_t>(node);
}

} // namespace mxk::arch
