// One object on a node that never moves, and whose making may fail: what a function returns of a type that others point
// to. Move-only; destroys its object.
#pragma once

#include <utility>

#include "kernel/memory/node_vector.hpp"

namespace mxk {

template <typename T> class NodeObject {
  public:
    // No object.
    NodeObject() = default;

    // Errors and callers as NodeArray::create.
    template <typename... Arguments> static Result<NodeObject> create(NodeId node, Arguments&&... arguments) {
        NodeObject result;
        result.place_ = MXK_TRY(NodeVector<T>::create(1, node));
        result.place_.emplace(std::forward<Arguments>(arguments)...);
        return result;
    }

    explicit operator bool() const { return place_.size() != 0; }
    T& operator*() const { return place_[0]; }
    T* operator->() const { return &place_[0]; }

  private:
    NodeVector<T> place_;
};

} // namespace mxk
