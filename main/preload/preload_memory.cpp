#include "main/preload/preload_memory.hpp"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <new>

#include "base/panic.hpp"

namespace mxk::preload {
namespace {

constexpr std::size_t chunk_bytes = std::size_t{1} << 18;
constexpr std::size_t max_nodes = 64; // others are node 0

struct Free {
    Free* next;
};
struct NodeMemory {
    std::byte* next;
    std::size_t left;
    std::array<Free*, 64> free; // by the logarithm of the size
};
constinit InnerLock lock;
constinit InnerLock::Node lock_node{};
constinit std::array<NodeMemory, max_nodes> nodes{};

[[noreturn]] void no_memory() {
    die("out of memory: no room for the locks of mutexes", std::source_location::current());
}

std::byte* map(std::size_t bytes, std::size_t node) {
    KeptErrno const kept;
    constexpr int mpol_preferred = 1;
    void* const mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED) no_memory();
    std::uint64_t const mask = std::uint64_t{1} << node;
    // Where it fails the memory is on the node of the thread that uses it first.
    syscall(SYS_mbind, mapped, bytes, mpol_preferred, &mask, max_nodes + 1, 0);
    return static_cast<std::byte*>(mapped);
}
std::size_t size_of(std::size_t bytes) {
    return std::bit_ceil(std::max(bytes, cache_line_bytes));
}
std::size_t number_of(NodeId node) {
    return index(node) < max_nodes ? index(node) : 0;
}

} // namespace

thread_local constinit bool is_forking = false;

void* take_memory(std::size_t bytes, NodeId node) {
    std::size_t const size = size_of(bytes);
    if (size > chunk_bytes / 4) return map(size, number_of(node));
    InnerGuard const guard(lock);
    NodeMemory& memory = nodes[number_of(node)];
    if (Free*& free = memory.free[static_cast<std::size_t>(std::countr_zero(size))]; free != nullptr) {
        void* const taken = free;
        free = free->next;
        return taken;
    }
    if (memory.left < size) {
        memory.next = map(chunk_bytes, number_of(node));
        memory.left = chunk_bytes;
    }
    memory.left -= size;
    return std::exchange(memory.next, memory.next + size);
}

void give_memory(void* memory, std::size_t bytes, NodeId node) {
    std::size_t const size = size_of(bytes);
    if (size > chunk_bytes / 4) {
        munmap(memory, size);
        return;
    }
    InnerGuard const guard(lock);
    Free*& free = nodes[number_of(node)].free[static_cast<std::size_t>(std::countr_zero(size))];
    free = new (memory) Free{free};
}

std::byte* reserve(std::size_t bytes) {
    void* const mapped = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return mapped == MAP_FAILED ? nullptr : static_cast<std::byte*>(mapped);
}
void commit(std::byte* begin, std::size_t bytes) {
    if (mprotect(begin, bytes, PROT_READ | PROT_WRITE) != 0) no_memory();
}

void hold_memory() {
    lock.lock(lock_node);
}
void release_memory() {
    lock.unlock(lock_node);
}

} // namespace mxk::preload
