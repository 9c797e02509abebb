#include "arch/linux/node_memory.hpp"

#include <numa.h>
#include <numaif.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstring>

#include "base/log.hpp"

namespace mxk::arch {
namespace {

constexpr std::size_t large_page_bytes = 2 * MiB;

bool bind_to(std::span<std::byte> memory, int node) {
    if (numa_available() < 0) return false;
    bitmask* const nodes = numa_allocate_nodemask();
    numa_bitmask_setbit(nodes, static_cast<unsigned>(node));
    // Strictly: memory that silently comes from another node would falsify what is measured. How much a node has, the
    // allocator knows.
    long const failed = mbind(memory.data(), memory.size(), MPOL_BIND, nodes->maskp, nodes->size + 1, 0);
    numa_bitmask_free(nodes);
    return failed == 0;
}

} // namespace

Result<NodeMemory> NodeMemory::reserve(std::size_t bytes, int system_node) {
    bytes = align_down(bytes, large_page_bytes);
    if (bytes == 0) return Error("a node needs no less than 2 MiB of memory");
    // One large page more than wanted, so that an aligned part can be cut out of it.
    std::size_t const room = bytes + large_page_bytes;
    void* const place = mmap(nullptr, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (place == MAP_FAILED) return Error::of("cannot reserve {} MiB of memory: {}", bytes / MiB, std::strerror(errno));
    auto* const start = static_cast<std::byte*>(place);
    std::size_t const skipped =
        align_up(reinterpret_cast<std::uintptr_t>(start), large_page_bytes) - reinterpret_cast<std::uintptr_t>(start);
    if (skipped > 0) munmap(start, skipped);
    munmap(start + skipped + bytes, large_page_bytes - skipped);

    NodeMemory result({start + skipped, bytes});
    madvise(result.bytes_.data(), bytes, MADV_HUGEPAGE); // what came of it, describe_machine() says
    if (system_node >= 0 && !bind_to(result.bytes_, system_node))
        log::warn("memory cannot be bound to node {} of this system: it may lie anywhere", system_node);
    return result;
}

NodeMemory::~NodeMemory() {
    if (!bytes_.empty()) munmap(bytes_.data(), bytes_.size());
}

} // namespace mxk::arch
