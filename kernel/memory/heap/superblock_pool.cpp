#include "kernel/memory/heap/superblock_pool.hpp"

#include <algorithm>
#include <new>
#include <span>

#include "base/panic.hpp"
#include "kernel/memory/heap/outside_heap.hpp"
#include "kernel/memory/memory.hpp"

namespace mxk::heap {
namespace {

constexpr std::size_t large_page_bytes = 2 * MiB;
constexpr std::size_t max_bytes = 5 * large_page_bytes;
constexpr std::size_t share = 1024; // of the smallest node

constinit std::span<SuperblockPool> pools{};
constinit std::atomic<std::size_t> chosen_bytes{0}; // 0: not yet

std::size_t choose_bytes() {
    std::size_t smallest = max_bytes * share;
    for (std::size_t i = 0; i < memory::node_count(); ++i) {
        std::size_t const total = memory::use(node_id(i)).total;
        if (total != 0) smallest = std::min(smallest, total);
    }
    std::size_t const wanted = smallest / share;
    return std::max(align_down(wanted, wanted >= large_page_bytes ? large_page_bytes : superblock_unit),
                    superblock_unit);
}

std::size_t alignment_of(std::size_t bytes) {
    return bytes >= large_page_bytes ? large_page_bytes : superblock_unit;
}

} // namespace

void configure_pools(std::size_t nodes, Arena& arena) {
    auto const room = arena.array<std::byte>(nodes * sizeof(SuperblockPool) + alignof(SuperblockPool));
    if (!room.ok()) panic("no memory for the heaps' pools of {} nodes: {}", nodes, room.error().message());
    auto const start = align_up(reinterpret_cast<std::uintptr_t>(room.value().data()), alignof(SuperblockPool));
    auto* const first = reinterpret_cast<SuperblockPool*>(start);
    for (std::size_t i = 0; i < nodes; ++i) new (first + i) SuperblockPool(node_id(i));
    pools = {first, nodes};
    chosen_bytes.store(0, std::memory_order_relaxed);
    forget_outside();
}

SuperblockPool& pool_of(NodeId node) {
    expect(index(node) < pools.size(), "a heap's node is one of the machine");
    return pools[index(node)];
}

std::size_t superblock_bytes() {
    std::size_t const bytes = chosen_bytes.load(std::memory_order_relaxed);
    if (bytes != 0) return bytes;
    // All cores choose the same: nodes do not grow once they are used.
    std::size_t const chosen = choose_bytes();
    chosen_bytes.store(chosen, std::memory_order_relaxed);
    return chosen;
}

Superblock* SuperblockPool::take() {
    {
        LockGuard const guard(lock_);
        ++calls_;
        if (Superblock* const superblock = kept_.first(); superblock != nullptr) {
            kept_.remove(*superblock);
            --kept_count_;
            return superblock;
        }
    }
    Superblock* const superblock = describe();
    if (superblock == nullptr) return nullptr;
    auto const block = memory::allocate(superblock_bytes(), alignment_of(superblock_bytes()), node_);
    if (!block) {
        forget(*superblock);
        return nullptr;
    }
    superblock->memory = block.value();
    pool_of(block.value().node).superblocks_.fetch_add(1, std::memory_order_relaxed);
    return superblock;
}

void SuperblockPool::give_back(Superblock& superblock) {
    bool const is_kept = !has_too_much();
    {
        LockGuard const guard(lock_);
        ++calls_;
        if (is_kept) {
            kept_.insert_behind(nullptr, superblock); // what was used last is taken first
            ++kept_count_;
            return;
        }
    }
    release_memory(superblock);
}

std::size_t SuperblockPool::release(std::size_t bytes) {
    memory::NodeUse const node_use = memory::use(node_);
    if (bytes > node_use.total - node_use.used) return 0; // what is kept here does not count as used
    std::size_t released = 0;
    while (released < bytes) {
        Superblock* superblock = nullptr;
        {
            LockGuard const guard(lock_);
            superblock = kept_.last();
            if (superblock == nullptr) break;
            kept_.remove(*superblock);
            --kept_count_;
        }
        released += superblock->memory.bytes;
        release_memory(*superblock);
    }
    return released;
}

void SuperblockPool::release_memory(Superblock& superblock) {
    memory::free(superblock.memory);
    superblocks_.fetch_sub(1, std::memory_order_relaxed);
    forget(superblock);
    LockGuard const guard(lock_);
    ++returns_;
}

bool SuperblockPool::has_too_much() const {
    std::size_t const bytes = superblocks_.load(std::memory_order_relaxed) * superblock_bytes() +
                              large_bytes_.load(std::memory_order_relaxed);
    return bytes > memory::use(node_).total / 100 * max_percent;
}

// Descriptions come out of frames of the node, and are used again. The first room is for all superblocks of the node,
// so that no descriptions lie between them: they stay for good, and would cut up the node's memory. More comes only
// where superblocks of other nodes are described here.
Superblock* SuperblockPool::describe() {
    while (true) {
        if (Superblock* const superblock = describe_in_room(); superblock != nullptr) return superblock;
        std::size_t const own =
            has_room_.load(std::memory_order_relaxed) ? 1 : memory::use(node_).total / superblock_bytes() + 1;
        auto const room = memory::allocate(align_up(own * sizeof(Superblock), 4 * KiB), cache_line_bytes, node_);
        if (!room) return nullptr;
        if (!add_room(room.value())) memory::free(room.value());
    }
}

Superblock* SuperblockPool::describe_in_room() {
    LockGuard const guard(lock_);
    if (Superblock* const unused = unused_descriptions_.first(); unused != nullptr) {
        unused_descriptions_.remove(*unused);
        return unused;
    }
    if (room_.size() < sizeof(Superblock)) return nullptr;
    auto* const superblock = new (static_cast<void*>(room_.data())) Superblock;
    room_ = room_.subspan(sizeof(Superblock));
    return superblock;
}

// False: another core was faster.
bool SuperblockPool::add_room(memory::Block const& block) {
    LockGuard const guard(lock_);
    if (room_.size() >= sizeof(Superblock)) return false;
    room_ = {block.address, block.bytes};
    has_room_.store(true, std::memory_order_relaxed);
    return true;
}

void SuperblockPool::forget(Superblock& superblock) {
    LockGuard const guard(lock_);
    unused_descriptions_.append(superblock);
}

PoolUse SuperblockPool::use() const {
    LockGuard const guard(lock_);
    return {.superblocks = superblocks_.load(std::memory_order_relaxed),
            .kept = kept_count_,
            .kept_bytes = kept_count_ == 0 ? 0 : kept_count_ * superblock_bytes(), // which asks for total sizes first
            .large_bytes = large_bytes_.load(std::memory_order_relaxed),
            .calls = calls_,
            .returns = returns_};
}

} // namespace mxk::heap
