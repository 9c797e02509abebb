// Atomic counters: what each operation returns and leaves, on one core and on all (after HelenOS's atomic1).
#include <atomic>
#include <cstdint>

#include "kernel/testing.hpp"
#include "tasks/run_on.hpp"
#include "tests/kernel/all_cores.hpp"

namespace mxk {
namespace {

template <typename T> void check_operations() {
    std::atomic<T> number{0};
    number.store(10);
    MXK_CHECK_EQUAL(number.load(), T{10});
    MXK_CHECK_EQUAL(number++, T{10});
    MXK_CHECK_EQUAL(number.load(), T{11});
    MXK_CHECK_EQUAL(number--, T{11});
    MXK_CHECK_EQUAL(number.load(), T{10});
    MXK_CHECK_EQUAL(++number, T{11});
    MXK_CHECK_EQUAL(number.load(), T{11});
    MXK_CHECK_EQUAL(--number, T{10});
    MXK_CHECK_EQUAL(number.load(), T{10});
    MXK_CHECK_EQUAL(number.fetch_or(5), T{10});
    MXK_CHECK_EQUAL(number.fetch_and(6), T{15});
    MXK_CHECK_EQUAL(number.exchange(3), T{6});
    T expected = 4;
    MXK_CHECK(!number.compare_exchange_strong(expected, T{9}));
    MXK_CHECK_EQUAL(expected, T{3});
    MXK_CHECK(number.compare_exchange_strong(expected, T{9}));
    MXK_CHECK_EQUAL(number.load(), T{9});
    number.store(0);
    MXK_CHECK_EQUAL(number.fetch_sub(1), T{0});
    MXK_CHECK_EQUAL(number.load(), static_cast<T>(-1)); // wraps, or is negative
}

MXK_TEST(atomic1, every_operation_returns_and_leaves_what_it_should) {
    check_operations<std::uint8_t>();
    check_operations<std::uint16_t>();
    check_operations<std::uint32_t>();
    check_operations<std::int64_t>();
    check_operations<std::uint64_t>();
}

// Each core adds and takes tickets; no ticket is given twice, none is left out.
MXK_TEST(atomic1, nothing_is_lost_between_cores) {
    constexpr std::uint64_t each = 2'000;
    std::atomic<std::uint64_t> tickets{0};
    std::atomic<std::uint64_t> sum{0};
    std::atomic<std::uint64_t> largest{0};
    MXK_CHECK(run_on(all_cores().span(), [&](Worker&, std::size_t) {
        for (std::uint64_t i = 0; i < each; ++i) {
            std::uint64_t const mine = tickets.fetch_add(1, std::memory_order_relaxed);
            sum.fetch_add(mine, std::memory_order_relaxed);
            std::uint64_t before = largest.load(std::memory_order_relaxed);
            while (before < mine && !largest.compare_exchange_weak(before, mine, std::memory_order_relaxed)) {
            }
        }
        return Step::Done;
    }));
    std::uint64_t const count = each * workers::count();
    MXK_CHECK_EQUAL(tickets.load(), count);
    MXK_CHECK_EQUAL(sum.load(), count * (count - 1) / 2);
    MXK_CHECK_EQUAL(largest.load(), count - 1);
}

} // namespace
} // namespace mxk
