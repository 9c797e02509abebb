// kernel/memory/node_array.hpp for the model checker: memory of a run, which nothing gives back. Who looks at an array
// while it is exchanged for another one races.
#pragma once

#include <cstddef>
#include <span>
#include <utility>

#include "base/result.hpp"
#include "base/units.hpp"
#include "tests/model/model_memory.hpp"

namespace mxk {

struct FrameAllocator {
    static constexpr std::size_t frame_bytes = 256; // a small one, so that what is cut into frames is several
    static constexpr std::size_t max_alignment = 4096;
};
namespace test {
inline bool model_memory_is_out = false; // set by a use
}

template <typename T> class NodeArray {
  public:
    NodeArray() = default;
    NodeArray(NodeArray&& other) noexcept { *this = std::move(other); }
    NodeArray& operator=(NodeArray&& other) noexcept {
        T* const data = data_;
        data_ = other.data_;
        other.data_ = data;
        std::swap(size_, other.size_);
        return *this;
    }
    static Result<NodeArray> create(std::size_t count, NodeId node) {
        if (test::model_memory_is_out) return Error("out of memory");
        NodeArray array;
        array.data_ = static_cast<T*>(test::ModelMemory::allocate(count * sizeof(T), alignof(T)));
        array.size_ = count;
        array.node_ = node;
        return array;
    }
    [[nodiscard]] std::span<T> span() const { return {data(), size()}; }
    [[nodiscard]] T* data() const { return data_; }
    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] T& operator[](std::size_t at) const { return data()[at]; }
    [[nodiscard]] NodeId node() const { return node_; }

  private:
    test::ModelPlain<T*> data_{nullptr}; // so that who looks while it is exchanged is found
    std::size_t size_ = 0;
    NodeId node_{};
};

} // namespace mxk
