// The memory of coroutines' frames: a stack, in segments, from which one core at a time takes and to which it gives
// back. It has a new owner where the frame on its top has one (forked.hpp), so that nothing in it is atomic.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#include "base/panic.hpp"
#include "base/units.hpp"
#include "kernel/memory/memory.hpp"

namespace mxk {

class FrameStack {
  public:
    // Segments of memory of `node`, or near it; null: there is none. Any core.
    static FrameStack* create(NodeId node) {
        Segment* const segment = Segment::create(first_bytes, node);
        return segment != nullptr ? new (segment + 1) FrameStack(*segment, node) : nullptr;
    }
    void destroy() {
        expect(is_empty(), "a stack of frames is empty when it goes");
        drop_spare();
        memory::free(segment_->block);
    }
    FrameStack(FrameStack const&) = delete;
    FrameStack& operator=(FrameStack const&) = delete;

    // The owner. Null: there is no memory.
    [[nodiscard]] void* allocate(std::size_t bytes) {
        std::size_t const needed = needed_for(bytes);
        if (static_cast<std::size_t>(end_ - top_) < needed && !add_segment(needed)) [[unlikely]]
            return nullptr;
        auto* const head = new (static_cast<void*>(top_)) Head{.stack = this, .bytes = needed};
        top_ += needed;
        return head + 1;
    }
    // The stack in which it lies.
    static FrameStack& of(void* frame) { return *head_of(frame)->stack; }
    // The newest. The owner.
    static void free(void* frame) {
        Head* const head = head_of(frame);
        FrameStack& stack = *head->stack;
        auto* const place = reinterpret_cast<std::byte*>(head);
        expect(place + head->bytes == stack.top_, "the coroutine that was made last is awaited or destroyed first");
        stack.top_ = place;
        if (place == stack.segment_->begin && stack.segment_->below != nullptr) [[unlikely]]
            stack.leave_segment();
    }
    // Gives back what it has at hand. The owner.
    void drop_spare() {
        if (spare_ != nullptr) memory::free(std::exchange(spare_, nullptr)->block);
    }
    [[nodiscard]] bool is_empty() const { return segment_->below == nullptr && top_ == segment_->begin; }

    // For the owner's list of those that it does not use.
    FrameStack* next = nullptr;

  private:
    // Each join that waits may hold a stack with few frames: they begin small.
    static constexpr std::size_t first_bytes = 4 * KiB;
    static constexpr std::size_t max_bytes = 64 * KiB;
    static constexpr std::size_t alignment = 16; // of frames

    struct alignas(alignment) Head {
        FrameStack* stack;
        std::size_t bytes; // with this
    };
    struct alignas(alignment) Segment {
        static Segment* create(std::size_t bytes, NodeId node) {
            auto const block = memory::allocate(bytes, cache_line_bytes, node);
            if (!block.ok()) return nullptr;
            auto* const segment = new (static_cast<void*>(block.value().address)) Segment{.block = block.value()};
            segment->begin = reinterpret_cast<std::byte*>(segment + 1);
            return segment;
        }

        memory::Block block;
        Segment* below = nullptr;
        std::byte* top_below = nullptr; // where the one below was left
        std::byte* begin = nullptr;     // of the frames
    };

    FrameStack(Segment& segment, NodeId node)
        : node_(node) {
        segment.begin = reinterpret_cast<std::byte*>(this) + needed_for(sizeof(FrameStack)) - sizeof(Head);
        enter(segment, segment.begin);
    }

    static constexpr std::size_t needed_for(std::size_t bytes) {
        return sizeof(Head) + (bytes + alignment - 1) / alignment * alignment;
    }
    static Head* head_of(void* frame) { return static_cast<Head*>(frame) - 1; }

    [[gnu::noinline]] bool add_segment(std::size_t needed) {
        if (spare_ != nullptr && spare_->block.bytes - sizeof(Segment) < needed) drop_spare();
        std::size_t const wanted = std::max(std::min(2 * segment_->block.bytes, max_bytes), needed + sizeof(Segment));
        Segment* const segment = spare_ != nullptr ? std::exchange(spare_, nullptr) : Segment::create(wanted, node_);
        if (segment == nullptr) return false;
        segment->below = segment_;
        segment->top_below = top_;
        enter(*segment, segment->begin);
        return true;
    }
    // Nothing is in it any more. One is kept, so that a frame at its edge does not cost one each time.
    [[gnu::noinline]] void leave_segment() {
        drop_spare();
        spare_ = segment_;
        enter(*spare_->below, spare_->top_below);
    }
    void enter(Segment& segment, std::byte* top) {
        segment_ = &segment;
        top_ = top;
        end_ = segment.block.address + segment.block.bytes;
    }

    Segment* segment_ = nullptr; // the newest
    std::byte* top_ = nullptr;
    std::byte* end_ = nullptr;
    Segment* spare_ = nullptr;
    NodeId node_;
};

} // namespace mxk
