#include "peers/table_memory.hpp"

#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

#include "arch/core_local.hpp"
#include "base/log.hpp"

namespace mxk::bench {
namespace {

// MXK's memory lies in 2 MiB pages. A peer that takes no allocator gets its memory from the C library, which asks for
// such pages only if it is told so by the environment before the program starts. So the program starts itself once more
// with it set. The same for what libraries that are loaded later keep for each thread (heap_libraries.cpp).
constexpr char const* variable = "GLIBC_TUNABLES";
constexpr std::array tunables{std::pair{"glibc.malloc.hugetlb", "=1"},
                              std::pair{"glibc.rtld.optional_static_tls", "=16384"}};

// The C library hands the program's arguments to constructors, too.
[[gnu::constructor]] void start_with_large_pages(int, char** arguments) {
    char const* const now = std::getenv(variable);
    std::string wanted = now != nullptr ? now : "";
    std::size_t const before = wanted.size();
    for (auto const& [tunable, value] : tunables) {
        if (wanted.find(tunable) != std::string::npos) continue; // set by us, or by somebody who knows
        if (!wanted.empty()) wanted += ':';
        wanted.append(tunable).append(value);
    }
    if (wanted.size() == before) return;
    setenv(variable, wanted.c_str(), 1);
    execv("/proc/self/exe", arguments);
    log::warn("the peers' memory has small pages only: cannot start again with {}: {}", variable, std::strerror(errno));
}

} // namespace

TableArena::TableArena(std::span<CoreId const> cores, std::size_t bytes)
    : supplies_(workers::count()) {
    constexpr std::size_t page = 4 * KiB; // the smallest that the system may have given
    for (CoreId const core : cores) {
        Supply& supply = supplies_[index(core)];
        refill(supply, align_up(std::max(bytes, block_bytes), block_bytes), workers::of(core).node());
        for (std::size_t at = 0; at < supply.left; at += page) supply.next[at] = std::byte{0};
    }
}

TableArena::~TableArena() {
    for (Supply const& supply : supplies_)
        for (memory::Block const& block : supply.blocks) memory::free(block);
    for (auto const& [place, block] : large_) memory::free(block);
}

TableArena::Supply& TableArena::own_supply() {
    return supplies_[index(arch::core_local().id)];
}

std::size_t TableArena::rounded(std::size_t bytes) {
    return align_up(std::max(bytes, step), bytes < cache_line_bytes ? step : cache_line_bytes);
}

// What is left of the block before is lost until the end.
void TableArena::refill(Supply& supply, std::size_t bytes, NodeId node) {
    auto const block = memory::allocate(bytes, block_bytes, node);
    if (!block) throw std::bad_alloc();
    supply.blocks.push_back(block.value());
    supply.next = block.value().address;
    supply.left = bytes;
}

void* TableArena::allocate(std::size_t bytes) {
    std::size_t const size = rounded(bytes);
    if (size >= large_limit) return allocate_large(size);
    Supply& supply = own_supply();
    if (size <= small_limit && supply.free[size / step] != nullptr)
        return std::exchange(supply.free[size / step], supply.free[size / step]->next);
    // A thing of cache lines begins on one.
    std::size_t const skipped = size < cache_line_bytes ? 0 : supply.left % cache_line_bytes;
    if (supply.left < skipped + size) {
        refill(supply, block_bytes, Worker::current().node());
        return allocate(bytes);
    }
    std::byte* const place = supply.next + skipped;
    supply.next = place + size;
    supply.left -= skipped + size;
    return place;
}

void* TableArena::allocate_large(std::size_t bytes) {
    std::size_t const alignment = bytes >= block_bytes ? block_bytes : cache_line_bytes;
    auto const block = memory::allocate(bytes, alignment, Worker::current().node());
    if (!block) throw std::bad_alloc();
    std::lock_guard const locked(mutex_);
    large_.emplace(block.value().address, block.value());
    return block.value().address;
}

void TableArena::deallocate(void* place, std::size_t bytes) noexcept {
    std::size_t const size = rounded(bytes);
    if (size <= small_limit) {
        Free*& first = own_supply().free[size / step];
        first = new (place) Free{first};
    } else if (size >= large_limit) {
        std::lock_guard const locked(mutex_);
        memory::free(large_.extract(place).mapped());
    } // between the two: rare, given back at the end
}

LibraryMemory::LibraryMemory(std::size_t bytes) {
    constexpr std::size_t page = 4 * KiB;
    mallopt(M_ARENA_MAX, 1);
    mallopt(M_MMAP_MAX, 0);
    mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
    auto* const memory = static_cast<std::byte volatile*>(std::malloc(bytes)); // volatile: to be written, not read
    if (memory == nullptr) return;                                             // then it is found while measured
    for (std::size_t at = 0; at < bytes; at += page) memory[at] = std::byte{0};
    std::free(const_cast<std::byte*>(memory));
}

LibraryMemory::~LibraryMemory() {
    constexpr int trim_threshold = 128 * 1024; // the library's own
    constexpr int mmap_max = 65536;            // the same
    mallopt(M_TRIM_THRESHOLD, trim_threshold);
    mallopt(M_MMAP_MAX, mmap_max);
    malloc_trim(0);
}

} // namespace mxk::bench
