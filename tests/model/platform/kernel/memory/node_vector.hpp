// kernel/memory/node_vector.hpp for the model checker: memory of a run. The real one, on the NodeArray here, reads its
// word at each access, which takes twice the time. It is written when it is given back: a thread
// that still uses an object races.
#pragma once

#include <cstddef>
#include <new>
#include <source_location>
#include <span>
#include <utility>

#include "base/panic.hpp"
#include "base/result.hpp"
#include "base/units.hpp"
#include "kernel/memory/node_array.hpp"
#include "tests/model/model_memory.hpp"

namespace mxk {

template <typename T> class NodeVector {
  public:
    NodeVector() = default;
    NodeVector(NodeVector&& other) noexcept { *this = std::move(other); }
    NodeVector& operator=(NodeVector&& other) noexcept {
        std::swap(at_, other.at_);
        std::swap(capacity_, other.capacity_);
        std::swap(size_, other.size_);
        return *this;
    }
    ~NodeVector() {
        for (T& object : *this) object.~T();
        if (at_ != nullptr) test::ModelMemory::give_back(at_, capacity_ * sizeof(T));
    }
    static Result<NodeVector> create(std::size_t capacity, NodeId /*node*/) {
        if (test::model_memory_is_out) return Error("out of memory");
        NodeVector vector;
        vector.at_ = static_cast<T*>(test::ModelMemory::allocate(capacity * sizeof(T), alignof(T)));
        vector.capacity_ = capacity;
        return vector;
    }

    template <typename... Arguments> T& emplace(Arguments&&... arguments) {
        expect(size_ < capacity_, "a NodeVector holds no more than its capacity");
        return *new (static_cast<void*>(at_ + size_++)) T(std::forward<Arguments>(arguments)...);
    }
    [[nodiscard]] std::span<T> span() const { return {at_, size_}; }
    [[nodiscard]] T* begin() const { return at_; }
    [[nodiscard]] T* end() const { return at_ + size_; }
    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] std::size_t capacity() const { return capacity_; }
    [[nodiscard]] T& operator[](std::size_t at) const { return at_[at]; }

  private:
    T* at_ = nullptr;
    std::size_t capacity_ = 0;
    std::size_t size_ = 0;
};

} // namespace mxk
