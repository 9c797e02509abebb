// Progress: that a run can be ended in its middle.
#include "bench/frame/progress.hpp"

#include <atomic>

#include <gtest/gtest.h>

#include "arch/linux/signals.hpp"
#include "kernel/clock.hpp"
#include "main/library/runtime.hpp"

namespace mxk::bench {
namespace {

TEST(Progress, learns_of_ctrl_c_while_a_run_goes_on) {
    auto runtime = Runtime::start({.cores = 1});
    ASSERT_TRUE(runtime.ok());
    runtime.value().run([](Worker& worker) {
        FixedText<1> nowhere;
        console::Invocation const invocation(nowhere);
        Progress progress(invocation);
        std::atomic<bool> stopped{false};
        Progress::StopFlag const early(progress, stopped);
        arch::request_interrupt();
        EXPECT_FALSE(progress.interrupted() || stopped) << "nobody has looked yet";
        std::uint64_t const deadline = raw(clock::now()) + 20'000'000'000;
        worker.run_until([&] { return progress.interrupted() || raw(clock::now()) > deadline; });
        EXPECT_TRUE(progress.interrupted() && stopped);
        std::atomic<bool> later{false};
        { Progress::StopFlag const too_late(progress, later); }
        EXPECT_TRUE(later) << "of what begins after the Ctrl-C";
        EXPECT_FALSE(progress.check().ok());
    });
}

} // namespace
} // namespace mxk::bench
