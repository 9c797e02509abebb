#include "kernel/uptime.hpp"

#include <gtest/gtest.h>

#include <string>

#include "kernel/clock.hpp"

namespace mxk::clock {
namespace {

std::string duration(std::uint64_t milliseconds) {
    FixedText<64> text;
    print_duration(text, static_cast<Nanoseconds>(milliseconds * 1'000'000 + 999'999));
    return std::string(text.view());
}

TEST(Uptime, durations_are_days_hours_minutes_seconds) {
    EXPECT_EQ(duration(0), "0:00:00.000");
    EXPECT_EQ(duration(61'007), "0:01:01.007");
    EXPECT_EQ(duration(86'399'999), "23:59:59.999");
    EXPECT_EQ(duration(86'400'000), "1 d 0:00:00.000");
    EXPECT_EQ(duration(400ULL * 86'400'000 + 3'600'000), "400 d 1:00:00.000");
}

TEST(Uptime, counts_from_the_start) {
    Cycles const before = timestamp();
    note_start();
    Nanoseconds const up = uptime();
    EXPECT_LE(raw(up), raw(to_nanoseconds(timestamp() - before)));
}

} // namespace
} // namespace mxk::clock
