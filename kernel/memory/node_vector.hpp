// Objects on a node: a NodeArray whose first `size()` places are constructed, up to a capacity that is fixed when it is
// made, so that nothing in it ever moves. Move-only; destroys its objects. One core at a time.
#pragma once

#include <cstddef>
#include <new>
#include <span>
#include <utility>

#include "base/panic.hpp"
#include "kernel/memory/node_array.hpp"

namespace mxk {

template <typename T> class NodeVector {
  public:
    NodeVector() = default;
    NodeVector(NodeVector&& other) noexcept
        : room_(std::move(other.room_))
        , size_(std::exchange(other.size_, 0)) {}
    NodeVector& operator=(NodeVector&& other) noexcept {
        std::swap(room_, other.room_);
        std::swap(size_, other.size_);
        return *this;
    }
    ~NodeVector() {
        for (T& object : *this) object.~T();
    }

    // Errors and callers as NodeArray::create.
    static Result<NodeVector> create(std::size_t capacity, NodeId node) {
        NodeVector vector;
        vector.room_ = MXK_TRY(NodeArray<T>::create(capacity, node));
        return vector;
    }

    template <typename... Arguments> T& emplace(Arguments&&... arguments) {
        expect(size_ < room_.size(), "a NodeVector holds no more than its capacity");
        return *new (static_cast<void*>(&room_[size_++])) T(std::forward<Arguments>(arguments)...);
    }

    [[nodiscard]] std::span<T> span() const { return {room_.data(), size_}; }
    [[nodiscard]] T* begin() const { return room_.data(); }
    [[nodiscard]] T* end() const { return room_.data() + size_; }
    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] std::size_t capacity() const { return room_.size(); }
    [[nodiscard]] T& operator[](std::size_t at) const { return room_[at]; }

  private:
    NodeArray<T> room_;
    std::size_t size_ = 0;
};

} // namespace mxk
