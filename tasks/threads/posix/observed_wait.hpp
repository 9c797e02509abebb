// A wait of the calling thread, of which the pool that it belongs to is told (tasks/threads/wait_observer.hpp).
#pragma once

#include "tasks/threads/wait_observer.hpp"

namespace mxk {

class ObservedWait {
  public:
    // Null: it belongs to none.
    explicit ObservedWait(WaitObserver* observer)
        : observer_(observer) {
        if (observer_ != nullptr) observer_->wait_begins();
    }
    ~ObservedWait() {
        if (observer_ != nullptr) observer_->wait_ends();
    }
    ObservedWait(ObservedWait const&) = delete;
    ObservedWait& operator=(ObservedWait const&) = delete;

  private:
    WaitObserver* observer_;
};

} // namespace mxk
