#include "arch/linux/node_memory.hpp"

#include <numa.h>
#include <numaif.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <string>

#include "base/log.hpp"
#include "base/panic.hpp"

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

// Pages of 1 GiB that the administrator has set aside and nobody uses: of the node, -1: of all.
std::size_t free_gigabyte_pages(int node) {
    std::string path("/sys/kernel/mm");
    if (node >= 0) path.assign("/sys/devices/system/node/node").append(std::to_string(node));
    std::ifstream file(path.append("/hugepages/hugepages-1048576kB/free_hugepages"));
    std::size_t count = 0;
    return file >> count ? count : 0;
}

// Puts as many of them as there are at the start of `memory`, which is aligned to their size and mapped. How many bytes
// that is; 0 unless all that were wanted can be had, since another program may be quicker.
std::size_t map_gigabyte_pages(std::span<std::byte> memory, std::size_t pages) {
    std::size_t const bytes = std::min(pages, memory.size() / GiB) * GiB;
    if (bytes == 0) return 0;
    constexpr int anonymous = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;
    constexpr int gigabytes = MAP_HUGETLB | 30 << MAP_HUGE_SHIFT;
    constexpr int access = PROT_READ | PROT_WRITE;
    if (mmap(memory.data(), bytes, access, anonymous | gigabytes, -1, 0) != MAP_FAILED) return bytes;
    // What stood there may be gone.
    expect(mmap(memory.data(), bytes, access, anonymous | MAP_NORESERVE, -1, 0) != MAP_FAILED,
           "address space that was mapped can be mapped again");
    return 0;
}

} // namespace

Result<NodeMemory> NodeMemory::reserve(std::size_t bytes, int system_node) {
    bytes = align_down(bytes, large_page_bytes);
    if (bytes == 0) return Error("a node needs no less than 2 MiB of memory");
    std::size_t const gigabyte_pages = free_gigabyte_pages(system_node);
    std::size_t const alignment = gigabyte_pages != 0 ? GiB : large_page_bytes;
    // One page more than wanted, so that an aligned part can be cut out of it.
    std::size_t const room = bytes + alignment;
    void* const place = mmap(nullptr, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (place == MAP_FAILED) return Error::of("cannot reserve {} MiB of memory: {}", bytes / MiB, std::strerror(errno));
    auto* const start = static_cast<std::byte*>(place);
    std::size_t const skipped =
        align_up(reinterpret_cast<std::uintptr_t>(start), alignment) - reinterpret_cast<std::uintptr_t>(start);
    if (skipped > 0) munmap(start, skipped);
    munmap(start + skipped + bytes, alignment - skipped);

    NodeMemory result({start + skipped, bytes});
    // What came of both, describe_machine() says.
    std::size_t const in_gigabytes = map_gigabyte_pages(result.bytes_, gigabyte_pages);
    madvise(result.bytes_.data() + in_gigabytes, bytes - in_gigabytes, MADV_HUGEPAGE);
    if (system_node >= 0 && !bind_to(result.bytes_, system_node))
        log::warn("memory cannot be bound to node {} of this system: it may lie anywhere", system_node);
    return result;
}

NodeMemory::~NodeMemory() {
    if (!bytes_.empty()) munmap(bytes_.data(), bytes_.size());
}

} // namespace mxk::arch
