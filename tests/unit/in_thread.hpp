// What only threads may do, in a test of its own machine.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>

#include "main/library/runtime.hpp"
#include "tasks/threads/thread.hpp"

namespace mxk::test {

inline constexpr RuntimeOptions small_machine{.cores = 4, .nodes = 2, .memory_bytes = 256 * MiB};

// body() in the console's task of a machine that has four cores.
template <typename Body> void on_machine(Body body) {
    auto runtime = Runtime::start(small_machine);
    ASSERT_TRUE(runtime.ok()) << runtime.error().message();
    runtime.value().run([&](Worker&) { body(); });
}

// body() in a thread; there is a machine.
template <typename Body> void in_one_thread(Body body) {
    auto thread = Thread::create({.core = core_id(1), .stack_bytes = MiB}, body);
    ASSERT_TRUE(thread.ok()) << thread.error().message();
    ASSERT_TRUE(thread.value().join().ok());
}

} // namespace mxk::test
