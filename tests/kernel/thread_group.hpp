// Threads that a test starts together and waits for. The console's task, or a thread.
#pragma once

#include <utility>

#include "kernel/memory/node_vector.hpp"
#include "kernel/testing.hpp"
#include "tasks/threads/thread.hpp"
#include "tasks/wait_until.hpp"
#include "tasks/workers.hpp"

namespace mxk {

class ThreadGroup {
  public:
    explicit ThreadGroup(std::size_t max_threads)
        : threads_(NodeVector<Thread>::create(max_threads, node_id(0))) {
        MXK_CHECK(threads_.ok());
    }

    // Body: called without arguments; lives until join(). A failure fails the test.
    template <typename Body> void start(ThreadOptions const& options, Body& body) {
        if (!threads_) return;
        auto thread = Thread::create(options, body);
        MXK_CHECK(thread.ok());
        if (thread) threads_.value().emplace(std::move(thread).value());
    }

    // All, in the order of their starting.
    void join() {
        if (!threads_) return;
        for (Thread& thread : threads_.value()) MXK_CHECK(thread.join().ok());
        threads_.value() = {};
    }

  private:
    Result<NodeVector<Thread>> threads_;
};

} // namespace mxk
