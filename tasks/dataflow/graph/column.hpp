// The values of one attribute of some rows, side by side. The memory is shared: who has a Column may read it, and it
// goes back to the heap of the core that made it when the last one lets go (Falt 2010, section 3.1). Who makes one
// writes it before anybody else has it. A column may also be a view of memory that is not its own, such as a table's.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <utility>

#include "base/units.hpp"
#include "kernel/memory/memory.hpp"
#include "tasks/dataflow/graph/graph_memory.hpp"

namespace mxk::dataflow {

class Column {
    struct alignas(cache_line_bytes) Block {
        explicit Block(std::size_t all_bytes)
            : bytes(all_bytes) {}
        std::size_t bytes; // this head among them
        std::atomic<std::uint32_t> users{1};
    };

  public:
    // No values.
    Column() = default;
    Column(Column const& other)
        : block_(other.block_)
        , values_(other.values_) {
        // relaxed: the caller has it, so it cannot go meanwhile
        if (block_ != nullptr) block_->users.fetch_add(1, std::memory_order_relaxed);
    }
    Column(Column&& other) noexcept
        : block_(std::exchange(other.block_, nullptr))
        , values_(std::exchange(other.values_, nullptr)) {}
    Column& operator=(Column other) noexcept {
        std::swap(block_, other.block_);
        std::swap(values_, other.values_);
        return *this;
    }
    [[gnu::always_inline]] ~Column() {
        if (block_ != nullptr) let_go(*block_);
    }

    // Room for `bytes` on the calling core's node, not zeroed, aligned to a cache line. Empty if there is no memory.
    static Column create(std::size_t bytes) {
        Column result;
        void* const place = graph_memory::allocate(sizeof(Block) + bytes, alignof(Block));
        if (place == nullptr) return result;
        result.block_ = new (place) Block(sizeof(Block) + bytes);
        result.values_ = result.block_ + 1;
        return result;
    }
    // Of memory that lives as long as the request.
    template <typename T> static Column view(T const* values) {
        Column result;
        result.values_ = const_cast<T*>(values); // read only, since it has no block
        return result;
    }
    template <typename T> static Column create_for(std::size_t rows) { return create(rows * sizeof(T)); }

    // Where the values lie. Not of a column without values, nor of memory that has no node.
    [[nodiscard]] NodeId node() const { return memory::node_of(values_); }
    // Whether they need not be copied to be there: they are, or are nowhere.
    [[nodiscard]] bool lies_on(NodeId node_wanted) const { return graph_memory::is_general() || node() == node_wanted; }
    // Becomes a copy in the calling core's heap of the first `bytes` of the values. False, and nothing has changed:
    // `node_wanted`, which is to be the core's, has no memory for it.
    [[nodiscard]] bool copy_to(NodeId node_wanted, std::size_t bytes) {
        Column copy = create(bytes);
        if (!copy || !copy.lies_on(node_wanted)) return false;
        std::memcpy(copy.values_, values_, bytes);
        *this = std::move(copy);
        return true;
    }

    explicit operator bool() const { return values_ != nullptr; }
    template <typename T> [[nodiscard]] T const* values() const { return static_cast<T const*>(values_); }
    // Its maker, before others have it.
    template <typename T> [[nodiscard]] T* writable() { return static_cast<T*>(block_ != nullptr ? values_ : nullptr); }
    // The same values from a row on: no copy.
    template <typename T> [[nodiscard]] Column from(std::size_t row) const {
        Column result = *this;
        result.values_ = static_cast<T*>(values_) + row;
        return result;
    }

  private:
    [[gnu::noinline]] static void let_go(Block& block) {
        // The only user needs no locked operation. acq_rel: the last one sees what the others have read done
        if (block.users.load(std::memory_order_acquire) == 1 ||
            block.users.fetch_sub(1, std::memory_order_acq_rel) == 1)
            graph_memory::deallocate(&block, block.bytes, alignof(Block));
    }

    Block* block_ = nullptr; // null: somebody else's memory
    void* values_ = nullptr;
};

} // namespace mxk::dataflow
