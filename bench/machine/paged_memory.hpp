// Memory of a node through pages of one size.
#pragma once

#include <cstddef>
#include <utility>

#include "arch/page_view.hpp"
#include "base/result.hpp"
#include "kernel/memory/memory.hpp"

namespace mxk::bench {

class PagedMemory {
  public:
    // As many pages as there are of the `wanted` ones: halved until the node has them in one piece. Errors: it has not
    // even one; they cannot be mapped so. The console's core.
    static Result<PagedMemory> create(std::size_t wanted, std::size_t page_bytes, NodeId node);

    PagedMemory(PagedMemory&& other) noexcept
        : block_(std::exchange(other.block_, {}))
        , view_(std::move(other.view_))
        , page_bytes_(other.page_bytes_) {}
    PagedMemory& operator=(PagedMemory&& other) = delete;
    ~PagedMemory() {
        view_ = {};
        if (block_.address != nullptr) memory::free(block_);
    }

    [[nodiscard]] std::byte* start() const { return view_.start(); }
    [[nodiscard]] std::size_t page_bytes() const { return page_bytes_; }
    [[nodiscard]] std::size_t pages() const { return block_.bytes / page_bytes_; }

  private:
    PagedMemory(memory::Block const& block, std::size_t page_bytes)
        : block_(block)
        , page_bytes_(page_bytes) {}

    memory::Block block_;
    arch::PageView view_; // given up before the block
    std::size_t page_bytes_;
};

} // namespace mxk::bench
