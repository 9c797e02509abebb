// kernel/memory/node_array.hpp for the model checker: memory of a run. Who looks at an array while it is exchanged for
// another one races, and who uses a word of one that is given back.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>

#include "base/result.hpp"
#include "base/units.hpp"
#include "kernel/memory/memory.hpp"
#include "tests/model/model_memory.hpp"

namespace mxk {

template <typename T> class NodeArray {
  public:
    static constexpr std::size_t large_page_bytes = 2 * MiB;

    NodeArray() = default;
    NodeArray(NodeArray&& other) noexcept { *this = std::move(other); }
    NodeArray& operator=(NodeArray&& other) noexcept {
        data_ = other.at_;
        other.data_ = at_;
        std::swap(at_, other.at_);
        std::swap(size_, other.size_);
        return *this;
    }
    ~NodeArray() {
        if (at_ != nullptr) test::ModelMemory::give_back(at_, size_ * sizeof(T));
    }
    static Result<NodeArray> create(std::size_t count, NodeId node) {
        if (test::model_memory_is_out) return Error("out of memory");
        NodeArray array;
        array.at_ = static_cast<T*>(test::ModelMemory::allocate(count * sizeof(T), alignof(T)));
        array.data_ = array.at_;
        array.size_ = count;
        array.node_ = node;
        return array;
    }
    static Result<NodeArray> create_zeroed(std::size_t count, NodeId node) requires std::is_trivially_copyable_v<T> {
        NodeArray array = MXK_TRY(create(count, node));
        std::fill_n(array.at_, count, T{});
        return array;
    }
    [[nodiscard]] std::span<T> span() const { return {data(), size()}; }
    // begin() is alone: it need not be followed there.
    [[nodiscard]] T* data() const { return test::WeakMemory::current().self() == 0 ? at_ : data_.read(); }
    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] T& operator[](std::size_t at) const { return data()[at]; }
    [[nodiscard]] NodeId node() const { return node_; }

  private:
    T* at_ = nullptr;
    test::ModelPlain<T*> data_{nullptr}; // the same, so that who looks while it is exchanged is found
    std::size_t size_ = 0;
    NodeId node_{};
};

} // namespace mxk
