// A task that a box makes for a part of its work, so that other cores of the node take part in it (Falt 2010, section
// 9.2.3 b). It is one of the box's request, runs once, and is bound: it waits on the stack of the core that has started
// it, which takes the newest first, and from which other cores steal the oldest.
//
//     start(here, task), start(here, another)       in receive() or finish() of the box
//     return Step::AfterTasks                        the box is asked again when both have ended: no core waits
//
// While they run, the box may be asked for other work if it has said More; what both need is then shared with care. A
// task emits nothing. In a cancelled request its body is not run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#include "base/result.hpp"
#include "kernel/memory/heap/heap.hpp"
#include "tasks/dataflow/graph/box.hpp"

namespace mxk::dataflow {

class BoxTask : public ReschedulableTask {
  public:
    // On any core of the node, once; it sees all that the box has written before it was started, and the box sees what
    // it has written when has_tasks() says no. Does not block. An error ends the query.
    using Body = Result<void> (*)(CoreScheduler& here, BoxTask& task);

    // `number`: of the box's tasks, for the discipline of one FIFO for each core, where they are dealt to the cores.
    BoxTask(Box& box, CoreScheduler& here, std::size_t number, Body its_body);

  private:
    template <typename> friend class BoxTasks;
    static Outcome run_once(CoreScheduler& here, ReschedulableTask& task);

    Box& box_;
    Body body_;
    BoxTask* next_ = nullptr; // of its list
};

// The tasks of one kind that a box has made: a member of the box, which is destroyed when the request has ended, and
// with it all of its tasks. Calls by the box only. T: a BoxTask, constructed from box, core, number and what else it
// needs.
template <typename T> class BoxTasks {
  public:
    BoxTasks() = default;
    BoxTasks(BoxTasks const&) = delete;
    BoxTasks& operator=(BoxTasks const&) = delete;
    ~BoxTasks() {
        while (first_ != nullptr) destroy(*static_cast<T*>(std::exchange(first_, first_->next_)));
    }

    // Behind the others; the calling core's heap. Null: no memory.
    template <typename... Arguments> T* add(Box& box, CoreScheduler& here, Arguments&&... arguments) {
        void* const place = heap::allocate(sizeof(T), alignof(T));
        if (place == nullptr) return nullptr;
        T* const made = new (place) T(box, here, made_++, std::forward<Arguments>(arguments)...);
        (last_ != nullptr ? last_->next_ : first_) = made;
        last_ = made;
        ++size_;
        return made;
    }
    // Gives back those at the front that have ended. A task that is seen to be done by what it has written may not have
    // ended yet: it stays until the next call.
    void remove_ended() {
        while (first_ != nullptr && first_->has_ended()) {
            destroy(*static_cast<T*>(std::exchange(first_, first_->next_)));
            --size_;
        }
        if (first_ == nullptr) last_ = nullptr;
    }
    [[nodiscard]] std::size_t size() const { return size_; }
    template <typename Function> void for_each(Function function) {
        for (BoxTask* at = first_; at != nullptr; at = at->next_) function(*static_cast<T*>(at));
    }

  private:
    static void destroy(T& task) {
        task.~T();
        heap::deallocate(&task, sizeof(T), alignof(T));
    }

    BoxTask* first_ = nullptr;
    BoxTask* last_ = nullptr;
    std::size_t size_ = 0;
    std::size_t made_ = 0;
};

} // namespace mxk::dataflow
