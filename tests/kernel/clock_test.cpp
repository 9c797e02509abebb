#include "arch/cpu.hpp"
#include "kernel/clock.hpp"
#include "kernel/testing.hpp"
#include "tasks/run_on.hpp"
#include "tasks/ticker.hpp"
#include "tests/kernel/all_cores.hpp"

namespace mxk {
namespace {

MXK_TEST(clock, never_goes_back_on_a_core) {
    bool const ran = run_on(all_cores().span(), [](Worker&, std::size_t) {
        Cycles last = clock::timestamp();
        for (int i = 0; i < 10000; ++i) {
            Cycles const now = clock::timestamp();
            MXK_CHECK(now >= last);
            last = now;
        }
        return Step::Done;
    });
    MXK_CHECK(ran);
}

MXK_TEST(clock, conversions_are_inverse) {
    std::uint64_t const second = arch::timestamp_frequency();
    MXK_CHECK_EQUAL(raw(clock::to_nanoseconds(Cycles{second})), 1'000'000'000U);
    MXK_CHECK_EQUAL(raw(clock::to_cycles(Nanoseconds{1'000'000'000})), second);
    MXK_CHECK_EQUAL(raw(clock::to_nanoseconds(Cycles{second * 86400 * 365})) / 1'000'000'000, 86400U * 365);
    MXK_CHECK(!arch::timestamp_frequency_is_known() || clock::frequency() == static_cast<double>(second));
}

// The timer's interrupt arrives, about when it should, and again. It can be late on an emulated machine, never early.
MXK_TEST(clock, the_timer_ticks) {
    int ticks = 0;
    constexpr Nanoseconds interval{5'000'000};
    std::uint64_t const start = raw(clock::now());
    {
        Ticker const ticker(
            interval, [](void* count) { ++*static_cast<int*>(count); }, &ticks);
        Worker::current().run_until([&] { return ticks == 4; });
    }
    std::uint64_t const took = raw(clock::now()) - start;
    MXK_CHECK(took >= 4 * raw(interval) * 8 / 10); // the timer's calibration is good to some percent
    MXK_CHECK(took < 10'000'000'000);
}

} // namespace
} // namespace mxk
