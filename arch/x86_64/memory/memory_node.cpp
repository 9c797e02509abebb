#include "arch/memory_node.hpp"

namespace mxk::arch {

std::optional<std::uint32_t> node_of_memory(void const* /*address*/) {
    return std::nullopt;
}

} // namespace mxk::arch
