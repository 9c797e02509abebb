// The FIFO of the tasks that a core will run next, and the pipeline that fetches ahead what they need, in two stages: a
// task's own cache line is asked for when the task arrives from another core, the lines that it says it will touch
// (annotation.hpp) when d tasks are before it. So the time to memory of one task is hidden behind the run time of d
// others. What many tasks touch that arrive together is asked for little by little: a core has few buffers for lines on
// their way, and stands still when it asks for more. The order stands in a ring of pointers, because a linked list does
// not say which task is the 16th; what does not fit waits in a list (tasks bring their own link), so it is not bounded
// and allocates nothing. Its core only.
//
//     ring:  head -> | runs next | ... d tasks, fetched for ... | ...  <- tail        then rest: first ... last
//     limit: where the ring must not be filled without a look at the rest
//     late: within d of the head, and not fetched for yet
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/prefetch.hpp"
#include "tasks/owner_counter.hpp"
#include "tasks/queue/task_list.hpp"

namespace mxk {

class TaskFifo {
  public:
    static constexpr std::uint32_t capacity = 256; // of the ring
    static constexpr std::uint32_t max_distance = capacity / 2;
    static constexpr std::uint32_t default_distance = 16;

    [[nodiscard]] bool empty() const { return head_ == tail_ && rest_.empty(); }

    // Places, which only grow: of the next task, and behind the last one that is in the ring.
    [[nodiscard]] std::uint32_t begin() const { return head_; }
    [[nodiscard]] std::uint32_t end() const { return tail_; }

    // A task whose line is in this core's cache, since it ran here just now or was made here. Inline: for each task,
    // and GCC makes it a call where a file has several kinds of tasks.
    [[gnu::always_inline]] void append(Task& task) {
        if (tail_ == limit_ && !make_room()) [[unlikely]]
            return rest_.append(task);
        append_to_ring(task);
    }

    // In front of all others, in their order; `tasks` is empty then. Expensive: it looks at all of the ring.
    void prepend(TaskList& tasks);

    // Tasks that come from another core: append_arrived() one after the other, then fetch_for_arrived() with the end()
    // of before, before take().
    void append_arrived(Task& task) {
        if (distance_ != 0) prefetch_for_write(&task);
        if (tail_ == limit_ && !make_room()) [[unlikely]]
            return rest_.append(task);
        ring_[tail_++ % capacity] = &task;
    }
    void fetch_for_arrived(std::uint32_t from) {
        fetch_late(late_);
        if (from - head_ >= distance_) return;
        late_from_ = from;
        late_ = std::min(tail_ - from, head_ + distance_ - from);
        fetch_late(std::min(late_, first_arrived));
    }

    // Null if empty.
    Task* take() {
        if (head_ == tail_) [[unlikely]] {
            make_room();
            if (head_ == tail_) return nullptr;
        }
        Task* const task = ring_[head_++ % capacity];
        if (tail_ - head_ >= fetch_from_fill_) fetch_for(*ring_[(head_ + distance_ - 1) % capacity]);
        if (late_ != 0) [[unlikely]]
            fetch_late_before_next();
        return task;
    }

    // Any core, for display: the task that was taken last. It need not be there any more, unless it is the one that
    // runs.
    [[nodiscard, gnu::no_sanitize_thread]] Task const* latest() const { return ring_[(head_ - 1) % capacity]; }

    // In tasks; 0: nothing is fetched ahead. Clamped to max_distance.
    void set_distance(std::uint32_t distance) {
        distance_ = std::min(distance, max_distance);
        fetch_from_fill_ = distance_ != 0 ? distance_ : capacity + 1;
        late_ = 0;
    }
    [[nodiscard]] std::uint32_t distance() const { return distance_; }
    // Tasks for which something was fetched ahead.
    [[nodiscard]] OwnerCounter const& prefetched() const { return prefetched_; }

  private:
    [[gnu::always_inline]] void append_to_ring(Task& task) {
        ring_[tail_++ % capacity] = &task;
        if (tail_ - head_ <= distance_) fetch_for(task);
    }

    // So many are fetched for when they arrive, and so many of those that are late whenever one is taken: they are
    // ahead of the head for good.
    static constexpr std::uint32_t first_arrived = 4;
    static constexpr std::uint32_t each_take = 2;
    void fetch_late(std::uint32_t count) {
        for (late_ -= count; count != 0; --count) fetch_for(*ring_[late_from_++ % capacity]);
    }
    void fetch_late_before_next();

    // The tail is at the limit, or the ring is empty: moves the rest up. Whether one more task may follow in the ring.
    bool make_room();

    // Inline as append(): what stands in front of every operation on a table.
    [[gnu::always_inline]] void fetch_for(Task const& task) {
        Annotation const touches = task.touches;
        if (!touches.is_only_table_line()) [[unlikely]]
            return fetch_others(task, touches);
        touches.prefetch();
        prefetched_.add(1);
    }
    void fetch_others(Task const& task, Annotation touches) {
        if (touches.is_blank()) return;
        if (touches.has_next_line()) [[unlikely]]
            prefetch_for_write(reinterpret_cast<std::byte const*>(&task) + cache_line_bytes);
        touches.prefetch();
        prefetched_.add(1);
    }

    std::uint32_t head_ = 0;
    std::uint32_t tail_ = 0;
    std::uint32_t limit_ = capacity;
    std::uint32_t distance_ = default_distance;
    std::uint32_t fetch_from_fill_ = default_distance; // tasks in the ring from which on take() fetches for one
    std::uint32_t late_from_ = 0;
    std::uint32_t late_ = 0; // so many from there on
    OwnerCounter prefetched_;
    TaskList rest_;
    alignas(cache_line_bytes) std::array<Task*, capacity> ring_{};
};

} // namespace mxk
