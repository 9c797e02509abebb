// Memory on a node that is to be measured: it lies there, and the system below has a page for each frame of it.
#pragma once

#include <cstddef>
#include <utility>

#include "arch/page_view.hpp"
#include "base/result.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "bench/frame/experiment.hpp"
#include "bench/machine/word_stream.hpp"
#include "kernel/memory/memory.hpp"
#include "kernel/memory/node_array.hpp"

namespace mxk::bench {

// Where memory lies that a core is measured with, if nothing is said: on its node, or, if that has none, on the nearest
// one that has. Any core.
NodeId memory_node_of(CoreId core);

class MeasuredMemory {
  public:
    // Empty.
    MeasuredMemory() = default;

    // On the node itself, never on one that helps out. Errors: the node has not so much in one piece. Touches all of
    // it, which takes some 100 ms per GiB the first time. Any core.
    static Result<MeasuredMemory> create(std::size_t bytes, NodeId node);
    // As much as there is of the `bytes` wanted: halved until the node has it, down to 4 KiB.
    static Result<MeasuredMemory> create_up_to(std::size_t bytes, NodeId node);

    [[nodiscard]] std::byte* start() const { return bytes_.data(); }
    [[nodiscard]] std::size_t bytes() const { return bytes_.size(); }
    [[nodiscard]] Words words() const;

  private:
    explicit MeasuredMemory(NodeArray<std::byte> bytes)
        : bytes_(std::move(bytes)) {}

    NodeArray<std::byte> bytes_;
};

// Through pages of one size.
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

// The largest set that is measured where none is given on an emulated machine, which has no caches and is slow.
constexpr std::size_t emulated_latency_bytes = 16 * MiB;
constexpr std::size_t emulated_set_bytes = 2 * MiB;

// A line for people where the machine is emulated.
void print_emulated(TextSink& out, std::size_t largest_bytes, bool was_given);

// What a matrix and a loaded memory are measured with where no size was given: four times the last caches of the node
// that has the largest ones together, 64 MiB or more, 1 GiB or less; and no more than a sixteenth of the machine's
// smallest node with memory.
std::size_t default_set_bytes();

} // namespace mxk::bench
