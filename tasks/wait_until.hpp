// Waiting for what other cores change without telling this one.
#pragma once

#include "base/units.hpp"
#include "tasks/ticker.hpp"
#include "tasks/worker.hpp"

namespace mxk {

// Runs the core's tasks and threads until `done()`, which is asked after each turn of them and every millisecond. The
// console's task; blocks it.
template <typename Done> void wait_until(Done done) {
    Ticker const ticker(
        Nanoseconds{1'000'000}, [](void*) {}, nullptr);
    Worker::current().run_until(done);
}

} // namespace mxk
