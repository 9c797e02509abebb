// The FIFO of the tasks that a core will run next, and the pipeline that fetches ahead what they need, in two stages: a
// task's own cache line is asked for when the task arrives from another core, the lines that it says it will touch
// (annotation.hpp) when d tasks are before it. So the time to memory of one task is hidden behind the run time of d
// others. The order stands in a ring of pointers, because a linked list does not say which task is the 16th; what does
// not fit waits in a list (tasks bring their own link), so it is not bounded and allocates nothing. Its core only.
//
//     ring:  head -> | runs next | ... fetched for ... | <- fetched   ... | <- tail        then rest: first ... last
//     fetched = min(head + d, tail); rest not empty: the ring is full
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/prefetch.hpp"
#include "tasks/owner_counter.hpp"
#include "tasks/task_list.hpp"

namespace mxk {

class TaskFifo {
  public:
    static constexpr std::uint32_t capacity = 256; // of the ring
    static constexpr std::uint32_t greatest_distance = capacity / 2;
    static constexpr std::uint32_t default_distance = 16;

    [[nodiscard]] bool empty() const { return head_ == tail_; } // then the rest is empty, too

    // A task whose line is in this core's cache, since it ran here just now or was made here.
    void append(Task& task) {
        if (is_full()) [[unlikely]]
            return rest_.append(task);
        ring_[tail_++ % capacity] = &task;
        if (tail_ - head_ <= distance_) fetch_for_next();
    }

    // A task that comes from another core: its line is there. append_arrived() several, then arrived(), before take().
    void append_arrived(Task& task) {
        if (distance_ != 0) prefetch_for_write(&task);
        if (is_full()) [[unlikely]]
            return rest_.append(task);
        ring_[tail_++ % capacity] = &task;
    }
    void arrived() {
        while (fetched_ != tail_ && fetched_ - head_ < distance_) fetch_for_next();
    }

    // Null if empty.
    Task* take() {
        if (empty()) return nullptr;
        Task* const task = ring_[head_++ % capacity];
        if (distance_ != 0 && fetched_ != tail_) fetch_for_next();
        if (!rest_.empty()) [[unlikely]]
            ring_[tail_++ % capacity] = rest_.take();
        return task;
    }

    // In tasks; 0: nothing is fetched ahead. Clamped to greatest_distance. While empty.
    void set_distance(std::uint32_t distance) {
        distance_ = std::min(distance, greatest_distance);
        fetched_ = tail_;
    }
    [[nodiscard]] std::uint32_t distance() const { return distance_; }
    // Tasks for which something was fetched ahead.
    [[nodiscard]] OwnerCounter const& prefetched() const { return prefetched_; }

  private:
    [[nodiscard]] bool is_full() const { return tail_ - head_ == capacity; }

    void fetch_for_next() {
        Task const* const task = ring_[fetched_++ % capacity];
        Annotation const touches = task->touches;
        if (touches.has_next_line()) prefetch_for_write(reinterpret_cast<std::byte const*>(task) + cache_line_bytes);
        if (!touches) return;
        touches.prefetch();
        prefetched_.add(1);
    }

    std::uint32_t head_ = 0;
    std::uint32_t tail_ = 0;
    std::uint32_t fetched_ = 0;
    std::uint32_t distance_ = default_distance;
    OwnerCounter prefetched_;
    TaskList rest_;
    alignas(cache_line_bytes) std::array<Task*, capacity> ring_{};
};

} // namespace mxk
