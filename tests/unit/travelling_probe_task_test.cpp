// Operations that travel, on four cores of a Runtime: many more of them than on emulated cores. Under TSan: what tasks
// and owners share is handed over.
#include <gtest/gtest.h>

#include <cstddef>
#include <initializer_list>

#include "arch/linux/runtime.hpp"
#include "tests/kernel/travellers.hpp"

namespace mxk {
namespace {

template <typename Delay> void travel_on_four_cores(std::size_t operations) {
    auto runtime = Runtime::start({.cores = 4, .nodes = 2, .memory_bytes = 64 * MiB});
    ASSERT_TRUE(runtime.ok()) << runtime.error().message();
    runtime.value().run([operations](Worker&) {
        for (std::size_t const slots : std::initializer_list<std::size_t>{1, 2, 3, 4, 6, 20}) {
            travellers::Outcome const outcome = travellers::run<Delay>(operations, slots);
            EXPECT_EQ(outcome.wrong, 0U);
            EXPECT_EQ(outcome.strayed, 0U);
            EXPECT_EQ(outcome.in_table, outcome.expected_in_table);
            if (slots == 1) {
                EXPECT_GT(outcome.full, 0U);
            } else if (slots == 20) {
                EXPECT_EQ(outcome.full, 0U); // more slots than keys, and than puts under way hold twice
            }
        }
    });
}

TEST(TravellingProbe, results_are_those_of_the_order_of_arrival) {
    travel_on_four_cores<NoDelay>(10'000);
}
TEST(TravellingProbe, results_are_those_of_the_order_of_arrival_under_delays) {
    travel_on_four_cores<RandomDelay>(1'000);
}

} // namespace
} // namespace mxk
