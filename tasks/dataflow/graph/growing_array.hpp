// Values of one box side by side, which double their room when it is used up: in the calling core's heap. One core at a
// time.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <type_traits>
#include <utility>

#include "kernel/memory/memory.hpp"
#include "tasks/dataflow/graph/graph_memory.hpp"

namespace mxk::dataflow {

template <typename T> class GrowingArray {
    static_assert(std::is_trivially_copyable_v<T>);

  public:
    GrowingArray() = default;
    GrowingArray(GrowingArray const&) = delete;
    GrowingArray& operator=(GrowingArray const&) = delete;
    ~GrowingArray() {
        if (values_ != nullptr) graph_memory::deallocate(static_cast<void*>(values_), room_ * sizeof(T), alignof(T));
    }

    // False: there is no memory.
    [[nodiscard]] bool add(T const& value) {
        if (size_ == room_ && !grow()) [[unlikely]]
            return false;
        values_[size_++] = value;
        return true;
    }
    // Keeps the room.
    void clear() { size_ = 0; }
    [[nodiscard]] T& operator[](std::size_t at) { return values_[at]; }
    [[nodiscard]] T const& operator[](std::size_t at) const { return values_[at]; }
    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] std::span<T> span() { return {values_, size_}; }
    [[nodiscard]] std::span<T const> span() const { return {values_, size_}; }

    // Not of an empty one.
    [[nodiscard]] bool lies_on(NodeId node) const { return memory::node_of(values_) == node; }
    // Becomes a copy in the calling core's heap. False: `node`, which is to be the core's, has no memory for it.
    [[nodiscard]] bool copy_to(NodeId node) { return set_room(room_) && lies_on(node); }

  private:
    bool grow() { return set_room(room_ == 0 ? 64 : 2 * room_); }
    bool set_room(std::size_t room) {
        auto* const values = static_cast<T*>(graph_memory::allocate(room * sizeof(T), alignof(T)));
        if (values == nullptr) return false;
        if (size_ != 0) std::memcpy(static_cast<void*>(values), static_cast<void const*>(values_), size_ * sizeof(T));
        if (values_ != nullptr) graph_memory::deallocate(static_cast<void*>(values_), room_ * sizeof(T), alignof(T));
        values_ = values;
        room_ = room;
        return true;
    }

    T* values_ = nullptr;
    std::size_t size_ = 0;
    std::size_t room_ = 0;
};

} // namespace mxk::dataflow
