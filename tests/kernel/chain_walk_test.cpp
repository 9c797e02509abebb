// Walks as tasks on the machine's cores, with and without delays.
#include <algorithm>

#include "kernel/testing.hpp"
#include "tests/kernel/walkers.hpp"

namespace mxk {
namespace {

// `together`: operations of all cores, about the same on every machine, since emulated cores are slow.
template <typename Delay> void walk_on_all_cores(std::size_t together) {
    walkers::Outcome const outcome = walkers::run<Delay>(std::max<std::size_t>(50, together / workers::count()));
    MXK_CHECK_EQUAL(outcome.wrong, 0);
    MXK_CHECK_EQUAL(outcome.strayed, 0);
    MXK_CHECK_EQUAL(outcome.in_table, outcome.expected_in_table);
}

MXK_TEST(tables, walks_keep_the_order_of_arrival) {
    walk_on_all_cores<NoDelay>(40'000);
}
MXK_TEST(tables, walks_keep_the_order_of_arrival_under_delays) {
    walk_on_all_cores<RandomDelay>(8'000);
}

} // namespace
} // namespace mxk
