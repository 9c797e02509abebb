// Walks as tasks on the machine's cores, with and without delays.
#include <algorithm>

#include "kernel/testing.hpp"
#include "tests/kernel/walkers.hpp"

namespace mxk {
namespace {

// `together`: operations of all cores, about the same on every machine, since emulated cores are slow.
void walk_on_all_cores(std::size_t together, bool delays) {
    std::size_t const operations = std::max<std::size_t>(50, together / workers::count());
    walkers::Outcome const outcome = MXK_REQUIRE_VALUE(walkers::run(operations, delays));
    MXK_CHECK_EQUAL(outcome.wrong, 0);
    MXK_CHECK_EQUAL(outcome.lost, 0);
    MXK_CHECK_EQUAL(outcome.in_table, outcome.expected_in_table);
}

MXK_TEST(tables, walks_keep_the_order_of_arrival) {
    walk_on_all_cores(40'000, false);
}
MXK_TEST(tables, walks_keep_the_order_of_arrival_under_delays) {
    walk_on_all_cores(8'000, true);
}

} // namespace
} // namespace mxk
