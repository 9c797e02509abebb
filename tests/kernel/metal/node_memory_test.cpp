// Whether memory lies where it should: the kernel's allocations against the firmware's ranges. Metal only.
#include <algorithm>

#include "arch/x86_64/memory/layout.hpp"
#include "kernel/memory/memory.hpp"
#include "kernel/testing.hpp"
#include "kernel/topology/system_topology.hpp"

namespace mxk {
namespace {

bool lies_on(topology::Node const& node, std::byte const* address, std::size_t bytes) {
    MemoryRange const wanted{arch::to_physical(address), bytes};
    return std::any_of(node.memory.begin(), node.memory.end(), [&](MemoryRange const& range) {
        return intersection({range.start, range.bytes}, wanted).bytes == bytes;
    });
}

MXK_TEST(memory, an_allocation_lies_on_its_node) {
    for (topology::Node const& node : system_topology().nodes) {
        if (node.memory_bytes() < 64 * MiB) continue; // memory-less, or nearly
        auto const block = memory::allocate(1 * MiB, 64 * KiB, node.id);
        MXK_CHECK(block.ok());
        if (!block.ok()) return;
        MXK_CHECK_EQUAL(index(block.value().node), index(node.id));
        MXK_CHECK(lies_on(node, block.value().address, block.value().bytes));
        MXK_CHECK(is_aligned(reinterpret_cast<std::uintptr_t>(block.value().address), 64 * KiB));
        memory::free(block.value());
    }
}

} // namespace
} // namespace mxk
