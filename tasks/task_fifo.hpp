// The FIFO of the tasks that a core will run next, and the pipeline that fetches ahead what they need: at distance 2d
// from its turn a task's own cache line is asked for, at distance d the lines that the task says it will touch
// (annotation.hpp); so the time to memory of one task is hidden behind the run time of d others. The order stands in a
// ring of pointers, because a linked list does not say which task is the 16th; what does not fit waits in a list
// (tasks bring their own link), so it is not bounded and allocates nothing. Its core only.
//
//     ring:  head -> | run now | ... d: touches | ... 2d: the task | ... | <- tail      then list: first ... last
//     list not empty: the ring was full, and what comes now goes to the list's end
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
    static constexpr std::uint32_t greatest_distance = capacity / 2 - 1;
    static constexpr std::uint32_t default_distance = 8;

    [[nodiscard]] bool empty() const { return head_ == tail_; } // then the list is empty, too

    // A task whose line is in this core's cache, since it ran here just now or was made here.
    void append(Task& task) {
        if (is_full()) [[unlikely]]
            return rest_.append(task);
        if (size() < distance_) prefetch_touched(task);
        ring_[tail_++ % capacity] = &task;
    }

    // A task that comes from another core: its line is there. append_arrived() several, then arrived(), before take().
    void append_arrived(Task& task) {
        if (is_full()) [[unlikely]]
            return rest_.append(task);
        if (distance_ != 0) prefetch_task(task); // now: from another core it takes longer than from memory
        ring_[tail_++ % capacity] = &task;
    }
    // Those that arrived and are at less than distance d already. `before`: size() before they were appended.
    void arrived(std::uint32_t before) {
        for (std::uint32_t at = before; at < std::min(size(), distance_); ++at)
            prefetch_touched(*ring_[(head_ + at) % capacity]);
    }

    // Null if empty.
    Task* take() {
        if (empty()) return nullptr;
        Task* const task = ring_[head_++ % capacity];
        if (distance_ != 0) {
            std::uint32_t const left = size();
            if (left >= 2 * distance_) prefetch_task(*ring_[(head_ + 2 * distance_ - 1) % capacity]);
            if (left >= distance_) prefetch_touched(*ring_[(head_ + distance_ - 1) % capacity]);
        }
        if (!rest_.empty()) [[unlikely]]
            ring_[tail_++ % capacity] = rest_.take();
        return task;
    }

    // Of the ring: all, or what comes first.
    [[nodiscard]] std::uint32_t size() const { return tail_ - head_; }

    // In tasks; 0: nothing is fetched ahead. Clamped to greatest_distance.
    void set_distance(std::uint32_t distance) { distance_ = std::min(distance, greatest_distance); }
    [[nodiscard]] std::uint32_t distance() const { return distance_; }
    // Tasks for which something was fetched ahead.
    [[nodiscard]] OwnerCounter const& prefetched() const { return prefetched_; }

  private:
    [[nodiscard]] bool is_full() const { return size() == capacity || !rest_.empty(); }

    static void prefetch_task(Task const& task) { prefetch_for_write(&task); }
    void prefetch_touched(Task const& task) {
        if (!task.touches) return;
        task.touches.prefetch();
        prefetched_.add(1);
    }

    std::uint32_t head_ = 0;
    std::uint32_t tail_ = 0;
    std::uint32_t distance_ = default_distance;
    OwnerCounter prefetched_;
    TaskList rest_;
    alignas(cache_line_bytes) std::array<Task*, capacity> ring_{};
};

} // namespace mxk
