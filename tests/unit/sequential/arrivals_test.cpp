// Rates as they are typed, and when operations of an open load are due.
#include <gtest/gtest.h>

#include "base/text.hpp"
#include "bench/workload/arrivals.hpp"
#include "bench/workload/operation_start.hpp"

namespace mxk::bench {
namespace {

std::string_view read_back(std::string_view text) {
    static FixedText<64> shown;
    shown = {};
    Rate rate;
    if (!parse_value(text, rate)) return "refused";
    print_value(shown, rate);
    return shown.view();
}

TEST(Rate, is_a_count_or_a_share) {
    for (std::string_view const text : {"20M", "1", "50%", "12.5%", "100%", "1%"}) EXPECT_EQ(read_back(text), text);
    for (std::string_view const text : {"", "%", "0", "0%", "101%", "-5%", "x", "5 %", "2000G"})
        EXPECT_EQ(read_back(text), "refused") << text;
}

TEST(Arrivals, are_due_in_equal_steps_from_the_beginning_on) {
    EXPECT_FALSE(Arrivals().is_open_load());
    EXPECT_TRUE(Arrivals().is_measured(Cycles{}));
    Arrivals arrivals(2.5, 10);
    EXPECT_TRUE(arrivals.is_open_load());
    arrivals.begin(static_cast<Cycles>(1000));
    EXPECT_EQ(raw(arrivals.due(0)), 1000U);
    EXPECT_EQ(raw(arrivals.due(1)), 1002U);
    EXPECT_EQ(raw(arrivals.due(2)), 1005U);
    EXPECT_FALSE(arrivals.is_measured(static_cast<Cycles>(1024)));
    EXPECT_TRUE(arrivals.is_measured(static_cast<Cycles>(1025)));
    EXPECT_EQ(raw(arrivals.due(4'000'000'000)), 10'000'001'000U); // no error adds up
}

TEST(OperationStart, counts_from_when_it_was_due) {
    auto const late_by = [](std::uint64_t late) {
        constexpr std::uint64_t now = std::uint64_t{7} << 32;
        Histogram latency;
        auto const start = OperationStart::due(static_cast<Cycles>(now - late), static_cast<Cycles>(now));
        start.count_end(latency, static_cast<Cycles>(now + 1000));
        EXPECT_EQ(latency.mean(), latency.max());
        return latency.max();
    };
    EXPECT_EQ(late_by(0), 1000U);
    EXPECT_EQ(late_by(5'000'000), 5'001'000U);
    // Longer than the stamp can tell: late, not early again.
    EXPECT_GT(late_by(std::uint64_t{1} << 32), std::uint64_t{1} << 31);
    EXPECT_GT(late_by(std::uint64_t{1} << 40), std::uint64_t{1} << 31);
}

} // namespace
} // namespace mxk::bench
