// An operation that is interrupted in its middle, on purpose, by another one: what becomes of both says whether
// anything keeps them apart.
#pragma once

#include "kernel/testing.hpp"
#include "tasks/threads/semaphore.hpp"
#include "tests/kernel/thread_group.hpp"

namespace mxk {

// Where the first operation stops, once, until the second one has been carried out, or has not come through for so
// long. One at a time.
class Interruption {
  public:
    explicit Interruption(Nanoseconds patience)
        : patience_(patience) {
        current_ = this;
    }
    ~Interruption() { current_ = nullptr; }
    Interruption(Interruption const&) = delete;
    Interruption& operator=(Interruption const&) = delete;

    // In the middle of operations.
    static void point() {
        if (current_ != nullptr) current_->meet();
    }

    // `first` meets the point, `second` has the time then. Each in a thread, on different cores if there are. Whether
    // the second one came through meanwhile. The console's task.
    template <typename First, typename Second> bool run(First first, Second second) {
        auto interrupter = [&] {
            reached_.wait();
            second();
            done_.post();
        };
        ThreadGroup group(2);
        group.start({.core = core_id(0), .name = "interrupted"}, first);
        group.start({.core = core_id(workers::count() - 1), .name = "interrupter"}, interrupter);
        group.join();
        return came_through_;
    }

  private:
    void meet() {
        if (std::exchange(has_met_, true)) return; // written before reached_ is posted, and then only read
        reached_.post();
        auto const came = done_.wait_for(patience_);
        MXK_CHECK(came.ok());
        came_through_ = came.ok() && came.value();
    }

    static inline constinit Interruption* current_ = nullptr;

    Nanoseconds patience_;
    Semaphore reached_{0};
    Semaphore done_{0};
    bool has_met_ = false;
    bool came_through_ = false;
};

constexpr Nanoseconds short_patience{20'000'000};    // for who cannot come through
constexpr Nanoseconds long_patience{20'000'000'000}; // for who must

} // namespace mxk
