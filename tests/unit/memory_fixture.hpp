// Nodes for unit tests: page-aligned host memory behind frame allocators, configured as the memory of the machine while
// the fixture lives.
#pragma once

#include <gtest/gtest.h>

#include <sys/mman.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "kernel/memory/memory.hpp"

namespace mxk::test {

// Address space that costs memory only where it is touched. It begins `offset` bytes after a boundary of 2 MiB, never
// where chance puts it: which large blocks fit into it, and so what a test sees, follows from where it begins.
class HostMemory {
  public:
    explicit HostMemory(std::size_t bytes, std::size_t offset = 64 * KiB)
        : bytes_(bytes)
        , mapped_bytes_(bytes + offset + boundary) {
        mapped_ =
            mmap(nullptr, mapped_bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (mapped_ == MAP_FAILED) throw std::bad_alloc();
        madvise(mapped_, mapped_bytes_, MADV_NOHUGEPAGE); // so that resident() counts what was touched
        auto const place = reinterpret_cast<std::uintptr_t>(mapped_);
        start_ = static_cast<std::byte*>(mapped_) + (align_up(place, boundary) - place) + offset;
    }
    ~HostMemory() { munmap(mapped_, mapped_bytes_); }
    HostMemory(HostMemory const&) = delete;
    HostMemory& operator=(HostMemory const&) = delete;

    [[nodiscard]] std::span<std::byte> bytes() const { return {start_, bytes_}; }
    [[nodiscard]] bool contains(void const* place) const { return place >= start_ && place < start_ + bytes_; }

    [[nodiscard]] std::size_t resident_pages() const { return resident_pages_of(bytes()); }
    // Of a part of it that begins at a page.
    [[nodiscard]] static std::size_t resident_pages_of(std::span<std::byte> part) {
        std::vector<unsigned char> pages(part.size() / (4 * KiB));
        mincore(part.data(), part.size(), pages.data());
        std::size_t count = 0;
        for (unsigned char const page : pages) count += page & 1U;
        return count;
    }

  private:
    static constexpr std::size_t boundary = 2 * MiB;

    void* mapped_ = nullptr;
    std::byte* start_ = nullptr;
    std::size_t bytes_;
    std::size_t mapped_bytes_;
};

class MemoryTest : public testing::Test {
  protected:
    // One node per entry, with so many bytes besides the allocator's table; 0 bytes make a memory-less node. Distances
    // as in a SLIT; empty: all remote ones are alike.
    void configure(std::vector<std::size_t> const& bytes_per_node, std::vector<std::uint8_t> distances = {}) {
        std::size_t const count = bytes_per_node.size();
        allocators = std::make_unique<FrameAllocator[]>(count);
        for (std::size_t i = 0; i < count; ++i) {
            std::size_t const bytes = bytes_per_node[i];
            host.push_back(bytes == 0 ? nullptr
                                      : std::make_unique<HostMemory>(bytes + FrameAllocator::table_bytes(bytes)));
            if (host.back() != nullptr) allocators[i].add(host.back()->bytes());
        }
        if (distances.empty()) distances.assign(count * count, 20);
        Arena arena(&boot_chunk);
        memory::configure({allocators.get(), count}, distances, arena);
    }
    // One node whose memory begins `offset` bytes after a boundary of 2 MiB.
    void configure_at(std::size_t offset, std::size_t bytes) {
        allocators = std::make_unique<FrameAllocator[]>(1);
        host.clear();
        host.push_back(std::make_unique<HostMemory>(bytes + FrameAllocator::table_bytes(bytes), offset));
        allocators[0].add(host.back()->bytes());
        Arena arena(&boot_chunk);
        memory::configure({allocators.get(), 1}, std::vector<std::uint8_t>{10}, arena);
    }

    void TearDown() override {
        Arena arena(&boot_chunk);
        memory::configure({}, {}, arena);
    }

    [[nodiscard]] std::size_t used_bytes() const {
        std::size_t used = 0;
        for (std::size_t i = 0; i < memory::node_count(); ++i) used += memory::use(node_id(i)).used;
        return used;
    }

    std::vector<std::unique_ptr<HostMemory>> host;
    std::unique_ptr<FrameAllocator[]> allocators;

  private:
    // An arena takes a plain function, so its chunks outlive the fixture; they are kept reachable here.
    static std::span<std::byte> boot_chunk(std::size_t bytes) {
        static std::vector<std::unique_ptr<HostMemory>> chunks;
        chunks.push_back(std::make_unique<HostMemory>(bytes));
        return chunks.back()->bytes();
    }
};

} // namespace mxk::test
