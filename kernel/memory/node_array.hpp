// An array on a node, given back when its owner goes. It is room for objects, not the objects: nothing in it is
// constructed, touched or destroyed unless asked for, so that the core that will use the memory can be the first to
// touch it. Aligned to cache lines, from 2 MiB on to 2 MiB, so that large pages can map it whole.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>

#include "base/result.hpp"
#include "base/units.hpp"
#include "kernel/memory/memory.hpp"

namespace mxk {

template <typename T> class NodeArray {
  public:
    static constexpr std::size_t large_page_bytes = 2 * MiB;

    // Empty; holds no memory.
    NodeArray() = default;
    NodeArray(NodeArray&& other) noexcept
        : block_(std::exchange(other.block_, {})) {}
    NodeArray& operator=(NodeArray&& other) noexcept {
        std::swap(block_, other.block_); // other's destructor gives the old memory back
        return *this;
    }
    ~NodeArray() {
        if (block_.address != nullptr) memory::free(block_);
    }

    // Room for `count` objects on `node`, or on the nearest node that has it. The memory holds anything. A count of 0
    // needs no memory. Errors and callers as memory::allocate.
    static Result<NodeArray> create(std::size_t count, NodeId node) {
        if (count > std::numeric_limits<std::size_t>::max() / 2 / sizeof(T)) {
            return Error::of("out of memory: {} objects of {} bytes wanted on node {}", count, sizeof(T), node);
        }
        if (count == 0) return NodeArray();
        std::size_t const bytes = count * sizeof(T);
        std::size_t const line = std::max(cache_line_bytes, alignof(T));
        return NodeArray(MXK_TRY(memory::allocate(bytes, bytes >= large_page_bytes ? large_page_bytes : line, node)));
    }

    // The same with every byte 0, written by the calling core.
    static Result<NodeArray> create_zeroed(std::size_t count, NodeId node) requires std::is_trivially_copyable_v<T> {
        NodeArray array = MXK_TRY(create(count, node));
        std::fill_n(array.block_.address, array.block_.bytes, std::byte{0});
        return array;
    }

    [[nodiscard]] std::span<T> span() const { return {data(), size()}; }
    [[nodiscard]] T* data() const { return reinterpret_cast<T*>(block_.address); }
    [[nodiscard]] std::size_t size() const { return block_.bytes / sizeof(T); }
    [[nodiscard]] T& operator[](std::size_t at) const { return data()[at]; }

    // Where the memory lies; meaningless while empty.
    [[nodiscard]] NodeId node() const { return block_.node; }

  private:
    explicit NodeArray(memory::Block const& block)
        : block_(block) {}

    memory::Block block_{}; // no address, no bytes: empty
};

} // namespace mxk
