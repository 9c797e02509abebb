// A wait of the calling thread, of which are told: the pool that it belongs to (tasks/threads/wait_observer.hpp), and
// the worker whose processor it has.
#pragma once

#include "tasks/threads/thread_record.hpp"
#include "tasks/threads/wait_observer.hpp"
#include "tasks/workers.hpp"

namespace mxk {

class ObservedWait {
  public:
    explicit ObservedWait(ThreadRecord const& thread)
        : observer_(thread.wait_observer)
        , worker_(workers::of(thread.core)) {
        if (observer_ != nullptr) observer_->wait_begins();
        worker_.note_thread_waits();
    }
    ~ObservedWait() {
        worker_.note_thread_runs();
        if (observer_ != nullptr) observer_->wait_ends();
    }
    ObservedWait(ObservedWait const&) = delete;
    ObservedWait& operator=(ObservedWait const&) = delete;

  private:
    WaitObserver* observer_; // null: it belongs to none
    Worker& worker_;
};

} // namespace mxk
