// Operations that travel from region to region, as tasks on the machine's cores, with and without delays.
#include <algorithm>

#include "kernel/testing.hpp"
#include "tests/kernel/travellers.hpp"

namespace mxk {
namespace {

// `together`: operations of all cores, about the same on every machine, since emulated cores are slow. Slots per core:
// few enough for full tables, and enough for all keys and for what puts under way hold twice.
void travel(std::size_t together, bool delays) {
    std::size_t const cores = std::min(workers::count(), travellers::max_cores);
    for (std::size_t const slots : {std::size_t{2}, std::size_t{4}, std::size_t{20}}) {
        travellers::Outcome const outcome = MXK_REQUIRE_VALUE(travellers::run(together / cores, slots, delays));
        MXK_CHECK_EQUAL(outcome.wrong, 0);
        MXK_CHECK_EQUAL(outcome.lost, 0);
        MXK_CHECK_EQUAL(outcome.in_table, outcome.expected_in_table);
        if (slots == 2) MXK_CHECK(outcome.full > 0);
        if (slots == 20) MXK_CHECK_EQUAL(outcome.full, 0);
    }
}

MXK_TEST(tables, travelling_operations_keep_the_order_of_arrival) {
    travel(12'000, false);
}
MXK_TEST(tables, travelling_operations_keep_the_order_of_arrival_under_delays) {
    travel(2'500, true);
}

// Regions begin with 64 slots and get keys for many more.
void travel_and_grow(std::size_t together, bool delays) {
    std::size_t const cores = std::min(workers::count(), travellers::max_cores);
    travellers::Outcome const outcome = MXK_REQUIRE_VALUE(
        travellers::run<travellers::GrowingTable>(together / cores, 64, delays, {.each = 200, .common = 300}));
    MXK_CHECK_EQUAL(outcome.wrong, 0);
    MXK_CHECK_EQUAL(outcome.lost, 0);
    MXK_CHECK_EQUAL(outcome.full, 0);
    MXK_CHECK_EQUAL(outcome.in_table, outcome.expected_in_table);
}

MXK_TEST(tables, travelling_operations_keep_the_order_of_arrival_while_regions_grow) {
    travel_and_grow(12'000, false);
}
MXK_TEST(tables, travelling_operations_keep_the_order_of_arrival_while_regions_grow_under_delays) {
    travel_and_grow(4'000, true);
}

} // namespace
} // namespace mxk
